"""What a process does with a table: look at it, or make its report and its model."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .inspection import look
from .limits import ReadLimits

if TYPE_CHECKING:
    from ..table import Table

__all__ = ["MODEL", "REPORT", "Tell", "look_at", "report_on"]

REPORT, MODEL = "report.html", "model.json"
"""The files that a report leaves in its directory."""

Tell = Callable[[dict[str, Any]], None]
"""Sends a message to the server."""


def look_at(task: dict[str, Any], limits: ReadLimits, tell: Tell) -> None:
    """Tell the columns and the number of rows of a file."""
    tell({"stage": "looking at the file"})
    found = look(Path(task["path"]), limits)
    tell({"answer": {"names": list(found.names), "n_rows": found.n_rows}})


def report_on(task: dict[str, Any], limits: ReadLimits, tell: Tell) -> None:
    """Write the report of a table, then the model that predicts its target or tells its hidden classes.

    Messages tell when each of the two files is there, so that the report can be read while the model is
    fitted.
    """
    import codelength

    tell({"stage": "reading the table"})
    table = _read(task, limits)
    directory = Path(task["directory"])
    tell({"stage": "making the report"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a reader has to know stands in the report
        report = codelength.report(
            table,
            target=task["target"],
            rows=task["rows"],
            random_state=task["seed"],
            progress=_progress(tell),
        )
        report.save(directory / REPORT)
        tell({"ready": REPORT, "stage": "fitting the model", "done": 0, "total": 0})
        analysis: Any = report.analysis
        if task["target"] is None:
            model = analysis.model
        else:
            model = codelength.ModelAverage(random_state=task["seed"]).fit(table)
        model.save(directory / MODEL)
    tell({"ready": MODEL})


def _read(task: dict[str, Any], limits: ReadLimits) -> "Table":
    """The table with its target, without the columns that are left out, under the name that people know."""
    from ..sources.files.readers import read_table

    path = Path(task["path"])
    look(path, limits)
    table = read_table(path, target=task["target"], drop=task["drop"])
    return replace(table, name=task["shown"])


def _progress(tell: Tell) -> Callable[..., None]:
    """A function that sends on how much is done, how much there is, and what is being done, as it is told."""

    def progress(*told: Any) -> None:
        numbers = [float(word) for word in told if isinstance(word, int | float)]
        words = [word for word in told if isinstance(word, str)]
        message: dict[str, Any] = {"stage": words[0]} if words else {}
        if numbers:
            message |= {"done": numbers[0], "total": numbers[1] if len(numbers) > 1 else 1.0}
        tell(message)

    return progress
