"""The web application: routes and their handlers.

A request passes the ``Guard``, then a handler below, which looks up a table or report of the state and
renders a page of ``pages``. Long work runs in processes of ``jobs``; pages poll their state. Every refusal is
a ``Refused`` with a status and a message for the user.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from .. import reporting
from . import pages
from .guard import Guard, report_policy
from .job import MODEL, REPORT
from .jobs import Job
from .limits import MIB, Refused
from .state import AppState, Report, Upload
from .uploads import given_name, receive

__all__ = ["make_app"]

Item = TypeVar("Item", Upload, Report)

_LONGEST_FORM = MIB
# Bytes and seconds for which the rest of a rejected upload is still read.
_DRAINED, _DRAIN_SECONDS = 16 * MIB, 2.0
# A report names its own security policy within its first bytes.
_HEAD = 4096
_WRONG, _FORBIDDEN, _NOT_FOUND, _TOO_SLOW, _TOO_LARGE, _FULL = 400, 403, 404, 408, 413, 507

_STATIC = {
    "page.css": (Path(reporting.__file__).parent / "page.css", "text/css"),
    "serve.css": (Path(__file__).parent / "serve.css", "text/css"),
    "serve.js": (Path(__file__).parent / "serve.js", "text/javascript"),
}


def make_app(state: AppState) -> ASGIApp:
    """Return the application behind its guard.

    Parameters
    ----------
    state : AppState
        State of the server, which is closed when the application shuts down.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(state.close)

    routes = [
        Route("/", _home),
        Route("/end", _end, methods=["POST"]),
        Route("/static/{name}", _static),
        Route("/tables", _upload, methods=["POST"]),
        Route("/tables/{key}", _table),
        Route("/tables/{key}/state", _table_state),
        Route("/tables/{key}/reports", _start, methods=["POST"]),
        Route("/tables/{key}/remove", _remove_table, methods=["POST"]),
        Route("/reports/{key}", _report),
        Route("/reports/{key}/state", _report_state),
        Route("/reports/{key}/cancel", _cancel, methods=["POST"]),
        Route("/reports/{key}/remove", _remove_report, methods=["POST"]),
        Route("/reports/{key}/page", _report_file),
        Route("/reports/{key}/download/report", _download_report),
        Route("/reports/{key}/download/model", _download_model),
    ]
    handlers: dict[type[Exception] | int, Callable[[Request, Exception], Awaitable[Response]]] = {
        Refused: _refused,
        HTTPException: _no_such_page,
        Exception: _failed,
    }
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    # A redirect would build an address from the Host header; unknown addresses are simply not found.
    app.router.redirect_slashes = False
    app.state.own = state
    return Guard(app, lambda request, error: _answer(request, error, is_inside=False))


def _state(request: Request) -> AppState:
    """Return the state of the server, for requests of any kind."""
    state: AppState = request.app.state.own
    return state


def _is_inside(request: Request) -> bool:
    """Return whether the request has the cookie of this server."""
    state = _state(request)
    return state.admits(request.cookies.get(state.cookie))


def _own(request: Request) -> AppState:
    """Return the state of the server; refuse the request if it has no cookie."""
    if not _is_inside(request):
        raise Refused(_FORBIDDEN, "there is no session; open the address that the terminal shows")
    return _state(request)


def _found(request: Request, among: Mapping[str, Item]) -> Item:
    """Return the table or report of an address."""
    item = among.get(request.path_params["key"])
    if item is None:
        raise _not_there()
    return item


def _table_of(request: Request) -> Upload:
    return _found(request, _own(request).tables)


def _report_of(request: Request) -> Report:
    return _found(request, _own(request).reports)


def _not_there() -> Refused:
    return Refused(_NOT_FOUND, "there is no such page; it may have been removed")


async def _home(request: Request) -> Response:
    """Show the first page, or exchange the token of the address for the cookie."""
    token = request.query_params.get("token")
    # Link checkers send HEAD requests; one of them must not use up the token of the user.
    if token is not None and request.method != "HEAD":
        return _enter(request, token)
    if not _is_inside(request) and _comes_from_elsewhere(request):
        return HTMLResponse(pages.moved("/"))
    return HTMLResponse(pages.home(_own(request)))


