"""The web application: routes, their handlers, and the pages around a report.

A request passes the ``Guard``, then a handler below, which looks up a table or report of the state and
renders a template. Long work runs in processes of ``jobs``; pages poll their state. Scripts send files and
poll, everything else is links and forms. Every refusal is a ``Refused`` with a status and a message for the
user.

Order of reading: :func:`make_app`, the functions that find the state and its items, the handlers in the order
of their routes, then the functions of the templates. Depends on ``guard``, ``state``, ``jobs`` and
``uploads``, on :mod:`codelength.render` (templates) and on the optional library starlette.
"""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from .. import reporting
from .._display import counted
from ..render.templates import rendered, templates
from .guard import Guard, report_policy
from .inspection import FORMATS
from .jobs import Job
from .limits import MIB, Refused, sized
from .state import AppState, Report, Upload
from .uploads import given_name, receive
from .worker import MODEL, REPORT

__all__ = ["make_app"]

_MAX_FORM = MIB
# Bytes and seconds for which the rest of a rejected upload is still read.
_MAX_DRAINED, _DRAIN_SECONDS = 16 * MIB, 2.0
# A report names its own security policy within its first bytes.
_HEAD = 4096
_WRONG, _FORBIDDEN, _NOT_FOUND, _TOO_SLOW, _TOO_LARGE, _FULL = 400, 403, 404, 408, 413, 507

_MAX_LISTED = 300
"""Most columns that are listed for leaving out; a longer list cannot be searched by eye."""

