"""Tasks of a worker process: look at a table, or make its report and its model."""

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
"""Files of a finished report."""

Tell = Callable[[dict[str, Any]], None]
"""Function that sends a message to the server."""


def look_at(task: dict[str, Any], limits: ReadLimits, tell: Tell) -> None:
    """Send the columns and the number of rows of a file.

    Parameters
    ----------
    task : dict
        Task with the path of the file.
    limits : ReadLimits
        Limits of size.
    tell : function
        Sends messages to the server.
    """
    tell({"stage": "looking at the file"})
    found = look(Path(task["path"]), limits)
    tell({"answer": {"names": list(found.names), "n_rows": found.n_rows}})


def report_on(task: dict[str, Any], limits: ReadLimits, tell: Tell) -> None:
    """Write the report of a table, then a model of its target or of its latent classes.

    A message is sent when each of the two files is finished, so that the report can be read while the model
    is fitted.

    Parameters
    ----------
    task : dict
        Task with the path, the target, the columns to drop, the seed and the directory of the results.
    limits : ReadLimits
        Limits of size.
    tell : function
        Sends messages to the server.
    """
    import codelength

    tell({"stage": "reading the table"})
    table = _read(task, limits)
    directory = Path(task["directory"])
    tell({"stage": "making the report"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the report lists them
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
    """Return the table with its target, without dropped columns, under the name that the user knows."""
    from ..sources.readers import read_table

    path = Path(task["path"])
    # Again: the file of a user, which is read in place, may have changed since the first look.
    look(path, limits)
    table = read_table(path, target=task["target"], drop=task["drop"])
    return replace(table, name=task["shown"])


def _progress(tell: Tell) -> Callable[..., None]:
    """Return a function that forwards progress and stages as messages."""

    def progress(*told: Any) -> None:
        numbers = [float(word) for word in told if isinstance(word, int | float)]
        words = [word for word in told if isinstance(word, str)]
        message: dict[str, Any] = {"stage": words[0]} if words else {}
        if numbers:
            message |= {"done": numbers[0], "total": numbers[1] if len(numbers) > 1 else 1.0}
        tell(message)

    return progress
