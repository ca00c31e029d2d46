"""Who may come in, and what belongs to whom.

An address with a one-time token opens a session; a cookie keeps it open. Every session has a directory of its
own, and the tables and reports in it have names that cannot be guessed and are looked up in that session
alone.
"""

import hashlib
import hmac
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .limits import Limits, Refused, sized
from .works import Work, Works

__all__ = ["Report", "Session", "Sessions", "Storage", "Tokens", "Upload"]

_TOO_MANY, _BUSY, _FULL = 429, 503, 507
_MOST_TOKENS = 16


class Tokens:
    """Addresses that let somebody in, once each."""

    def __init__(self) -> None:
        self._open: deque[str] = deque(maxlen=_MOST_TOKENS)
        self._spent: deque[str] = deque(maxlen=_MOST_TOKENS)

    def issue(self) -> str:
        """A new token; the oldest of many that nobody used is forgotten."""
        token = secrets.token_urlsafe(32)
        self._open.append(token)
        return token

    def spend(self, given: str) -> bool:
        """Whether a token is valid. It is not, from then on."""
        found = _among(given, self._open)
        if found is None:
            return False
        self._open.remove(found)
        self._spent.append(found)
        return True

    @property
    def are_open(self) -> bool:
        """Whether some token was not used yet."""
        return bool(self._open)

    def was_spent(self, given: str) -> bool:
        """Whether a token was valid once."""
        return _among(given, self._spent) is not None


def _among(given: str, tokens: deque[str]) -> str | None:
    """The token that is equal to what was given, in a time that does not tell how much of it is right."""
    found = None
    for token in tokens:
        if hmac.compare_digest(token.encode(), given.encode("utf-8", "surrogatepass")):
            found = token
    return found


class Storage:
    """Room on disk, shared by all."""

    def __init__(self, most: int) -> None:
        self.used, self._most = 0, most
        self._lock = threading.Lock()

    def take(self, n_bytes: int) -> None:
        """Use room.

        Raises
        ------
        Refused
            When there is none left.
        """
        with self._lock:
            if self.used + n_bytes > self._most:
                raise Refused(
                    _FULL,
                    f"more than {sized(self._most)} would be kept here; remove a table that is done with",
                )
            self.used += n_bytes

    def give_back(self, n_bytes: int) -> None:
        """Stop using room; a negative number for what is there already, whether there was room or not."""
        with self._lock:
            self.used -= n_bytes


