"""``codelength explain``."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..blocks import Block, Grid
from ..errors import DataError, InvalidParameter
from . import options
from .choices import FILE
from .command import argument, command
from .output import print_json, show
from .param_types import Whole
from .progress import working
from .saving import check_marked, check_outputs, write_rows
from .source import TableArgument

if TYPE_CHECKING:
    from ..naive_bayes import Explanation
    from ..sources.files._cells import ColumnDict
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
    "Write the contributions of all rows here, as .csv, .csv.gz, .tsv or .parquet: one line per row, class "
    "and variable.",
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
        with working("explaining"):
            _write(fitted, source, reference, output, for_spreadsheets=for_spreadsheets)
        return
    wanted = list(dict.fromkeys(rows)) or [1]
    with working("explaining"):
        found = {n: _Explained(n, one, fitted, reference) for n, one in _rows(fitted, source, wanted)}
    absent = [number for number in wanted if number not in found]
    if absent:
        raise DataError(f"--row {absent[0]}: the table has fewer rows; rows are counted from 1")
    if as_json:
        print_json([found[number].document() for number in wanted])
    else:
        show([found[number].block() for number in wanted])


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


def _rows(fitted: Any, source: TableArgument, wanted: list[int]) -> "list[tuple[int, Table]]":
    """Return the rows with the given numbers, as far as they exist."""
    import numpy as np

    found, start, last = [], 0, max(wanted)
    with closing(source.tables(fitted.schema_, BATCH_ROWS)) as batches:
        for batch, _ in batches:
            inside = (number for number in wanted if start < number <= start + batch.n_rows)
            found += [(number, batch.take(np.array([number - 1 - start]))) for number in inside]
            start += batch.n_rows
            # The rest of the table is not read; closing the generator ends the reader.
            if start >= last:
                break
    return found


class _Explained:
    """One row and its explanation, as a block or as JSON."""

    def __init__(self, number: int, row: "Table", fitted: Any, reference: Any) -> None:
        self.number, self.fitted = number, fitted
        # Only variables of the model: the table may have others, and a target.
        known = row.keep([name for name in fitted.schema_.names if name in row.names])
        self.made: Explanation = fitted.explain(known, against=reference)
        self.probs = fitted.predict_proba(known)[0].tolist()
        self.cells = {column.name: column.cells.tolist()[0] for column in known.columns}

    def block(self) -> Block:
        """Return a table with one row per variable, the strongest first."""
        import numpy as np

        from ..decisions import first_best, ranked

        made, total = self.made, self.made.log_odds[0]
        others = [k for k, label in enumerate(made.classes) if label != made.reference]
        shown = [others[place] for place in ranked([self.probs[k] for k in others])][:MAX_CLASSES]
        order = ranked(np.abs(made.contributions[0][:, shown]).max(axis=1, initial=0))
        parts = [(BEFORE, "", made.intercept)]
        parts += [
            (made.feature_names[i], _cell(self.cells.get(made.feature_names[i])), made.contributions[0, i])
            for i in order
        ]
        parts.append(("(all together)", "", total))
        rows = [[name, cell, *(f"{terms[k]:+.2f}" for k in shown)] for name, cell, terms in parts]
        best = first_best(self.probs)
        title = (
            f"row {self.number}: {made.classes[best]} with probability {self.probs[best]:.3f}; log-odds "
            f"against {made.reference} in nats"
        )
        return Grid(title, ["variable", "value", *(str(made.classes[k]) for k in shown)], rows, n_text=2)

    def document(self) -> dict[str, Any]:
        """Return the explanation as JSON types, for all classes."""
        made = self.made
        labels = [str(label) for label in made.classes]
        return {
            "row": self.number,
            "against": made.reference,
            "probabilities": dict(zip(labels, self.probs, strict=True)),
            "before": dict(zip(labels, made.intercept.tolist(), strict=True)),
            "contributions": {
                name: dict(zip(labels, terms, strict=True))
                for name, terms in zip(made.feature_names, made.contributions[0].tolist(), strict=True)
            },
        }


def _cell(value: Any) -> str:
    is_missing = value is None or (isinstance(value, float) and value != value)
    return "" if is_missing else str(value)


def _write(
    fitted: Any, source: TableArgument, reference: Any, output: str, *, for_spreadsheets: bool
) -> None:
    """Write one line per row, class and variable, and one per row and class for the intercept."""
    import numpy as np

    from ..sources.files._cells import object_array

    def lines_of(batch: "Table", start: int) -> "ColumnDict":
        made: Explanation = fitted.explain(batch, against=reference)
        labels = [label for label in made.classes if label != made.reference]
        kept = [made.classes.index(label) for label in labels]
        # To the order of the lines: row, class, variable.
        parts = made.contributions[:, :, kept].transpose(0, 2, 1)
        before = np.broadcast_to(made.intercept[kept][None, :, None], (*parts.shape[:2], 1))
        lines = np.concatenate([before, parts], axis=2)
        n_rows, n_classes, n_lines = lines.shape
        numbers = np.arange(start + 1, start + n_rows + 1)
        return {
            "row": np.repeat(numbers, n_classes * n_lines),
            "class": object_array([str(label) for label in labels for _ in range(n_lines)] * n_rows),
            "variable": object_array([BEFORE, *made.feature_names] * (n_rows * n_classes)),
            "log_odds": lines.ravel(),
        }

    def lines() -> "Iterator[ColumnDict]":
        start = 0
        for batch, _ in batches:
            yield lines_of(batch, start)
            start += batch.n_rows

    with closing(source.tables(fitted.schema_, BATCH_ROWS)) as batches:
        write_rows(lines(), source.data, output, for_spreadsheets=for_spreadsheets)
