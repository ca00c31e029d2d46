"""``codelength explain``.

A few rows, named by number, are shown on the terminal (``_block``) or as JSON (``_document``), and reading
ends after the last of them (``_rows``). All rows are written to a file in batches (``_lines``).
"""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..blocks import Block, Grid
from ..errors import DataError, InvalidParameter
from . import options
from .choices import FILE, Whole
from .command import argument, command
from .output import print_json, show
from .progress import working
from .saving import check_marked, check_outputs, write_rows
from .source import TableArgument

if TYPE_CHECKING:
    from ..naive_bayes import Explanation
    from ..sources.files.writers import ColumnDict
    from ..table import Table

BATCH_ROWS = 10_000

BEFORE = "(before any variable)"

MAX_CLASSES = 5
"""Classes for which contributions are shown side by side; a file has all of them."""


@command("Show what each variable contributes to a prediction.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit.")
@options.table
@options.in_output(
    "--row rows", Whole("row"), "Row to explain, counted from 1; by default the first.", multiple=True
)
@options.in_output("--against", "CLASS", "Class that the others are compared with; by default the first.")
@options.in_output(
    "--output -o",
    FILE,
    "Write the contributions of all rows here, as {written}: one line per row, class and variable.",
)
@options.for_spreadsheets
@options.as_json
def explain(
    model: str,
    source: TableArgument,
    rows: tuple[int, ...],
    against: str | None,
    output: str | None,
    for_spreadsheets: bool,
    as_json: bool,
) -> None:
    """Show what each variable contributes to the log-odds of each class.

    Contributions are in nats, the strongest first. With the log-odds before any variable is seen they add up
    to those of the prediction.

    \b
    Examples:
      codelength explain vote.json vote
      codelength explain vote.json vote --row 3 --row 8 --against democrat
      codelength explain model.json new.csv -o contributions.csv
    """
    from ..estimators import capabilities_of, load, name_of

    check_outputs({"--output": output}, [model, *source.files], as_json=as_json)
    if for_spreadsheets:
        check_marked([output])
    if output is not None and rows:
        raise InvalidParameter("--row: a file has the contributions of all rows; leave --row out")
    fitted = load(model)
    if "explain" not in capabilities_of(fitted):
        raise InvalidParameter(f"{model}: {name_of(fitted)} cannot explain its predictions")
    reference = _class_of(fitted, against)
    if output is not None:
        with working("explaining"), closing(source.tables(fitted.schema_, BATCH_ROWS)) as batches:
            lines = _lines(fitted, batches, reference)
            write_rows(lines, source.data, output, for_spreadsheets=for_spreadsheets)
        return
    wanted = list(dict.fromkeys(rows)) or [1]
    shown = _document if as_json else _block
    with working("explaining"):
        found = {
            number: shown(number, row, fitted, fitted.explain(row, against=reference))
            for number, row in _rows(fitted, source, wanted)
        }
    absent = [number for number in wanted if number not in found]
    if absent:
        raise DataError(f"--row {absent[0]}: the table has fewer rows; rows are counted from 1")
    made: list[Any] = [found[number] for number in wanted]
    (print_json if as_json else show)(made)


def _class_of(fitted: Any, against: str | None) -> Any:
    """Return the class with a name; classes may be numbers or truth values."""
    if against is None:
        return None
    named = {str(label): label for label in fitted._fitted.outcomes}
    if against not in named:
        from ..table._messages import listed

        raise InvalidParameter(
            f"--against {against!r:.60}: expected one of the classes {listed(tuple(named))}"
        )
    return named[against]


def _rows(fitted: Any, source: TableArgument, wanted: list[int]) -> "Iterator[tuple[int, Table]]":
    """Yield the rows with the given numbers, as far as they exist."""
    import numpy as np

    start = 0
    with closing(source.tables(fitted.schema_, BATCH_ROWS)) as batches:
        for batch, _ in batches:
            for number in wanted:
                if start < number <= start + batch.n_rows:
                    yield number, batch.take(np.array([number - 1 - start]))
            start += batch.n_rows
            # The rest of the table is not read; closing the generator ends the reader.
            if start >= max(wanted):
                break


def _block(number: int, row: "Table", fitted: Any, made: "Explanation") -> Block:
    """Return the explanation of one row as a table with one line per variable, the strongest first."""
    import numpy as np

    from ..decisions import first_best, ranked

    probs = fitted.predict_proba(row)[0].tolist()
    cells = {column.name: column.cells.tolist()[0] for column in row.columns}
    others = [k for k, label in enumerate(made.classes) if label != made.reference]
    shown = [others[place] for place in ranked([probs[k] for k in others])][:MAX_CLASSES]
    order = ranked(np.abs(made.contributions[0][:, shown]).max(axis=1, initial=0))
    named = [(made.feature_names[i], made.contributions[0, i]) for i in order]
    parts = [
        (BEFORE, "", made.intercept),
        *((name, _cell(cells.get(name)), terms) for name, terms in named),
        ("(all together)", "", made.log_odds[0]),
    ]
    lines = [[name, cell, *(f"{terms[k]:+.2f}" for k in shown)] for name, cell, terms in parts]
    best = first_best(probs)
    title = (
        f"row {number}: {made.classes[best]} with probability {probs[best]:.3f}; log-odds against "
        f"{made.reference} in nats"
    )
    return Grid(title, ["variable", "value", *(str(made.classes[k]) for k in shown)], lines, n_text=2)


def _document(number: int, row: "Table", fitted: Any, made: "Explanation") -> dict[str, Any]:
    """Return the explanation of one row as JSON types, for all classes."""

    def by_class(numbers: Any) -> dict[str, float]:
        return dict(zip(map(str, made.classes), numbers.tolist(), strict=True))

    return {
        "row": number,
        "against": made.reference,
        "probabilities": by_class(fitted.predict_proba(row)[0]),
        "before": by_class(made.intercept),
        "contributions": dict(zip(made.feature_names, map(by_class, made.contributions[0]), strict=True)),
    }


def _cell(value: Any) -> str:
    is_missing = value is None or (isinstance(value, float) and value != value)
    return "" if is_missing else str(value)


def _lines(
    fitted: Any, batches: "Iterator[tuple[Table, ColumnDict]]", reference: Any
) -> "Iterator[ColumnDict]":
    """Yield one line per row, class and variable, and one per row and class for the intercept."""
    import numpy as np

    start = 0
    for batch, _ in batches:
        made: Explanation = fitted.explain(batch, against=reference)
        labels = [label for label in made.classes if label != made.reference]
        kept = [made.classes.index(label) for label in labels]
        # To the order of the lines: row, class, variable.
        parts = made.contributions[:, :, kept].transpose(0, 2, 1)
        before = np.broadcast_to(made.intercept[kept][None, :, None], (*parts.shape[:2], 1))
        lines = np.concatenate([before, parts], axis=2)
        n_rows, n_classes, n_lines = lines.shape
        numbers = np.arange(start + 1, start + n_rows + 1)
        yield {
            "row": np.repeat(numbers, n_classes * n_lines),
            "class": [str(label) for label in labels for _ in range(n_lines)] * n_rows,
            "variable": [BEFORE, *made.feature_names] * (n_rows * n_classes),
            "log_odds": lines.ravel(),
        }
        start += n_rows
