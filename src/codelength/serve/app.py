"""The web application: routes and their handlers.

A request passes the ``Guard``, then a handler below. Handlers look up the session of the cookie, then a table
or report of that session, and render a page of ``pages``. Long work runs in processes of ``works``; pages
poll their state. Every refusal is a ``Refused`` with a status and a message for the user.

Order of reading: :func:`make_app` (the table of addresses), then the handlers in the order of that table.

Depends on starlette and on the other modules of this folder: ``desk`` holds the state and looks up the
session, table or report of a request, ``guard`` refuses foreign requests, ``uploads`` receives files,
``works`` runs tasks in processes, ``pages`` makes the HTML.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
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
from .desk import Desk, desk_of, not_there, report_of, session_of, session_or_none, table_of
from .guard import Guard, report_policy
from .job import MODEL, REPORT
from .limits import MIB, Refused
from .session import Report, Session, Upload
from .uploads import given_name, receive

__all__ = ["Desk", "make_app"]

_LONGEST_FORM = MIB
# Bytes and seconds for which the rest of a rejected upload is still read.
_DRAINED, _DRAIN_SECONDS = 16 * MIB, 2.0
# A report names its own security policy within its first bytes.
_HEAD = 4096
_SWEEP_SECONDS = 60.0
_WRONG, _FORBIDDEN, _NOT_FOUND, _TOO_SLOW, _TOO_LARGE, _BUSY, _FULL = 400, 403, 404, 408, 413, 503, 507

_STATIC = {
    "page.css": (Path(reporting.__file__).parent / "page.css", "text/css"),
    "serve.css": (Path(__file__).parent / "serve.css", "text/css"),
    "serve.js": (Path(__file__).parent / "serve.js", "text/javascript"),
}


def make_app(desk: Desk) -> ASGIApp:
    """Return the application behind its guard.

    Parameters
    ----------
    desk : Desk
        State of the server.

    Returns
    -------
    ASGI application
        Closes the desk when it shuts down.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(_sweep(desk))
        try:
            yield
        finally:
            sweeping.cancel()
            await run_in_threadpool(desk.close)

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
    app.state.desk = desk
    return Guard(app, lambda request, error: _answer(request, error, has_session=False))


async def _sweep(desk: Desk) -> None:
    """End idle sessions once a minute, for as long as the server runs."""
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        await run_in_threadpool(desk.sessions.sweep)


async def _home(request: Request) -> Response:
    """Show the page of the session, or exchange the token of the address for a session."""
    desk = desk_of(request)
    token = request.query_params.get("token")
    # Link checkers send HEAD requests; one of them must not use up the token of the user.
    if token is not None and request.method != "HEAD":
        return _enter(request, desk, token)
    if session_or_none(request) is None and _comes_from_elsewhere(request):
        return HTMLResponse(pages.moved("/"))
    return HTMLResponse(pages.home(session_of(request), desk.limits))


def _comes_from_elsewhere(request: Request) -> bool:
    """Return whether another site led here; the browser then sends no cookie, even if redirected."""
    return request.headers.get("sec-fetch-site") == "cross-site"


def _enter(request: Request, desk: Desk, token: str) -> Response:
    """Exchange the token of an address for a cookie; a request that has a cookie is let in again."""
    if session_or_none(request) is not None:
        return RedirectResponse("/", status_code=303)
    if not desk.tokens.spend(token):
        if desk.tokens.was_spent(token):
            # The address is known to this person, but used up. A new one is shown in the terminal only, so
            # that it reaches the owner of the terminal and nobody else.
            if not desk.tokens.are_open:
                desk.announce(desk.tokens.issue())
            raise Refused(_FORBIDDEN, "this address was used already; the terminal shows a new one")
        raise Refused(_FORBIDDEN, "this address is not valid; open the one that the terminal shows")
    if desk.door is not None:
        desk.door.unlink(missing_ok=True)
    secret, session = desk.sessions.open()
    location = "/"
    if desk.offered is not None:
        # Only the first user gets it: others may be other people on this machine.
        (name, path), desk.offered = desk.offered, None
        location = f"/tables/{session.add_table(name, path, None, 0).key}"
    response = (
        HTMLResponse(pages.moved(location))
        if _comes_from_elsewhere(request)
        else RedirectResponse(location, status_code=303)
    )
    # Scripts cannot read the cookie, and requests from other sites do not carry it.
    response.set_cookie(desk.cookie, secret, httponly=True, samesite="strict")
    return response


async def _end(request: Request) -> Response:
    desk, session = desk_of(request), session_of(request)
    await run_in_threadpool(desk.sessions.end, session)
    response = HTMLResponse(pages.goodbye())
    response.delete_cookie(desk.cookie, httponly=True, samesite="strict")
    return response