@dataclass(eq=False, slots=True)
class Upload:
    """A table that somebody brought.

    Attributes
    ----------
    key : str
        Its name in addresses.
    name : str
        What people call the file. Never part of a path.
    path : Path
        Where its bytes are.
    directory : Path, optional
        What to remove with it; None for a file of the user that is read where it is.
    n_bytes : int
        Its size.
    work : Work
        The look at it, which finds its columns.
    """

    key: str
    name: str
    path: Path
    directory: Path | None
    n_bytes: int
    work: Work

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns; none before they are known."""
        names: Sequence[str] = self.work.answer.get("names", ())
        return names

    @property
    def n_rows(self) -> int:
        """How many rows there are, about."""
        return int(self.work.answer.get("n_rows", 0))


@dataclass(eq=False, slots=True)
class Report:
    """The analysis of a table.

    Attributes
    ----------
    key : str
        Its name in addresses.
    table : Upload
        What it is about.
    target : str, optional
        The column to predict; None for hidden classes.
    directory : Path
        Where its files are.
    work : Work
        The process that makes it.
    n_bytes : int
        The size of its files.
    """

    key: str
    table: Upload
    target: str | None
    directory: Path
    work: Work
    n_bytes: int = 0

    @property
    def title(self) -> str:
        """What it is about, in words."""
        what = "hidden classes" if self.target is None else f"predicting {self.target}"
        return f"{self.table.name}: {what}"


@dataclass(eq=False, slots=True)
class Session:
    """One user: a directory, and the tables and reports in it."""

    directory: Path
    storage: Storage
    looks: Works
    reports_queue: Works
    limits: Limits
    last_seen: float
    tables: dict[str, Upload] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    n_receiving: int = 0

    @property
    def is_at_work(self) -> bool:
        """Whether a file is coming in or a report is under way."""
        return bool(self.n_receiving) or any(not report.work.is_over for report in self.reports.values())

    def room_for_table(self) -> Path:
        """An empty directory for an upload, if the user may keep one more."""
        if len(self.tables) >= self.limits.tables:
            raise Refused(_TOO_MANY, f"{self.limits.tables} tables are kept already; remove one of them")
        return self._made()

    def add_table(self, name: str, path: Path, directory: Path | None, n_bytes: int) -> Upload:
        """Keep a table and look at it."""
        task = {"do": "look", "path": str(path), "shown": name}
        scratch = self._made()
        work = Work(task, scratch, on_end=lambda: _remove(scratch))
        upload = Upload(new_key(), name, path, directory, n_bytes, work)
        try:
            self.looks.submit(work)
        except Refused:
            _remove(scratch)
            raise
        self.tables[upload.key] = upload
        return upload

    def add_report(self, table: Upload, target: str | None, drop: list[str], *, rows: bool = False) -> Report:
        """Start a report, with the contents of its most surprising rows or without."""
        if len(self.reports) >= self.limits.reports:
            raise Refused(_TOO_MANY, f"{self.limits.reports} reports are kept already; remove one of them")
        n_under_way = sum(not report.work.is_over for report in self.reports.values())
        if n_under_way >= self.limits.under_way:
            raise Refused(_TOO_MANY, f"reports under way: {n_under_way}; wait until one of them is done")
        directory = self._made()
        scratch = self._made()
        task = {
            "do": "report",
            "path": str(table.path),
            "shown": table.name,
            "target": target,
            "drop": drop,
            "rows": rows,
            "seed": 0,
            "directory": str(directory),
        }
        report = Report(new_key(), table, target, directory, Work(task, scratch))
        report.work.on_end = lambda: self._settle(report, scratch)
        try:
            self.reports_queue.submit(report.work)
        except Refused:
            _remove(scratch)
            _remove(directory)
            raise
        self.reports[report.key] = report
        return report

    def remove_table(self, table: Upload) -> None:
        """Forget a table and its reports; nothing where it is forgotten already."""
        if self.tables.pop(table.key, None) is None:
            return
        for report in [report for report in self.reports.values() if report.table is table]:
            self.remove_report(report)
        self.looks.cancel(table.work)
        if table.directory is not None:
            _remove(table.directory)
            self.storage.give_back(table.n_bytes)

    def remove_report(self, report: Report) -> None:
        """Forget a report, and end the work on it; nothing where it is forgotten already."""
        if self.reports.pop(report.key, None) is None:
            return
        self.reports_queue.cancel(report.work)
        _remove(report.directory)
        self.storage.give_back(report.n_bytes)

    def end(self) -> None:
        """Forget everything."""
        for table in list(self.tables.values()):
            self.remove_table(table)
        _remove(self.directory)

    def _made(self) -> Path:
        directory = self.directory / new_key()
        directory.mkdir(mode=0o700)
        return directory

    def _settle(self, report: Report, scratch: Path) -> None:
        """Account for what a process has left."""
        _remove(scratch)
        if not report.work.ready:
            _remove(report.directory)
            return
        n_bytes = sum(path.stat().st_size for path in report.directory.glob("*"))
        self.storage.give_back(-n_bytes)
        report.n_bytes = n_bytes


class Sessions:
    """All users of a server.

    Parameters
    ----------
    directory : Path
        Where their directories are made.
    limits : Limits
        What they may do.
    looks, reports : Works
        Where their work is done.
    clock : function
        The time in seconds.
    """

    def __init__(
        self,
        directory: Path,
        limits: Limits,
        looks: Works,
        reports: Works,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._directory, self._limits, self._clock = directory, limits, clock
        self._looks, self._reports = looks, reports
        self.storage = Storage(limits.disk_bytes)
        self._by_digest: dict[bytes, Session] = {}

    def open(self) -> tuple[str, Session]:
        """A new session, and the secret that its cookie holds.

        If there are too many, the one that was idle for longest ends; sessions without tables end first,
        because browsers lose cookies and leave such sessions behind.
        """
        self.sweep()
        if len(self._by_digest) >= self._limits.sessions:
            idle = [session for session in self._by_digest.values() if not session.is_at_work]
            if not idle:
                raise Refused(_TOO_MANY, "all sessions here are at work; wait until one of them is done")
            self.end(min(idle, key=lambda session: (bool(session.tables), session.last_seen)))
        secret = secrets.token_urlsafe(32)
        directory = self._directory / new_key()
        directory.mkdir(mode=0o700)
        session = Session(directory, self.storage, self._looks, self._reports, self._limits, self._clock())
        self._by_digest[_digest(secret)] = session
        return secret, session

    def find(self, secret: str) -> Session | None:
        """The session that a cookie belongs to, which lasts longer because of it."""
        session = self._by_digest.get(_digest(secret))
        if session is None:
            return None
        if self._is_stale(session):
            self.end(session)
            return None
        session.last_seen = self._clock()
        return session

    @contextmanager
    def receiving(self, session: Session) -> Iterator[None]:
        """Count an upload while it comes in; one session leaves room for the others.

        Raises
        ------
        Refused
            When too many come in already.
        """
        most = self._limits.receiving
        n_all = sum(other.n_receiving for other in self._by_digest.values())
        if n_all >= most or session.n_receiving >= max(1, most // 2):
            raise Refused(_BUSY, "too many files are coming in at the moment; wait a little and try again")
        session.n_receiving += 1
        try:
            yield
        finally:
            session.n_receiving -= 1

    def end(self, session: Session) -> None:
        """Forget a session and all that it has."""
        self._by_digest = {key: other for key, other in self._by_digest.items() if other is not session}
        session.end()

    def sweep(self) -> None:
        """Forget the sessions that were not used for long."""
        for session in list(self._by_digest.values()):
            if self._is_stale(session):
                self.end(session)

    def close(self) -> None:
        """Forget all sessions."""
        for session in list(self._by_digest.values()):
            self.end(session)

    def _is_stale(self, session: Session) -> bool:
        return not session.is_at_work and self._clock() - session.last_seen > self._limits.idle_seconds


def new_key() -> str:
    """A name that nobody guesses."""
    return secrets.token_hex(16)


def _digest(secret: str) -> bytes:
    """What a secret is looked up by: how long that takes tells nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
