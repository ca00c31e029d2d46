"""``codelength predict``."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from . import options
from .choices import FILE
from .command import argument, command
from .param_types import Whole
from .progress import counting
from .rows import write_rows
from .saving import check_marked, check_outputs
from .source import TableArgument

if TYPE_CHECKING:
    from ..estimators import TableEstimator
    from ..sources.files._cells import ColumnDict
    from ..table import Table

BATCH_ROWS = 100_000


@command("Predict the class or the component of each row.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit or cluster.")
@options.any_table
@options.in_output(
    "--output -o",
    FILE,
    "Write the predictions here, as .csv, .csv.gz, .tsv or .parquet; - for standard output.",
    default="-",
)
@options.in_output("--carry", "COLUMN", "Carry a column of the table over to the output.", multiple=True)
@options.in_output("--name", "NAME", "Name of the predicted column; by default class or component.")
@options.in_output("--json as_json", None, "Write JSON: a list of rows.")
@options.for_spreadsheets
@options.in_table("--batch-rows", Whole("batch_rows"), "Rows held in memory at a time.", default=BATCH_ROWS)
def predict(
    model: str,
    source: TableArgument,
    output: str,
    carry: tuple[str, ...],
    name: str | None,
    as_json: bool,
    for_spreadsheets: bool,
    batch_rows: int,
) -> None:
    """Write the class, or the component, of each row and all their probabilities.

    Columns are matched by name, and columns that the model does not know are ignored. The table may be
    larger than memory, several files, or a query.

    \b
    Examples:
      codelength predict vote.json vote --carry class
      codelength predict model.json new.csv -o predictions.parquet
      codelength predict paid.json 'sales/*.parquet' --carry id -o paid.parquet
    """
    from ..estimators import load
    from ..estimators._batches import outcome_columns

    check_outputs({"--output": output}, [model, *source.files], as_json=False)
    if for_spreadsheets:
        check_marked([None if as_json else output])
    fitted: TableEstimator = load(model)
    carried = list(dict.fromkeys(carry))
    names = outcome_columns(fitted._fitted, carried, name)
    # Rows that appear on the terminal show the progress already.
    is_quiet = output == "-" and sys.stdout.isatty()
    with ExitStack() as stack:
        progress = None if is_quiet else stack.enter_context(counting("predicting"))
        rows = _rows(fitted, source, carried, names, batch_rows, progress)
        stack.enter_context(closing(rows))
        write_rows(rows, source.data, output, as_json=as_json, for_spreadsheets=for_spreadsheets)


def _rows(
    fitted: "TableEstimator",
    source: TableArgument,
    carried: Sequence[str],
    names: Sequence[str],
    batch_rows: int,
    progress: Callable[[int], object] | None,
) -> "Generator[ColumnDict]":
    """Yield the columns of the output, some rows at a time."""
    from ..sources.files._cells import ArrowCells

    # Arrow keeps the types of columns that are carried over, such as dates.
    if _by_arrow(source, carried):
        source.check_kept([*fitted.schema_.names, *carried])
        for rows in fitted.predict_table(
            source.stream,
            keep=carried,
            name=names[0],
            na=source.na or None,
            batch_rows=batch_rows,
            progress=progress,
        ):
            yield {name: ArrowCells(rows.column(name)) for name in rows.schema.names}
        return
    with closing(source.batches(fitted.schema_, batch_rows, carried=carried)) as batches:
        for batch, beside in batches:
            yield {**beside, **_predicted(fitted, batch, names)}
            if progress is not None:
                progress(batch.n_rows)


def _by_arrow(source: TableArgument, carried: Sequence[str]) -> bool:
    """Return whether the table is read by Arrow, which preserves the types of columns carried over."""
    return source.is_large or (bool(carried) and source.keeps_types)


def _predicted(fitted: "TableEstimator", batch: "Table", names: Sequence[str]) -> "ColumnDict":
    """Return the predictions of some rows as columns."""
    from ..decisions import first_best_of_rows
    from ..estimators.classifier import class_array

    probs = fitted.predict_proba(batch.keep(fitted.schema_.names))
    outcomes = class_array(fitted._fitted.outcomes)[first_best_of_rows(probs)]
    if outcomes.dtype.kind == "U":
        # Writers take texts as objects, not as fixed-width Unicode.
        outcomes = outcomes.astype(object)
    return {
        names[0]: outcomes,
        **{name: probs[:, k] for k, name in enumerate(names[1:])},
    }