async def _static(request: Request) -> Response:
    found = _STATIC.get(request.path_params["name"])
    if found is None:
        raise not_there()
    path, kind = found
    return Response(path.read_bytes(), media_type=kind)


async def _upload(request: Request) -> Response:
    """Receive a file, and answer with the address of its table."""
    desk, session = desk_of(request), session_of(request)
    try:
        with desk.sessions.receiving(session):
            table = await _received(request, desk, session)
    except Refused:
        await _drain(request)
        raise
    return JSONResponse({"location": f"/tables/{table.key}"}, status_code=201)


async def _received(request: Request, desk: Desk, session: Session) -> Upload:
    """Receive a file into a directory of the session; remove everything if that fails."""
    directory, name = session.room_for_table(), given_name(request)
    n_bytes = 0
    try:
        path, n_bytes = await receive(request, name, directory, desk.limits, desk.sessions.storage)
        return session.add_table(name, path, directory, n_bytes)
    except BaseException as error:
        shutil.rmtree(directory, ignore_errors=True)
        # If receive() has failed, it has released its space itself, and n_bytes is still 0.
        desk.sessions.storage.give_back(n_bytes)
        if isinstance(error, OSError):
            # A full disk, or a session that ended meanwhile.
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
    session = session_of(request)
    return HTMLResponse(pages.table_page(table_of(request, session), session))


async def _table_state(request: Request) -> Response:
    work = table_of(request, session_of(request)).work
    return JSONResponse({**work.shown(), "words": pages.words_of(work, 0), "share": pages.share_of(work)})


async def _start(request: Request) -> Response:
    """Start a report with the choices of a form."""
    session = session_of(request)
    table, form = table_of(request, session), await _form(request)
    # Forms name columns by position, never by text, so that no name has to survive a round trip.
    names = table.columns
    target = _column(names, form.get("target", [""])[0]) if form.get("what") != ["classes"] else None
    # The target may be ticked among the columns to leave out; choosing it as the target counts.
    drop = [name for given in form.get("drop", []) if (name := _column(names, given)) != target]
    report = session.add_report(table, target, drop, rows=form.get("rows") == ["yes"])
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _remove_table(request: Request) -> Response:
    session = session_of(request)
    await run_in_threadpool(session.remove_table, table_of(request, session))
    return RedirectResponse("/", status_code=303)


async def _report(request: Request) -> Response:
    report = report_of(request)
    return HTMLResponse(pages.report_page(report, desk_of(request).works.ahead_of(report.work)))


async def _report_state(request: Request) -> Response:
    work = report_of(request).work
    words = pages.words_of(work, desk_of(request).works.ahead_of(work))
    return JSONResponse({**work.shown(), "words": words, "share": pages.share_of(work)})


async def _cancel(request: Request) -> Response:
    report = report_of(request)
    await run_in_threadpool(desk_of(request).works.cancel, report.work)
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _remove_report(request: Request) -> Response:
    report = report_of(request)
    await run_in_threadpool(session_of(request).remove_report, report)
    return RedirectResponse(f"/tables/{report.table.key}", status_code=303)


async def _report_file(request: Request) -> Response:
    return _file(report_of(request), REPORT, None)


async def _download_report(request: Request) -> Response:
    return _file(report_of(request), REPORT, "report.html")


async def _download_model(request: Request) -> Response:
    return _file(report_of(request), MODEL, "model.json")


def _file(report: Report, file: str, ending: str | None) -> Response:
    """Return a finished file of a report, to be shown, or to be saved under a name of safe characters."""
    if file not in report.work.ready:
        raise not_there()
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
    limits, body = desk_of(request).limits, b""
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
    return _answer(request, error, has_session=session_or_none(request) is not None)


async def _no_such_page(request: Request, error: Exception) -> Response:
    """Answer errors of the router, such as unknown addresses and methods."""
    assert isinstance(error, HTTPException)
    message = "there is no such page" if error.status_code == _NOT_FOUND else error.detail
    has_session = session_or_none(request) is not None
    response = _answer(request, Refused(error.status_code, message), has_session=has_session)
    response.headers.update(error.headers or {})
    return response


async def _failed(request: Request, error: Exception) -> Response:
    """Answer unexpected errors without their details, which are for the terminal only."""
    return _answer(
        request, Refused(500, "codelength failed, which it should not; see the terminal"), has_session=False
    )


def _answer(request: Request, error: Refused, *, has_session: bool) -> Response:
    """Return a refusal as a page for browsers, or as JSON for scripts."""
    # Lets scripts and browsers know that trying again makes sense.
    headers = {"retry-after": "5"} if error.status == _BUSY else {}
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(pages.refusal(str(error), has_session=has_session), error.status, headers)
    return JSONResponse({"message": str(error)}, error.status, headers)
