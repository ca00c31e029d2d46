"""One user: a directory, and the tables and reports in it.

Every session has a directory of its own. Its tables and reports have random names and are looked up in that
session alone, so that one user cannot reach the files of another.

Order of reading: :class:`Storage` (room on disk, shared by all sessions), :class:`Upload` and :class:`Report`
(what a user has), :class:`Session`.

Depends on :mod:`codelength.serve.limits` and :mod:`codelength.serve.works`, and knows nothing of HTTP.
"""

import secrets
import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .limits import Limits, Refused, sized
from .works import Work, Works

__all__ = ["Report", "Session", "Storage", "Upload", "new_key"]

_TOO_MANY, _FULL = 429, 507


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


def new_key() -> str:
    """Return a random name that cannot be guessed."""
    return secrets.token_hex(16)


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
