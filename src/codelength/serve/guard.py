"""Middleware that rejects requests from other pages and sets security headers on every response.

A page of another site can make a browser send requests to this machine. Three headers that such a page cannot
forge identify them: the host (a foreign page shares our origin only under another name for this machine), the
origin of a request that changes something, and the ``sec-fetch`` headers of browsers.

The cookie of a session would not be enough: browsers send it with requests that other servers on this machine
cause. Order of reading: :func:`check_request` (what is rejected), :class:`Guard` (headers of responses),
:func:`report_policy` (reports, which run scripts of their own).
"""

import html
import re
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import Refused

__all__ = ["HOSTS", "POLICY", "Guard", "check_request", "report_policy"]

HOSTS = ("127.0.0.1", "localhost")
"""Accepted host names of this machine, with any port, because ports can be forwarded."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Policy of our own pages: they load files of this server and nothing else."""

_REPORT_ALONE = "sandbox allow-scripts allow-downloads allow-modals"
_OWN_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"<>]+)">')
_POLICY_WORDS = re.compile(r"[A-Za-z0-9'+/=:; -]+")

_HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_ASKS_ONLY = ("GET", "HEAD")
_FORBIDDEN, _MISDIRECTED = 403, 421


class Guard:
    """Middleware in front of an application.

    Parameters
    ----------
    app : application
        Handles the requests that are accepted.
    answer : function
        Makes a response from a request and its refusal.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[Request, Refused], Response]) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add headers to the response."""
        # The other kind is the start and end of the application; web sockets are switched off in the server.
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("content-security-policy", POLICY)
                # Reports are shown in a frame of our own pages, which this header would forbid.
                if "sandbox" not in headers["content-security-policy"]:
                    headers["x-frame-options"] = "DENY"
                message["headers"] = headers.raw
            await send(message)

        request = Request(scope)
        try:
            check_request(request.method, request.headers)
        except Refused as error:
            await self._answer(request, error)(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def check_request(method: str, headers: Headers) -> None:
    """Reject requests that a page of another site made a browser send.

    Parameters
    ----------
    method : str
        HTTP method.
    headers : Headers
        Headers of the request.

    Raises
    ------
    Refused
        If the host is not this machine, or the request comes from another page.

    Examples
    --------
    >>> own = {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000"}
    >>> check_request("POST", Headers(own))
    >>> check_request("POST", Headers({**own, "origin": "http://example.org"}))
    Traceback (most recent call last):
    codelength.serve.limits.Refused: the request does not come from this page; open it and try again
    """
    # Exactly one: proxies and servers disagree on which of two headers counts.
    hosts = headers.getlist("host")
    host = hosts[0] if len(hosts) == 1 else ""
    if _name_of(host) not in HOSTS:
        raise Refused(_MISDIRECTED, "this page answers only to the address that codelength serve printed")
    site = headers.get("sec-fetch-site")
    if method in _ASKS_ONLY:
        # Links from other pages are allowed; their scripts, pictures and frames are not.
        if site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            raise Refused(_FORBIDDEN, "another page asked for this; open it from its own page")
        return
    origin = headers.get("origin")
    # Forms of pages that send no referrer, as ours do, have the origin null; sec-fetch-site identifies them.
    own_form = origin in (None, "null") and site == "same-origin"
    if not own_form and origin != f"http://{host}":
        raise Refused(_FORBIDDEN, "the request does not come from this page; open it and try again")


def report_policy(head: str) -> str:
    """Return the policy of a report: its own, in a sandbox without origin, so that it cannot send anything.

    Parameters
    ----------
    head : str
        Beginning of the file. A file without a policy of its own may load and run nothing.

    Examples
    --------
    >>> report_policy("<html>")
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; frame-ancestors 'self'"
    """
    found = _OWN_POLICY.search(head)
    own = html.unescape(found[1]) if found else ""
    # The file is made from the user's table: nothing but words of a policy may get into a header.
    own = own if _POLICY_WORDS.fullmatch(own) else "default-src 'none'"
    return f"{_REPORT_ALONE}; {own}; frame-ancestors 'self'"


def _name_of(host: str) -> str:
    """Return the host name of a header that may include a port; empty if it is malformed."""
    name, colon, port = host.lower().partition(":")
    return name if not colon or (port.isascii() and port.isdigit()) else ""
