"""``codelength predict``."""

import itertools
from collections.abc import Generator
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidParameter, SchemaMismatch
from .options import Absent

if TYPE_CHECKING:
    from ..table.files.readers import ColumnDict
    from ..table.schema import Variable

BATCH_ROWS = 100_000


def predict(
    model: Annotated[str, typer.Argument(help="A model file written by fit, select or cluster.")],
    data: Annotated[str, typer.Argument(help="The rows to predict; - for standard input.")],
    output: Annotated[
        str,
        typer.Option("--output", "-o", help="A CSV or Parquet file, by extension; - for standard output."),
    ] = "-",
    keep: Annotated[
        list[str] | None,
        typer.Option(help="A column of the input to carry over. Repeatable.", show_default=False),
    ] = None,
    batch_rows: Annotated[int, typer.Option(help="Rows held in memory at a time.", min=1)] = BATCH_ROWS,
    na: Absent = None,
) -> None:
    """Write the class, or the component, of each row and all their probabilities.

    The columns are matched by name, and columns the model does not know are passed over. The table may be
    larger than memory.

    Example:

      codelength predict model.json new.csv -o predictions.csv
    """
    from ..estimators import load
    from ..table.files.writers import open_writer

    fitted = load(model)
    if hasattr(fitted, "classes_"):
        names = ["class", *(f"p_{label}" for label in fitted.classes_)]
    else:
        names = ["component", *(f"p_{k + 1}" for k in range(fitted.n_components_))]
    clash = sorted(set(keep or ()) & set(names))
    if clash:
        raise InvalidParameter(f"--keep {clash[0]!r}: the output has a column of that name already")
    with closing(_batches(fitted, data, keep or [], batch_rows, na or [])) as batches:
        # The first rows are read before anything is written, so that a bad table leaves no trace.
        first = next(batches)
        with open_writer(output, [*(keep or ()), *names]) as writer:
            for batch in itertools.chain([first], batches):
                kept = {name: batch[name] for name in keep or ()}
                writer.write(kept | _predicted(fitted, batch, names))


def _batches(
    fitted: Any, data: str, keep: list[str], batch_rows: int, na: list[str]
) -> "Generator[ColumnDict]":
    from ..table.files.readers import as_file, column_names, read_batches, suggestion

    variables = fitted.schema_.variables
    with as_file(data) as path:
        present = column_names(path)
        for name in [*keep, *(variable.name for variable in variables)]:
            if name not in present:
                raise SchemaMismatch(f"{data}: has no column {name!r}{suggestion(name, present)}")
        wanted = list(dict.fromkeys([*(variable.name for variable in variables), *keep]))
        kinds: dict[str, Any] = {variable.name: _kind(variable) for variable in variables}
        yield from read_batches(path, batch_rows, kinds=kinds, columns=wanted, na=na)


def _kind(variable: "Variable") -> str:
    """How the cells of a variable are to be read so that they mean the same as in training."""
    known = [value for value in variable.values if value is not None]
    if variable.kind != "category":
        return "number"
    if all(isinstance(value, bool) for value in known):
        return "boolean"
    return "text" if any(isinstance(value, str) for value in known) else "number"


def _predicted(fitted: Any, batch: "ColumnDict", names: list[str]) -> "ColumnDict":
    import numpy as np

    table = {name: batch[name] for name in fitted.schema_.names}
    probs = fitted.predict_proba(table)
    labels = fitted.classes_ if hasattr(fitted, "classes_") else np.arange(1, fitted.n_components_ + 1)
    classes = labels[np.argmax(probs, axis=1)]
    if classes.dtype.kind == "U":
        classes = classes.astype(object)
    return {names[0]: classes} | {name: probs[:, k] for k, name in enumerate(names[1:])}
