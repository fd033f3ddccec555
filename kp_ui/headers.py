"""Serve the start page of the app with security headers, and refuse other sites and unknown host names."""

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

#: Streamlit's start page; without a base URL, it would first look for the server below the address of the page.
_START = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
_BASE = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location).href }</script>'
_PAGE = _START.replace("<head>", f"<head>{_BASE}", 1)
_DIGESTS = (hashlib.sha256(script.encode()).digest() for script in re.findall(r"<script>(.*?)</script>", _PAGE, re.S))
_SCRIPTS = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in _DIGESTS)
#: What a page of the app may load: scripts, styles, fonts and images from this server, and generated images.
POLICY = (
    f"default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {_SCRIPTS}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}


def is_served(host: str, names: Iterable[str]) -> bool:
    """Return whether a host is one of the server's names, such as `*.example.org`, or an IP address.

    Another site can point its own host name at this machine (DNS rebinding), but not an IP address.
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
    """Return the start page of the app; a browser on this machine gets a cookie that identifies its other tabs."""
    page = HTMLResponse(_PAGE, headers={"cache-control": "no-cache"})
    if kept.BROWSER not in request.cookies and kept.is_loopback(request.headers.get("host", "")):
        page.set_cookie(kept.BROWSER, secrets.token_urlsafe(32), httponly=True, samesite="strict")
    return page


class SecurityHeaders:
    """Refuse websockets opened by other sites, and add the security headers to every response.

    Streamlit also refuses most of these websockets, but only after asking an external host for this machine's public
    address. It checks host names only for websockets, and accepts every name if none is configured.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request and add missing headers to the response, or refuse the request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        scope_type = scope["type"]
        if scope_type == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        names = ("localhost", st.get_option("server.address") or "", *st.get_option("server.allowedHosts"))
        host = headers.get("host", "")
        is_own_host = is_served(host, names)
        if scope_type == "http":
            await (self.app if is_own_host else _NOT_SERVED)(scope, receive, send_with_headers)
        elif is_own_host and headers.get("origin", f"://{host}").partition("://")[2] == host:  # programs send no origin
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})
