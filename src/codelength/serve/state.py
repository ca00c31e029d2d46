"""State of a server: its tables, its reports, and the token and cookie that admit to them.

All files are in one directory, which only this user can enter. Tables and reports have random names.

A token is part of an address, which stays in the history of a browser: it
admits once, and is exchanged for a cookie that scripts cannot read. All tokens that were spent are kept, to
tell the owner of an old address from a stranger.

Order of reading: :class:`Upload` and :class:`Report` (what is kept), then :class:`AppState`: admission
(``issue``, ``spend``, ``admits``), new items, removal.
"""

import hmac
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .jobs import COMMAND, Job, JobQueue
from .limits import Limits

__all__ = ["AppState", "Report", "Upload"]


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
    job : Job
        The look at the file, which finds its columns.
    """

    key: str
    name: str
    path: Path
    directory: Path | None
    job: Job

    @property
    def columns(self) -> Sequence[str]:
        """Names of the columns; empty before they are known."""
        names: Sequence[str] = self.job.answer.get("names", ())
        return names

    @property
    def n_rows(self) -> int:
        """Number of rows, approximately; 0 before it is known."""
        return int(self.job.answer.get("n_rows", 0))


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
    job : Job
        The process that makes it.
    """

    key: str
    table: Upload
    target: str | None
    directory: Path
    job: Job

    @property
    def subject(self) -> str:
        """Target in words."""
        return "hidden classes" if self.target is None else f"predicting {self.target}"

    @property
    def title(self) -> str:
        """Title, from the table and the target."""
        return f"{self.table.name}: {self.subject}"


class AppState:
    """State of a server.

    Parameters
    ----------
    directory : Path
        An empty directory for all files.
    limits : Limits
        Limits of uploads and processes.
    offered : tuple of str and Path, optional
        Name and path of a table that is opened first.
    announce : function
        Called with a new token, to be shown in the terminal.
    command : sequence of str
        Command that starts a process for one job.
    """

    def __init__(
        self,
        directory: Path,
        limits: Limits,
        offered: tuple[str, Path] | None = None,
        announce: Callable[[str], None] = lambda token: None,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self.limits, self.offered, self.announce, self._directory = limits, offered, announce, directory
        # Looks at files have a queue of their own: they take seconds, and should not wait behind reports.
        self.looks = JobQueue(limits.looking, limits, command)
        self.jobs = JobQueue(limits.working, limits, command)
        self.tables: dict[str, Upload] = {}
        self.reports: dict[str, Report] = {}
        self.door: Path | None = None
        """A page that leads to the first address; removed once that address was used."""
        # Browsers keep cookies by host and not by port: another server has another name for its own.
        self.cookie = f"codelength-{secrets.token_hex(4)}"
        self.secret = secrets.token_urlsafe(32)
        self.token: str | None = None
        self._spent: list[str] = []

    def issue(self) -> str:
        """Return a new token, which admits once."""
        self.token = secrets.token_urlsafe(32)
        return self.token

    def spend(self, given: str) -> bool:
        """Return whether a token is valid, and invalidate it.

        Examples
        --------
        >>> state = AppState(Path("unused"), Limits())
        >>> token = state.issue()
        >>> state.spend(token), state.spend(token), state.was_spent(token)
        (True, False, True)
        """
        if self.token is None or not _is_same(given, self.token):
            return False
        self._spent.append(self.token)
        self.token = None
        return True

    def was_spent(self, given: str) -> bool:
        """Return whether a token was valid once."""
        # Every one is compared: the time must not depend on the position of a match either.
        return sum(_is_same(given, token) for token in self._spent) > 0

    def admits(self, cookie: str | None) -> bool:
        """Return whether a cookie is the one of this server."""
        return cookie is not None and _is_same(cookie, self.secret)

    def made(self) -> Path:
        """Return an empty directory that only this user can enter."""
        directory = self._directory / _new_key()
        directory.mkdir(mode=0o700)
        return directory

    def add_table(self, name: str, path: Path, directory: Path | None) -> Upload:
        """Add a table and look at it.

        Parameters
        ----------
        name, path, directory
            As of :class:`Upload`.
        """
        scratch = self.made()
        task = {"do": "look", "path": str(path), "shown": name}
        job = Job(task, scratch, on_end=lambda: _remove(scratch))
        upload = Upload(_new_key(), name, path, directory, job)
        self.tables[upload.key] = upload
        self.looks.submit(job)
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
        """
        directory, scratch = self.made(), self.made()
        task = {"do": "report", "path": str(table.path), "shown": table.name, "directory": str(directory)}
        job = Job({**task, "target": target, "drop": drop, "rows": rows}, scratch)
        report = Report(_new_key(), table, target, directory, job)

        def settle() -> None:
            _remove(scratch)
            # A failed or cancelled report has no files to keep.
            if not job.ready:
                _remove(directory)

        # Set before the job is submitted: a short one may end at once.
        job.on_end = settle
        self.reports[report.key] = report
        self.jobs.submit(job)
        return report

    def reports_on(self, table: Upload) -> list[Report]:
        """Return the reports on a table."""
        return [report for report in self.reports.values() if report.table is table]

    def remove(self, item: Upload | Report) -> None:
        """Remove a table with its reports, or a report, and end their work; ones removed before stay so."""
        if isinstance(item, Report):
            if self.reports.pop(item.key, None) is not None:
                self.jobs.cancel(item.job)
                _remove(item.directory)
        elif self.tables.pop(item.key, None) is not None:
            # Reports first: their processes may still be reading the file.
            for report in self.reports_on(item):
                self.remove(report)
            self.looks.cancel(item.job)
            if item.directory is not None:
                _remove(item.directory)

    def clear(self) -> None:
        """Remove all tables, reports and files, and admit nobody who was in before."""
        self.secret = secrets.token_urlsafe(32)
        for table in list(self.tables.values()):
            self.remove(table)

    def close(self) -> None:
        """End all work and remove all files."""
        self.looks.close()
        self.jobs.close()
        self.clear()


def _is_same(given: str, secret: str) -> bool:
    """Return whether two texts are equal, in a time that does not depend on them."""
    return hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


def _new_key() -> str:
    """Return a random name that cannot be guessed."""
    return secrets.token_hex(16)


def _remove(directory: Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
