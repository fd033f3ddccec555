"""Add security headers to every answer of the server, and refuse connections that pages of other sites open."""

import base64
import hashlib
import re
from pathlib import Path

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send


def inline_scripts(page: str) -> list[str]:
    """Return the sources by which a policy allows the scripts that stand in a page, and no others.

    >>> inline_scripts("<script>go()</script><script src='a.js'></script>")
    ["'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='"]
    """
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in scripts]


_PAGE = Path(st.__file__).parent / "static" / "index.html"
_SCRIPTS = " ".join(("script-src 'self' 'wasm-unsafe-eval'", *inline_scripts(_PAGE.read_text("utf-8"))))
#: What a page of the app may load: its own scripts, styles, fonts and pictures, and pictures that it draws itself.
POLICY = (
    f"default-src 'self'; {_SCRIPTS}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}


def is_foreign(headers: Headers) -> bool:
    """Return whether a page of another site than the one asked for sends this; a program names no site at all.

    >>> is_foreign(Headers({"host": "kpscope.example.org", "origin": "https://kpscope.example.org"}))
    False
    >>> is_foreign(Headers({"host": "kpscope.example.org", "origin": "http://localhost:3000"}))
    True
    """
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


class OwnPages:
    """Middleware that refuses a websocket which a page of another site opens, and adds the headers to every answer.

    Streamlit refuses most of them too, but first asks a foreign host for the outer address of this machine.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers it does not have; or refuse it."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "websocket" and is_foreign(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self.app(scope, receive, answer if scope["type"] == "http" else send)
