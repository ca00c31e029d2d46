"""``codelength query``.

The variables asked about are not read from the table. A row has as many probabilities as there are
combinations of their values, so batches are made smaller until :data:`MAX_CELLS` of them fit.

Order of reading: ``query``, ``_asked`` (names of variables), ``_columns`` (an answer as columns of the
output), ``_free`` (names of columns).
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter
from . import options
from .choices import FILE, Choice
from .command import argument, command
from .progress import working
from .saving import check_marked, check_outputs, write_rows
from .source import TableArgument

if TYPE_CHECKING:
    from ..naive_bayes.query import Answer
    from ..sources.files.writers import ColumnDict
    from ..table import Schema

BATCH_ROWS = 10_000

MAX_CELLS = 1 << 22
"""Most probabilities in memory at a time."""

FORMS = ("best", "joint", "marginals")


@command("Ask about several variables at once, given what else is known.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit or cluster.")
@options.table
@options.in_output(
    "--ask", "COLUMNS", "Variables to ask about, with commas between them, or one at a time.",
    multiple=True, required=True,
)  # fmt: skip
@options.in_output(
    "--show form",
    Choice("show", *FORMS),
    "The most probable combination of each row, all combinations with their probabilities, or each variable "
    "by itself.",
    default="best",
)
@options.rows_output("answers", BATCH_ROWS)
@options.in_table("--class known_class", "COLUMN", "Column with the classes, as far as they are known.")
def query(
    model: str,
    source: TableArgument,
    ask: tuple[str, ...],
    form: str,
    output: str,
    carry: tuple[str, ...],
    as_json: bool,
    for_spreadsheets: bool,
    known_class: str | None,
    batch_rows: int,
) -> None:
    """Write the joint distribution of a few variables, given whatever else is known in each row.

    The variables asked about, the class among them or not, need not be columns of the table; other missing
    cells are summed out. Naive Bayes, trees, mixtures and evidence-average can be asked; the default model of
    fit cannot. Answers are exact, except for mixtures: rule=evidence samples clusterings when there are too
    many to sum over, and rule=stochastic_complexity finds a local maximum of the likelihood.

    \b
    Examples:
      codelength query model.json new.csv --ask outlook,wind
      codelength fit vote --model naive-bayes -o vote.json
      codelength query vote.json vote --ask class,crime --show joint
      codelength query zoo.json zoo --ask legs --show marginals -o legs.csv
    """
    from ..estimators import load, name_of
    from ..table import Schema

    check_outputs({"--output": output}, [model, *source.files], as_json=False)
    if for_spreadsheets:
        check_marked([None if as_json else output])
    fitted = load(model)
    if not hasattr(fitted, "query"):
        raise InvalidParameter(
            f"{model}: {name_of(fitted)} does not say how its variables vary together; fit naive-bayes or "
            "best-tree, or cluster the table"
        )
    question = fitted._fitted.question(_asked(ask, fitted.schema_))
    carried = list(dict.fromkeys(carry))
    if known_class is not None and fitted.schema_.target is None:
        raise InvalidParameter(f"--class: {name_of(fitted)} has no class; leave --class out")
    others = [known_class] if known_class else []
    # Columns of the variables asked about are not read.
    schema = Schema(tuple(each for each in fitted.schema_.variables if each.name not in question.names))
    # Each row has one probability per combination, of which there can be millions.
    rows_each = max(1, min(batch_rows, MAX_CELLS // question.n_combinations))

    def lines() -> "Iterator[ColumnDict]":
        start = 0
        for batch, beside in batches:
            known = batch.keep([name for name in schema.names if name in batch.names])
            y = None if known_class is None else batch.column(known_class).cells
            yield _columns(fitted.query(known, question.names, y), form, beside, start)
            start += batch.n_rows

    with (
        working("asking"),
        closing(source.tables(schema, rows_each, others=others, carried=carried)) as batches,
    ):
        write_rows(lines(), source.data, output, as_json=as_json, for_spreadsheets=for_spreadsheets)


def _asked(texts: Sequence[str], schema: "Schema") -> list[str]:
    """Return names separated by commas; a name that contains commas itself is taken whole.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> _asked(["x0,x1", "x2"], Schema.from_sizes([2, 2, 2]))
    ['x0', 'x1', 'x2']
    """
    own = () if schema.target is None else (schema.with_class_as_variable().names[-1],)
    known = {*schema.names, *own}
    return [name for text in texts for name in ([text] if text in known else text.split(","))]


def _columns(answer: "Answer", form: str, beside: "ColumnDict", start: int) -> "ColumnDict":
    """Return the columns of an answer, one or more lines per row.

    Parameters
    ----------
    answer : Answer
        Answer for some rows.
    form : str
        One of :data:`FORMS`; lines of ``"best"`` are not numbered, because there is one per row.
    beside : dict of str to array
        Columns of the rows that are carried over.
    start : int
        Rows before these.
    """
    import numpy as np

    n_rows, names = len(answer.probs), answer.variables
    lines: Sequence[Any] = answer.most_probable
    probs = answer.best_probs
    if form == "joint":
        lines, probs = list(answer.combinations) * n_rows, answer.probs.ravel()
    elif form == "marginals":
        own = zip(answer.variables, answer.values, strict=True)
        pairs = [(name, None if each is None else str(each)) for name, values in own for each in values]
        lines, names = pairs * n_rows, ("variable", "value")
        probs = np.concatenate(list(answer.marginals.values()), axis=1).ravel()
    times = len(lines) // n_rows
    row = [] if form == "best" else [np.repeat(np.arange(start + 1, start + n_rows + 1), times)]
    free = _free([*(["row"] if row else []), *names, "probability"], beside)
    cells = [[line[j] for line in lines] for j in range(len(names))]
    return {
        **dict(zip(free, row, strict=False)),
        **{name: column.take(np.repeat(np.arange(n_rows), times)) for name, column in beside.items()},
        **dict(zip(free[len(row) :], [*cells, probs], strict=True)),
    }


def _free(names: Sequence[str], beside: "ColumnDict") -> list[str]:
    """Return names that differ from each other and from the columns carried over by more than case.

    Examples
    --------
    >>> _free(["row", "class"], {"Class": []})
    ['row', 'predicted_class']
    """
    # Parquet readers such as DuckDB compare the names of columns without case.
    taken, found = {name.casefold() for name in beside}, []
    for name in names:
        candidates = itertools.chain([name, f"predicted_{name}"], (f"{name}_{n}" for n in itertools.count(2)))
        found.append(next(candidate for candidate in candidates if candidate.casefold() not in taken))
        taken.add(found[-1].casefold())
    return found
