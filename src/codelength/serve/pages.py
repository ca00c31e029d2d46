"""Pages around a report: upload, choice of a target, progress, report.

Scripts send the file and poll for progress; everything else is links and forms.
"""

from collections.abc import Sequence

from ..render.templates import rendered, templates
from .inspection import FORMATS
from .jobs import Job
from .limits import sized
from .state import AppState, Report, Upload

__all__ = ["goodbye", "home", "moved", "refusal", "report_page", "share_of", "table_page", "words_of"]

_MAX_LISTED = 300
"""Most columns that are listed for leaving out; a longer list cannot be searched by eye."""

_USUAL_TARGETS = ("class", "target", "y", "label", "outcome")


def home(state: AppState) -> str:
    """Return the page for uploads, with the tables and their reports."""
    limit = state.limits.upload_bytes
    # The newest table first: it is the one that the user wants to continue with.
    tables = [(table, _reports_on(table, state)) for table in reversed(state.tables.values())]
    return rendered("serve/home", endings=",".join(FORMATS), limit=limit, size=sized(limit), tables=tables)


def table_page(table: Upload, state: AppState) -> str:
    """Return the page of a table: progress of the look at it, its refusal, or the choice of a target.

    Parameters
    ----------
    table : Upload
        The table.
    state : AppState
        State that it belongs to.
    """
    return rendered(
        "serve/table",
        table=table,
        usual=_usual_target(table.columns),
        most_listed=_MAX_LISTED,
        reports=_reports_on(table, state),
    )


def report_page(report: Report, n_ahead: int) -> str:
    """Return the page of a report: progress, failure, or the finished report.

    Parameters
    ----------
    report : Report
        The report.
    n_ahead : int
        Reports that will be made before it.
    """
    return rendered("serve/report", report=report, job=report.job, n_ahead=n_ahead)


def refusal(message: str, *, is_inside: bool) -> str:
    """Return the page of a refusal, with a link back for whoever is admitted.

    Parameters
    ----------
    message : str
        Problem and remedy.
    is_inside : bool
        True if there is a page to go back to.
    """
    return rendered("serve/refusal", message=message, is_inside=is_inside)


def goodbye() -> str:
    """Return the last page."""
    return rendered("serve/goodbye", is_inside=False)


def moved(address: str) -> str:
    """Return a page that leads a browser to another one.

    A browser sends no cookie if it follows a link or redirect of another site, but does for links of our own
    pages.
    """
    return rendered("serve/moved", address=address)


def words_of(job: Job, n_ahead: int) -> str:
    """Describe the state of a job in words.

    Parameters
    ----------
    job : Job
        Job.
    n_ahead : int
        Jobs that start before it.
    """
    if job.state == "waiting":
        return "Waiting for others to finish" + (f": {n_ahead} before this one" if n_ahead else "")
    return _sentence(job.stage or "starting").removesuffix(".") + " ..."


def share_of(job: Job) -> str | None:
    """Return the share of the work that is done, from 0 to 1; None if unknown."""
    return f"{min(1.0, max(0.0, job.done / job.total)):.3f}" if job.total else None


def _reports_on(table: Upload, state: AppState) -> list[Report]:
    return [report for report in state.reports.values() if report.table is table]


def _usual_target(names: Sequence[str]) -> int:
    """Return the column that is most likely the target: one of a usual name, or the last."""
    folded = [name.strip().lower() for name in names]
    return next((folded.index(name) for name in _USUAL_TARGETS if name in folded), len(names) - 1)


def _sentence(message: str) -> str:
    text = f"{message[:1].upper()}{message[1:]}"
    return text if text.endswith((".", "?", "!")) or not text else f"{text}."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


templates.filters |= {"sentence": _sentence, "counted_rows": _counted}
templates.filters |= {"words": words_of, "share_done": share_of}
