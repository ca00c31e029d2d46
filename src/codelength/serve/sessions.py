"""Sessions: admission of users, and their tables and reports.

An address with a one-time token opens a session; a cookie keeps it open. Every session has a directory of its
own. Its tables and reports have random names and are looked up in that session alone, so that one user cannot
reach the files of another.

``Tokens`` admit, ``Sessions`` finds the ``Session`` of a cookie, and a session holds ``Upload`` and
``Report`` objects. ``Storage`` accounts for the disk space of all sessions.

Order of reading: :class:`Tokens` (addresses that open a session once), :class:`Storage` (room on disk, shared
by all), :class:`Upload` and :class:`Report` (what a user has), :class:`Session` (one user), :class:`Sessions`
(all users; :meth:`Sessions.sweep` removes stale ones).

Depends on :mod:`codelength.serve.limits` and :mod:`codelength.serve.works`, and knows nothing of HTTP.
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
# Used tokens are remembered only for the sake of a clear message; the oldest are forgotten.
_MOST_TOKENS = 16


class Tokens:
    """One-time tokens that admit to the server."""

    def __init__(self) -> None:
        self._open: deque[str] = deque(maxlen=_MOST_TOKENS)
        self._spent: deque[str] = deque(maxlen=_MOST_TOKENS)

    def issue(self) -> str:
        """Return a new token; the oldest unused ones are dropped if there are too many."""
        token = secrets.token_urlsafe(32)
        self._open.append(token)
        return token

    def spend(self, given: str) -> bool:
        """Return whether a token is valid, and invalidate it."""
        found = _among(given, self._open)
        if found is None:
            return False
        self._open.remove(found)
        self._spent.append(found)
        return True

    @property
    def are_open(self) -> bool:
        """True if there is an unused token."""
        return bool(self._open)

    def was_spent(self, given: str) -> bool:
        """Return whether a token was valid once."""
        return _among(given, self._spent) is not None


def _among(given: str, tokens: deque[str]) -> str | None:
    """Return the token that equals the given text, in a time that does not depend on the text."""
    found = None
    # No early exit: the time must not depend on the position of a match either.
    for token in tokens:
        if hmac.compare_digest(token.encode(), given.encode("utf-8", "surrogatepass")):
            found = token
    return found


class Storage:
    """Disk space shared by all sessions.

    Parameters
    ----------
    most : int
        Bytes available.
    """

    def __init__(self, most: int) -> None:
        self.used, self._most = 0, most
        self._lock = threading.Lock()

    def take(self, n_bytes: int) -> None:
        """Reserve disk space.

        Parameters
        ----------
        n_bytes : int
            Bytes to reserve.

        Raises
        ------
        Refused
            If there is not enough left.
        """
        with self._lock:
            if self.used + n_bytes > self._most:
                raise Refused(
                    _FULL,
                    f"more than {sized(self._most)} would be kept here; remove a table that is done with",
                )
            self.used += n_bytes

    def give_back(self, n_bytes: int) -> None:
        """Release disk space; a negative number accounts for existing files, even beyond the limit."""
        with self._lock:
            self.used -= n_bytes


@dataclass(eq=False, slots=True)
class Upload:
    """An uploaded table.

    Attributes
    ----------
    key : str
        Name in addresses.
    name : str
        Name given by the user, for display only; never part of a path.
    path : Path
        File.
    directory : Path, optional
        Directory to remove with the table; None for a file of the user that is read in place.
    n_bytes : int
        Size of the file.
    work : Work
        The look at the file, which finds its columns.
    """

    key: str
    name: str
    path: Path
    directory: Path | None
    n_bytes: int
    work: Work

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns; empty before they are known."""
        names: Sequence[str] = self.work.answer.get("names", ())
        return names

    @property
    def n_rows(self) -> int:
        """Number of rows, approximately; 0 before it is known."""
        return int(self.work.answer.get("n_rows", 0))


@dataclass(eq=False, slots=True)
class Report:
    """The analysis of a table.

    Attributes
    ----------
    key : str
        Name in addresses.
    table : Upload
        The table analysed.
    target : str, optional
        The column to predict; None for latent classes.
    directory : Path
        Directory of its files.
    work : Work
        The process that makes it.
    n_bytes : int
        Size of its files.
    """

    key: str
    table: Upload
    target: str | None
    directory: Path
    work: Work
    n_bytes: int = 0

    @property
    def title(self) -> str:
        """Title, from the table and the target."""
        what = "hidden classes" if self.target is None else f"predicting {self.target}"
        return f"{self.table.name}: {what}"