def _comes_from_elsewhere(request: Request) -> bool:
    """Return whether another site led here; the browser then sends no cookie, even if redirected."""
    return request.headers.get("sec-fetch-site") == "cross-site"


def _enter(request: Request, token: str) -> Response:
    """Exchange the token of an address for the cookie; a request that has it is let in again."""
    state = _state(request)
    if _is_inside(request):
        return RedirectResponse("/", status_code=303)
    if not state.spend(token):
        if state.was_spent(token):
            # The address is known to this person, but used up. A new one is shown in the terminal only, so
            # that it reaches the owner of the terminal and nobody else.
            if state.token is None:
                state.announce(state.issue())
            raise Refused(_FORBIDDEN, "this address was used already; the terminal shows a new one")
        raise Refused(_FORBIDDEN, "this address is not valid; open the one that the terminal shows")
    if state.door is not None:
        state.door.unlink(missing_ok=True)
    location = "/"
    if state.offered is not None:
        (name, path), state.offered = state.offered, None
        location = f"/tables/{state.add_table(name, path, None).key}"
    response = (
        HTMLResponse(pages.moved(location))
        if _comes_from_elsewhere(request)
        else RedirectResponse(location, status_code=303)
    )
    # Scripts cannot read the cookie, and requests from other sites do not carry it.
    response.set_cookie(state.cookie, state.secret, httponly=True, samesite="strict")
    return response


async def _end(request: Request) -> Response:
    state = _own(request)
    await run_in_threadpool(state.clear)
    response = HTMLResponse(pages.goodbye())
    response.delete_cookie(state.cookie, httponly=True, samesite="strict")
    return response


async def _static(request: Request) -> Response:
    found = _STATIC.get(request.path_params["name"])
    if found is None:
        raise _not_there()
    path, kind = found
    return Response(path.read_bytes(), media_type=kind)


async def _upload(request: Request) -> Response:
    """Receive a file, and answer with the address of its table."""
    state = _own(request)
    try:
        table = await _received(request, state)
    except Refused:
        await _drain(request)
        raise
    return JSONResponse({"location": f"/tables/{table.key}"}, status_code=201)


async def _received(request: Request, state: AppState) -> Upload:
    """Receive a file into a directory of its own; remove everything if that fails."""
    directory, name = state.made(), given_name(request)
    try:
        return state.add_table(name, await receive(request, name, directory, state.limits), directory)
    except BaseException as error:
        shutil.rmtree(directory, ignore_errors=True)
        if isinstance(error, OSError):
            raise Refused(_FULL, f"the file could not be kept here ({error.strerror}); try again") from error
        raise


