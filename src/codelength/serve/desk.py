"""State of a server, and what a request finds there.

Order of reading: :class:`Desk` (limits, sessions and queues of work of one server), then the functions that
look up the session, table or report of a request.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from starlette.requests import Request

from .limits import Limits, Refused
from .session import Report, Session, Upload
from .sessions import Sessions, Tokens
from .works import COMMAND, Works

_FORBIDDEN, _NOT_FOUND = 403, 404


class Desk:
    """State of a server: its limits, its users and their work.

    Parameters
    ----------
    directory : Path
        An empty directory for all files.
    limits : Limits
        Limits of users and processes.
    offered : tuple of str and Path, optional
        Name and path of a table that the first user finds opened.
    announce : function
        Called with a new token, to be shown in the terminal.
    command : sequence of str
        Command that starts a process for one task.
    """

    def __init__(
        self,
        directory: Path,
        limits: Limits,
        offered: tuple[str, Path] | None = None,
        announce: Callable[[str], None] = lambda token: None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.limits, self.offered, self.announce = limits, offered, announce
        # Looks at files have a queue of their own: they take seconds, and should not wait behind reports.
        look = replace(limits.read, memory_bytes=limits.look_memory_bytes)
        self.looks = Works(limits.looking, limits.waiting, look, command)
        self.works = Works(limits.working, limits.waiting, limits.read, command)
        self.sessions = Sessions(directory, limits, self.looks, self.works)
        self.tokens = Tokens()
        self.door: Path | None = None
        """A page that leads to the first address; removed once that address was used."""
        # Browsers keep cookies by host and not by port: another server has another name for its own.
        self.cookie = f"codelength-{secrets.token_hex(4)}"

    def close(self) -> None:
        """End all work and remove all files."""
        self.looks.close()
        self.works.close()
        self.sessions.close()


def desk_of(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def session_or_none(request: Request) -> Session | None:
    """Return the session of the cookie, None if there is none."""
    desk = desk_of(request)
    secret = request.cookies.get(desk.cookie)
    return None if secret is None else desk.sessions.find(secret)


def session_of(request: Request) -> Session:
    """Return the session of the cookie; refuse the request if there is none."""
    session = session_or_none(request)
    if session is None:
        raise Refused(_FORBIDDEN, "there is no session; open the address that the terminal shows")
    return session


def table_of(request: Request, session: Session) -> Upload:
    table = session.tables.get(request.path_params["key"])
    if table is None:
        raise not_there()
    return table


def report_of(request: Request) -> Report:
    report = session_of(request).reports.get(request.path_params["key"])
    if report is None:
        raise not_there()
    return report


def not_there() -> Refused:
    return Refused(_NOT_FOUND, "there is no such page; it may have been removed")