@dataclass(eq=False, slots=True)
class Session:
    """One user: a directory, and the tables and reports in it.

    Attributes
    ----------
    directory : Path
        Directory of all files of the session.
    storage : Storage
        Disk space shared with other sessions.
    looks, reports_queue : Works
        Queues of looks at files and of reports.
    limits : Limits
        Limits of the server.
    last_seen : float
        Time of the last request.
    tables, reports : dict
        Tables and reports by key.
    n_receiving : int
        Uploads in progress.
    """

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
        """True if a file is being received or a report is under way."""
        return bool(self.n_receiving) or any(not report.work.is_over for report in self.reports.values())

    def room_for_table(self) -> Path:
        """Return an empty directory for an upload; refuse if the session has too many tables."""
        if len(self.tables) >= self.limits.tables:
            raise Refused(_TOO_MANY, f"{self.limits.tables} tables are kept already; remove one of them")
        return self._made()

    def add_table(self, name: str, path: Path, directory: Path | None, n_bytes: int) -> Upload:
        """Add a table and look at it.

        Parameters
        ----------
        name : str
            Name given by the user.
        path : Path
            File.
        directory : Path, optional
            Directory to remove with the table.
        n_bytes : int
            Size of the file, already taken from the storage.
        """
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
        """Start a report.

        Parameters
        ----------
        table : Upload
            Table to analyse.
        target : str, optional
            Column to predict; None for latent classes.
        drop : list of str
            Columns to leave out.
        rows : bool
            Whether to include the contents of the most surprising rows.

        Raises
        ------
        Refused
            If the session has too many reports, or the queue is full.
        """
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
        # Set before the work is submitted: a short task may end at once.
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
        """Remove a table and its reports; do nothing if it was removed already."""
        if self.tables.pop(table.key, None) is None:
            return
        # Reports first: their processes may still be reading the file.
        for report in [report for report in self.reports.values() if report.table is table]:
            self.remove_report(report)
        self.looks.cancel(table.work)
        if table.directory is not None:
            _remove(table.directory)
            self.storage.give_back(table.n_bytes)

    def remove_report(self, report: Report) -> None:
        """Remove a report and end its work; do nothing if it was removed already."""
        if self.reports.pop(report.key, None) is None:
            return
        self.reports_queue.cancel(report.work)
        _remove(report.directory)
        self.storage.give_back(report.n_bytes)

    def end(self) -> None:
        """Remove all tables, reports and files."""
        for table in list(self.tables.values()):
            self.remove_table(table)
        _remove(self.directory)

    def _made(self) -> Path:
        directory = self.directory / new_key()
        directory.mkdir(mode=0o700)
        return directory

    def _settle(self, report: Report, scratch: Path) -> None:
        """Record the size of the files that a process has left, and remove its temporary files."""
        _remove(scratch)
        # A failed or cancelled report has no files to keep.
        if not report.work.ready:
            _remove(report.directory)
            return
        n_bytes = sum(path.stat().st_size for path in report.directory.glob("*"))
        # Counted even if the disk space is used up: the files exist, and the next upload is refused instead.
        self.storage.give_back(-n_bytes)
        report.n_bytes = n_bytes


class Sessions:
    """Sessions of all users of a server.

    Parameters
    ----------
    directory : Path
        Parent of the directories of sessions.
    limits : Limits
        Limits of the server.
    looks, reports : Works
        Queues of looks at files and of reports.
    clock : function
        Returns the time in seconds.
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
        # Secrets themselves are not stored; a session is found by the digest of its secret.
        self._by_digest: dict[bytes, Session] = {}

    def open(self) -> tuple[str, Session]:
        """Open a session, and return it with the secret of its cookie.

        If there are too many, the session that was idle longest ends. Sessions without tables end first,
        because browsers lose cookies and leave such sessions behind.

        Returns
        -------
        secret : str
            Value of the cookie.
        session : Session
            The new session.

        Raises
        ------
        Refused
            If all sessions are at work.
        """
        self.sweep()
        if len(self._by_digest) >= self._limits.sessions:
            idle = [session for session in self._by_digest.values() if not session.is_at_work]
            if not idle:
                raise Refused(_TOO_MANY, "all sessions here are at work; wait until one of them is done")
            # False sorts before True: sessions without tables first, then by the time of the last request.
            self.end(min(idle, key=lambda session: (bool(session.tables), session.last_seen)))
        secret = secrets.token_urlsafe(32)
        directory = self._directory / new_key()
        directory.mkdir(mode=0o700)
        session = Session(directory, self.storage, self._looks, self._reports, self._limits, self._clock())
        self._by_digest[_digest(secret)] = session
        return secret, session

    def find(self, secret: str) -> Session | None:
        """Return the session of a cookie and extend its life; None if there is none."""
        session = self._by_digest.get(_digest(secret))
        if session is None:
            return None
        # The sweep runs once a minute; an expired cookie must not work in between.
        if self._is_stale(session):
            self.end(session)
            return None
        session.last_seen = self._clock()
        return session

    @contextmanager
    def receiving(self, session: Session) -> Iterator[None]:
        """Count an upload while the block runs; half of all uploads are left to other sessions.

        Raises
        ------
        Refused
            If too many files are being received.
        """
        # Counted over sessions each time: uploads are few, and a counter could drift.
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
        """End a session and remove its files."""
        # A new dictionary: other threads may be iterating over the old one.
        self._by_digest = {key: other for key, other in self._by_digest.items() if other is not session}
        session.end()

    def sweep(self) -> None:
        """End the sessions that were idle for too long."""
        for session in list(self._by_digest.values()):
            if self._is_stale(session):
                self.end(session)

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._by_digest.values()):
            self.end(session)

    def _is_stale(self, session: Session) -> bool:
        return not session.is_at_work and self._clock() - session.last_seen > self._limits.idle_seconds


def new_key() -> str:
    """Return a random name that cannot be guessed."""
    return secrets.token_hex(16)


def _digest(secret: str) -> bytes:
    """Return the key of a secret; the time of a look-up by digest reveals nothing about the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
