"""``codelength predict``."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack

from . import options
from .choices import FILE
from .command import argument, command
from .progress import counting
from .saving import check_marked, check_outputs, write_rows
from .source import TableArgument

BATCH_ROWS = 100_000


@command("Predict the class or the component of each row.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit or cluster.")
@options.any_table
@options.rows_output("predictions", BATCH_ROWS)
@options.in_output("--name", "NAME", "Name of the predicted column; by default class or component.")
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
    from ..sources.files.writers import ColumnDict

    check_outputs({"--output": output}, [model, *source.files], as_json=False)
    if for_spreadsheets:
        check_marked([None if as_json else output])
    fitted = load(model)
    carried = list(dict.fromkeys(carry))
    with ExitStack() as stack:
        # Rows that appear on the terminal show the progress already.
        is_quiet = output == "-" and sys.stdout.isatty()
        progress = None if is_quiet else stack.enter_context(counting("predicting"))
        batches = stack.enter_context(source.opened(fitted.schema_, batch_rows, carried=carried))
        made = fitted.predict_table(
            batches, keep=carried, name=name, batch_rows=batch_rows, progress=progress
        )
        # Arrow keeps the types of columns that are carried over, such as dates.
        rows: Iterator[ColumnDict] = (
            {name: part.column(name) for name in part.schema.names} for part in made
        )
        write_rows(rows, source.data, output, as_json=as_json, for_spreadsheets=for_spreadsheets)