async def _drain(request: Request) -> None:
    """Read a little of the remaining upload: a browser whose connection is cut shows no message."""
    n_bytes = 0
    with suppress(ClientDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for piece in request.stream():
                n_bytes += len(piece)
                if n_bytes > _DRAINED:
                    return


async def _table(request: Request) -> Response:
    return HTMLResponse(pages.table_page(_table_of(request), _own(request)))


async def _table_state(request: Request) -> Response:
    return _progress(_table_of(request).job, 0)


def _progress(job: Job, n_ahead: int) -> Response:
    words, share = pages.words_of(job, n_ahead), pages.share_of(job)
    return JSONResponse({**job.shown(), "words": words, "share": share})


async def _start(request: Request) -> Response:
    """Start a report with the choices of a form."""
    table, form = _table_of(request), await _form(request)
    # Forms name columns by position, never by text, so that no name has to survive a round trip.
    names = table.columns
    target = _column(names, form.get("target", [""])[0]) if form.get("what") != ["classes"] else None
    # The target may be ticked among the columns to leave out; choosing it as the target counts.
    drop = [name for given in form.get("drop", []) if (name := _column(names, given)) != target]
    report = _own(request).add_report(table, target, drop, rows=form.get("rows") == ["yes"])
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _remove_table(request: Request) -> Response:
    await run_in_threadpool(_own(request).remove_table, _table_of(request))
    return RedirectResponse("/", status_code=303)


async def _report(request: Request) -> Response:
    report = _report_of(request)
    return HTMLResponse(pages.report_page(report, _own(request).jobs.ahead_of(report.job)))


async def _report_state(request: Request) -> Response:
    job = _report_of(request).job
    return _progress(job, _own(request).jobs.ahead_of(job))


async def _cancel(request: Request) -> Response:
    report = _report_of(request)
    await run_in_threadpool(_own(request).jobs.cancel, report.job)
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _remove_report(request: Request) -> Response:
    report = _report_of(request)
    await run_in_threadpool(_own(request).remove_report, report)
    return RedirectResponse(f"/tables/{report.table.key}", status_code=303)


async def _report_file(request: Request) -> Response:
    return _file(_report_of(request), REPORT, None)


async def _download_report(request: Request) -> Response:
    return _file(_report_of(request), REPORT, "report.html")


async def _download_model(request: Request) -> Response:
    return _file(_report_of(request), MODEL, "model.json")


def _file(report: Report, file: str, ending: str | None) -> Response:
    """Return a finished file of a report, to be shown, or to be saved under a name of safe characters."""
    if file not in report.job.ready:
        raise _not_there()
    kind = "text/html" if file == REPORT else "application/json"
    # The name of the user's file goes into a header, in which only these characters are safe.
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", report.table.name.split(".", 1)[0]).strip("-") or "table"
    name = None if ending is None else f"{stem}-{ending}"
    path, headers = report.directory / file, {}
    if file == REPORT:
        with path.open("rb") as opened:
            # Reports contain texts of tables and run scripts: served with a policy of their own in a sandbox,
            # they cannot reach this server.
            headers["content-security-policy"] = report_policy(opened.read(_HEAD).decode("utf-8", "replace"))
    return FileResponse(path, media_type=kind, filename=name, headers=headers)


def _column(names: Sequence[str], given: str) -> str:
    """Return the name of a column that a form names by its position."""
    if not re.fullmatch(r"[0-9]{1,9}", given, re.ASCII) or int(given) >= len(names):
        raise Refused(_WRONG, "there is no such column; choose one of the list")
    return names[int(given)]


async def _form(request: Request) -> dict[str, list[str]]:
    """Read the fields of a form within limits of size and time."""
    limits, body = _state(request).limits, b""
    try:
        async with asyncio.timeout(limits.stall_seconds):
            async for piece in request.stream():
                # Read here instead of with the form parser of Starlette, which needs another library and has
                # no timeout.
                body += piece
                if len(body) > _LONGEST_FORM:
                    raise Refused(_TOO_LARGE, "the form is too long; choose fewer columns")
    except TimeoutError:
        raise Refused(_TOO_SLOW, "the form did not arrive in time; try again") from None
    try:
        return parse_qs(body.decode("ascii"), keep_blank_values=True)
    except ValueError:
        raise Refused(_WRONG, "the form cannot be read; go back and try again") from None


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _answer(request, error, is_inside=_is_inside(request))


async def _no_such_page(request: Request, error: Exception) -> Response:
    """Answer errors of the router, such as unknown addresses and methods."""
    assert isinstance(error, HTTPException)
    message = "there is no such page" if error.status_code == _NOT_FOUND else error.detail
    response = _answer(request, Refused(error.status_code, message), is_inside=_is_inside(request))
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    """Answer unexpected errors without their details, which are for the terminal only."""
    message = "codelength failed, which it should not; see the terminal"
    return _answer(request, Refused(500, message), is_inside=False)


def _answer(request: Request, error: Refused, *, is_inside: bool) -> Response:
    """Return a refusal as a page for browsers, or as JSON for scripts."""
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(pages.refusal(str(error), is_inside=is_inside), error.status)
    return JSONResponse({"message": str(error)}, error.status)
