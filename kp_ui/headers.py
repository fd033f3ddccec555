"""Serve the page that starts the app, with security headers; refuse pages of other sites, and names not served."""

import base64
import hashlib
import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kp_ui.state import kept


def inline_scripts(page: str) -> list[str]:
    """Return the sources by which a policy allows the scripts that occur in a page, and no others.

    >>> inline_scripts("<script>go()</script><script src='a.js'></script>")
    ["'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='"]
    """
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]


#: Streamlit's page, which would look for the server below the address of every page, and find it at the second try.
_START = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
_BASE = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location).href }</script>'
_PAGE = _START.replace("<head>", f"<head>{_BASE}", 1)
_SCRIPTS = " ".join(("script-src 'self' 'wasm-unsafe-eval'", *inline_scripts(_PAGE)))
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


def is_served(host: str, names: Iterable[str]) -> bool:
    """Return whether a request is for this server: for one of its names, such as `*.example.org`, or for an address.

    Another site can have its own name lead to this machine, and its pages would then be of the same site. An address
    belongs to nobody else.

    >>> is_served("localhost:8501", ["localhost"]), is_served("[::1]:8501", []), is_served("192.0.2.7", [])
    (True, True, True)
    >>> is_served("kpscope.example.org", ["localhost"]), is_served("a.example.org", ["*.example.org"])
    (False, True)
    """
    name = ""
    with suppress(ValueError):
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        ip_address(name)
        return True
    return any(fnmatchcase(name, pattern.strip().lower()) for pattern in names)


_NOT_SERVED = PlainTextResponse(
    "KPScope is not served under this name. Whoever runs it can add the name to STREAMLIT_SERVER_ALLOWED_HOSTS.\n", 403
)


def start_page(request: Request) -> Response:
    """Return the page that starts the app; a browser on this machine gets a cookie by which a second tab is known."""
    page = HTMLResponse(_PAGE, headers={"cache-control": "no-cache"})
    if kept.BROWSER not in request.cookies and kept.is_loopback(request.headers.get("host", "")):
        page.set_cookie(kept.BROWSER, secrets.token_urlsafe(32), httponly=True, samesite="strict")
    return page


class OwnPages:
    """Middleware that refuses a websocket which a page of another site opens, and adds the headers to every answer.

    Streamlit refuses most of them too, but first asks a foreign host for the outer address of this machine. It knows
    the names of the server for websockets alone, and takes every name if none is given.
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

        kind = scope["type"]
        if kind == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        names = ("localhost", st.get_option("server.address") or "", *st.get_option("server.allowedHosts"))
        is_ours = is_served(headers.get("host", ""), names)
        if kind == "http":
            await (self.app if is_ours else _NOT_SERVED)(scope, receive, answer)
        elif is_ours and not is_foreign(headers):
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})
