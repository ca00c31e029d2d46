"""Outputs of commands: checks before the work, and the file of a model."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._files import check_not_input
from .._scratch import Scratch
from ..errors import InvalidParameter

if TYPE_CHECKING:
    from ..estimators import TableEstimator


def check_outputs(outputs: Mapping[str, str | None], inputs: Sequence[str], *, as_json: bool) -> None:
    """Raise if two outputs have the same destination, or an output is an input.

    Parameters
    ----------
    outputs : mapping
        Files by the option that names them; None if it was not given, ``"-"`` for standard output.
    inputs : sequence of str
        Files that are read.
    as_json : bool
        Whether JSON is written to standard output as well.
    """
    named = {option: output for option, output in outputs.items() if output is not None}
    on_standard_output = [option for option, output in named.items() if output == "-"]
    on_standard_output += ["--json"] if as_json else []
    if len(on_standard_output) > 1:
        raise InvalidParameter(
            f"{' and '.join(on_standard_output)} both write to standard output; name a file for one of them"
        )
    taken = list(inputs)
    for output in named.values():
        check_not_input(output, taken)
        taken += [output] if output != "-" else []


def check_marked(outputs: Sequence[str | None]) -> None:
    """Raise if ``--for-spreadsheets`` is given and no output is a CSV file."""
    from ..sources.files.formats import CSV

    named = [output for output in outputs if output is not None]
    if not any(output == "-" or output.lower().endswith(CSV.written) for output in named):
        raise InvalidParameter(
            "--for-spreadsheets: only CSV files are for spreadsheets; name one as the output, or leave it out"
        )


def save(model: "TableEstimator", output: str) -> None:
    """Write a model to a file, or to standard output for ``"-"``.

    Parameters
    ----------
    model : TableEstimator
        Fitted model.
    output : str
        Name of the file, or ``"-"``.
    """
    if output != "-":
        model.save(output)
        return
    # Through a file, because saving is atomic; a failure then leaves no half of a model in a pipe.
    with Scratch() as directory:
        path = Path(directory) / "model.json"
        model.save(path)
        with path.open(encoding="ascii") as file:
            shutil.copyfileobj(file, sys.stdout)
