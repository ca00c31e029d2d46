"""``codelength query``."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter
from . import options
from .choices import FILE
from .command import argument, command
from .param_types import Choice, Whole
from .progress import working
from .rows import write_rows
from .saving import check_marked, check_outputs
from .source import TableArgument

if TYPE_CHECKING:
    from ..naive_bayes.answer import Answer
    from ..sources.files._cells import ColumnDict
    from ..table import Schema, Table

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
@options.in_output(
    "--output -o",
    FILE,
    "Write the answers here, as .csv, .csv.gz, .tsv or .parquet; - for standard output.",
    default="-",
)
@options.in_output("--carry", "COLUMN", "Carry a column of the table over to the output.", multiple=True)
@options.in_output("--json as_json", None, "Write JSON: a list of rows.")
@options.for_spreadsheets
@options.in_table("--class known_class", "COLUMN", "Column with the classes, as far as they are known.")
@options.in_table("--batch-rows", Whole("batch_rows"), "Rows held in memory at a time.", default=BATCH_ROWS)
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
    schema = _read_schema(fitted.schema_, question.names)
    # Each row has one probability per combination, of which there can be millions.
    rows_each = max(1, min(batch_rows, MAX_CELLS // question.n_combinations))
    with (
        working("asking"),
        closing(source.tables(schema, rows_each, others=others, carried=carried)) as batches,
    ):
        lines = _lines(fitted, batches, question.names, known_class, form)
        write_rows(lines, source.data, output, as_json=as_json, for_spreadsheets=for_spreadsheets)


def _asked(texts: Sequence[str], schema: "Schema") -> list[str]:
    """Return names separated by commas; a name that contains commas itself is taken whole."""
    own = () if schema.target is None else (schema.with_class_as_variable().names[-1],)
    known = {*schema.names, *own}
    return [name for text in texts for name in ([text] if text in known else text.split(","))]


def _read_schema(schema: "Schema", asked: Sequence[str]) -> "Schema":
    """Return the schema of the columns to read: the variables that are not asked about."""
    from ..table import Schema

    return Schema(tuple(variable for variable in schema.variables if variable.name not in asked))


def _lines(
    fitted: Any,
    batches: "Iterator[tuple[Table, ColumnDict]]",
    asked: Sequence[str],
    known_class: str | None,
    form: str,
) -> "Iterator[ColumnDict]":
    """Yield the columns of the answers, one batch at a time."""
    start = 0
    for batch, beside in batches:
        known = batch.keep(
            [name for name in fitted.schema_.names if name in batch.names and name not in asked]
        )
        y = None if known_class is None else batch.column(known_class).cells
        answer = fitted.query(known, asked, y)
        yield _SHAPES[form](answer, beside, start)
        start += batch.n_rows


def _best(answer: "Answer", beside: "ColumnDict", start: int) -> "ColumnDict":
    """Return one line per row: the most probable combination."""
    from ..sources.files._cells import object_array

    names = _free([*answer.variables, "probability"], beside)
    best = answer.most_probable
    columns = {name: object_array([each[j] for each in best]) for j, name in enumerate(names[:-1])}
    return {**beside, **columns, names[-1]: answer.best_probs}


def _joint(answer: "Answer", beside: "ColumnDict", start: int) -> "ColumnDict":
    """Return one line per row and combination."""
    import numpy as np

    from ..sources.files._cells import object_array, repeated

    n_rows, combinations = len(answer.probs), answer.combinations
    row, *names, probability = _free(["row", *answer.variables, "probability"], beside)
    numbers = np.arange(start + 1, start + n_rows + 1)
    return {
        row: np.repeat(numbers, len(combinations)),
        **{name: repeated(cells, len(combinations)) for name, cells in beside.items()},
        **{name: object_array([each[j] for each in combinations] * n_rows) for j, name in enumerate(names)},
        probability: answer.probs.ravel(),
    }


def _marginals(answer: "Answer", beside: "ColumnDict", start: int) -> "ColumnDict":
    """Return one line per row, variable and value."""
    import numpy as np

    from ..sources.files._cells import object_array, repeated

    pairs = [
        (name, value) for name, own in zip(answer.variables, answer.values, strict=True) for value in own
    ]
    n_rows = len(answer.probs)
    row, variable, value, probability = _free(["row", "variable", "value", "probability"], beside)
    return {
        row: np.repeat(np.arange(start + 1, start + n_rows + 1), len(pairs)),
        **{name: repeated(cells, len(pairs)) for name, cells in beside.items()},
        variable: object_array([name for name, _ in pairs] * n_rows),
        value: object_array([None if each is None else str(each) for _, each in pairs] * n_rows),
        probability: np.concatenate(list(answer.marginals.values()), axis=1).ravel(),
    }


_SHAPES = {"best": _best, "joint": _joint, "marginals": _marginals}


def _free(names: Sequence[str], beside: "ColumnDict") -> list[str]:
    """Return names that differ from each other and from the columns carried over by more than case."""
    # Parquet readers such as DuckDB compare the names of columns without case.
    taken, found = {name.casefold() for name in beside}, []
    for name in names:
        candidates = itertools.chain([name, f"predicted_{name}"], (f"{name}_{n}" for n in itertools.count(2)))
        found.append(next(candidate for candidate in candidates if candidate.casefold() not in taken))
        taken.add(found[-1].casefold())
    return found