_USUAL_TARGETS = ("class", "target", "y", "label", "outcome")

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

    Returns
    -------
    application
        The first page, and the routes below ``/static``, ``/tables`` and ``/reports``. A table or report is
        found by its random key; the cookie is checked first, so that a key alone admits to nothing.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(state.close)

    report = "/reports/{key}"
    routes = [
        Route("/", _home),
        Route("/end", _end, methods=["POST"]),
        Route("/static/{name}", _static),
        Route("/tables", _upload, methods=["POST"]),
        Route("/tables/{key}", _table),
        Route("/tables/{key}/state", _progress),
        Route("/tables/{key}/reports", _start, methods=["POST"]),
        Route("/tables/{key}/remove", _remove, methods=["POST"]),
        Route(report, _report),
        Route(f"{report}/state", _progress),
        Route(f"{report}/cancel", _cancel, methods=["POST"]),
        Route(f"{report}/remove", _remove, methods=["POST"]),
        Route(f"{report}/page", partial(_file, file=REPORT)),
        Route(f"{report}/download/report", partial(_file, file=REPORT, is_download=True)),
        Route(f"{report}/download/model", partial(_file, file=MODEL, is_download=True)),
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
    return Guard(app, partial(_answer, is_inside=False))


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


def _item(request: Request) -> Any:
    """Return the table or report of an address."""
    state = _own(request)
    among: dict[str, Any] = state.tables if request.url.path.startswith("/tables/") else state.reports
    item = among.get(request.path_params["key"])
    if item is None:
        raise _not_there()
    return item


def _not_there() -> Refused:
    return Refused(_NOT_FOUND, "there is no such page; it may have been removed")


def _page(name: str, **values: Any) -> HTMLResponse:
    return HTMLResponse(rendered(f"serve/{name}", **values))


async def _home(request: Request) -> Response:
    """Show the first page, or exchange the token of the address for the cookie."""
    token = request.query_params.get("token")
    # Link checkers send HEAD requests; one of them must not use up the token of the user.
    if token is not None and request.method != "HEAD":
        return _enter(request, token)
    if not _is_inside(request) and _comes_from_elsewhere(request):
        return _page("moved", address="/")
    state = _own(request)
    limit = state.limits.upload_bytes
    # The newest table first: it is the one that the user wants to continue with.
    tables = [(table, state.reports_on(table)) for table in reversed(state.tables.values())]
    return _page("home", endings=",".join(FORMATS), limit=limit, size=sized(limit), tables=tables)


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
    # A browser sends no cookie if it follows a link or redirect of another site, but does for links of our
    # own pages.
    is_led = _comes_from_elsewhere(request)
    response = _page("moved", address=location) if is_led else RedirectResponse(location, status_code=303)
    # Scripts cannot read the cookie, and requests from other sites do not carry it.
    response.set_cookie(state.cookie, state.secret, httponly=True, samesite="strict")
    return response


async def _end(request: Request) -> Response:
    state = _own(request)
    await run_in_threadpool(state.clear)
    response = _page("goodbye", is_inside=False)
    response.delete_cookie(state.cookie, httponly=True, samesite="strict")
    return response


async def _static(request: Request) -> Response:
    found = _STATIC.get(request.path_params["name"])
    if found is None:
        raise _not_there()
    path, kind = found
    return Response(path.read_bytes(), media_type=kind)


async def _upload(request: Request) -> Response:
    """Receive a file into a directory of its own, and answer with the address of its table."""
    state = _own(request)
    directory, name = state.made(), given_name(request)
    try:
        table = state.add_table(name, await receive(request, name, directory, state.limits), directory)
    except BaseException as error:
        shutil.rmtree(directory, ignore_errors=True)
        if isinstance(error, (Refused, OSError)):
            await _drain(request)
        if isinstance(error, OSError):
            raise Refused(_FULL, f"the file could not be kept here ({error.strerror}); try again") from error
        raise
    return JSONResponse({"location": f"/tables/{table.key}"}, status_code=201)


async def _drain(request: Request) -> None:
    """Read a little of the remaining upload: a browser whose connection is cut shows no message."""
    n_bytes = 0
    with suppress(ClientDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for piece in request.stream():
                n_bytes += len(piece)
                if n_bytes > _MAX_DRAINED:
                    return


async def _table(request: Request) -> Response:
    """Show the progress of the look at a table, its refusal, or the choice of a target."""
    table: Upload = _item(request)
    folded = [name.strip().lower() for name in table.columns]
    usual = next((folded.index(name) for name in _USUAL_TARGETS if name in folded), len(folded) - 1)
    reports = _state(request).reports_on(table)
    return _page("table", table=table, usual=usual, most_listed=_MAX_LISTED, reports=reports)


async def _progress(request: Request) -> Response:
    """Answer a script that asks how far a table or report is."""
    job: Job = _item(request).job
    words = _words(job, _state(request).jobs.ahead_of(job))
    return JSONResponse({**job.shown(), "words": words, "share": _share(job)})


async def _start(request: Request) -> Response:
    """Start a report with the choices of a form."""
    table, form = _item(request), await _form(request)
    # Forms name columns by position, never by text, so that no name has to survive a round trip.
    names = table.columns
    target = _column(names, form.get("target", [""])[0]) if form.get("what") != ["classes"] else None
    # The target may be ticked among the columns to leave out; choosing it as the target counts.
    drop = [name for given in form.get("drop", []) if (name := _column(names, given)) != target]
    report = _own(request).add_report(table, target, drop, rows=form.get("rows") == ["yes"])
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _remove(request: Request) -> Response:
    """Remove a table or a report."""
    item: Upload | Report = _item(request)
    await run_in_threadpool(_state(request).remove, item)
    location = "/" if isinstance(item, Upload) else f"/tables/{item.table.key}"
    return RedirectResponse(location, status_code=303)


async def _report(request: Request) -> Response:
    """Show the progress of a report, its failure, or the report."""
    report: Report = _item(request)
    n_ahead = _state(request).jobs.ahead_of(report.job)
    return _page("report", report=report, job=report.job, n_ahead=n_ahead)


async def _cancel(request: Request) -> Response:
    report: Report = _item(request)
    await run_in_threadpool(_state(request).jobs.cancel, report.job)
    return RedirectResponse(f"/reports/{report.key}", status_code=303)


async def _file(request: Request, file: str, *, is_download: bool = False) -> Response:
    """Return a finished file of a report, to be shown, or to be saved under a name of safe characters."""
    report: Report = _item(request)
    if file not in report.job.ready:
        raise _not_there()
    # The name of the user's file goes into a header, in which only these characters are safe.
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", report.table.name.split(".", 1)[0]).strip("-") or "table"
    kind, path, headers = "application/json", report.directory / file, {}
    if file == REPORT:
        with path.open("rb") as opened:
            # Reports contain texts of tables and run scripts: served with a policy of their own in a sandbox,
            # they cannot reach this server.
            headers["content-security-policy"] = report_policy(opened.read(_HEAD).decode("utf-8", "replace"))
        kind = "text/html"
    name = f"{stem}-{file}" if is_download else None
    return FileResponse(path, media_type=kind, filename=name, headers=headers)


def _column(names: Sequence[str], given: str) -> str:
    """Return the name of a column that a form names by its position.

    Examples
    --------
    >>> _column(["size", "colour"], "1")
    'colour'
    """
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
                if len(body) > _MAX_FORM:
                    raise Refused(_TOO_LARGE, "the form is too long; choose fewer columns")
        return parse_qs(body.decode("ascii"), keep_blank_values=True)
    except TimeoutError:
        raise Refused(_TOO_SLOW, "the form did not arrive in time; try again") from None
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
        page = _page("refusal", message=str(error), is_inside=is_inside)
        page.status_code = error.status
        return page
    return JSONResponse({"message": str(error)}, error.status)


def _words(job: Job, n_ahead: int) -> str:
    """Describe the state of a job in words, with the number of jobs that start before it."""
    if job.state == "waiting":
        return "Waiting for others to finish" + (f": {n_ahead} before this one" if n_ahead else "")
    return _sentence(job.stage or "starting").removesuffix(".") + " ..."


def _share(job: Job) -> str | None:
    """Return the share of the work that is done, from 0 to 1; None if unknown."""
    return f"{min(1.0, max(0.0, job.done / job.total)):.3f}" if job.total else None


def _sentence(message: str) -> str:
    text = f"{message[:1].upper()}{message[1:]}"
    return text if text.endswith((".", "?", "!")) or not text else f"{text}."


templates.filters |= {"sentence": _sentence, "counted_rows": counted, "words": _words, "share_done": _share}
