"""Options that several commands share."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from .choices import FILE, IDENTIFIERS, MISSING, NUMERIC, PRIOR, TABLE, VARIABLE_CRITERION, Whole
from .command import argument, option
from .source import Source

F = TypeVar("F", bound=Callable[..., Any])

TABLE_SECTION = "Table"
MODEL_SECTION = "Model"
OUTPUT_SECTION = "Output"

_COLUMNS: list[Callable[[Any], Any]] = [
    option(
        "--drop",
        metavar="COLUMN",
        multiple=True,
        section=TABLE_SECTION,
        help="Leave a column out, such as an identifier.",
    ),
    option(
        "--keep",
        metavar="COLUMN",
        multiple=True,
        section=TABLE_SECTION,
        help="Take only the columns that are named so (and the target and the weights).",
    ),
    option(
        "--weights",
        metavar="COLUMN",
        section=TABLE_SECTION,
        help="Column that says how many rows each row stands for.",
    ),
    option(
        "--na",
        metavar="TEXT",
        multiple=True,
        section=TABLE_SECTION,
        help="Text that means missing in a text file; by default NA, ? and an empty field.",
    ),
]

target_option = option(
    "--target",
    "-t",
    metavar="COLUMN",
    section=TABLE_SECTION,
    help="Column to predict; bundled tables have one.",
)
prior_option = option(
    "--prior",
    metavar="NAME|NUMBER",
    type=PRIOR,
    section=MODEL_SECTION,
    usual="uniform",
    help="Pseudocounts to start from.",
)
select_option = option(
    "--select",
    metavar="NAME",
    type=VARIABLE_CRITERION,
    section=MODEL_SECTION,
    help="Choose the variables that predict by this criterion; without it all do.",
)
seed_option = option(
    "--seed",
    metavar="NUMBER",
    type=Whole("seed", 0),
    section=MODEL_SECTION,
    usual="0",
    help="Where random numbers start.",
)
identifiers_option = option(
    "--identifiers",
    metavar="NAME",
    type=IDENTIFIERS,
    section=MODEL_SECTION,
    usual="ignore",
    help="What becomes of columns of identifiers and free text.",
)
param_option = option(
    "--param",
    "params",
    metavar="NAME=VALUE",
    multiple=True,
    section=MODEL_SECTION,
    help="Set any other parameter of the model, named as in Python; the value is JSON or text.",
)
as_json_option = option(
    "--json", "as_json", is_flag=True, section=OUTPUT_SECTION, help="Print JSON for machines."
)

_CELLS: list[Callable[[Any], Any]] = [
    option(
        "--missing",
        metavar="NAME",
        type=MISSING,
        section=MODEL_SECTION,
        usual="ignore",
        help="Whether missing cells are marginalised, or a value of their own.",
    ),
    option(
        "--numeric",
        metavar="NAME",
        type=NUMERIC,
        section=MODEL_SECTION,
        usual="auto",
        help="What becomes of columns of numbers.",
    ),
]


def table_options(command: F) -> F:
    """The argument DATA and the options about its columns, handed on as one :class:`Source`."""

    @functools.wraps(command)
    def with_source(
        *,
        data: str,
        drop: tuple[str, ...],
        keep: tuple[str, ...],
        weights: str | None,
        na: tuple[str, ...],
        target: str | None = None,
        **others: Any,
    ) -> Any:
        return command(source=Source(data, target, weights, drop, keep, na), **others)

    return _data(_all_of(_COLUMNS)(cast(F, with_source)))


def cell_options(command: F) -> F:
    """How cells become values."""
    return _all_of(_CELLS)(command)


def model_output_option(*, required: bool) -> Callable[[F], F]:
    """Where the model goes; the same letter in every command."""
    return option(
        "--output",
        "-o",
        metavar="FILE",
        type=FILE,
        required=required,
        section=OUTPUT_SECTION,
        help="Write the model here, as JSON; - for standard output.",
    )


_data = argument(
    "data",
    metavar="DATA",
    type=TABLE,
    purpose="A table: a .csv, .tsv, .parquet, .arff or .json file, the name of a bundled table (see "
    "codelength datasets), or - for standard input.",
)


def _all_of(options: list[Callable[[Any], Any]]) -> Callable[[F], F]:
    def add(command: F) -> F:
        for each in reversed(options):
            command = each(command)
        return command

    return add
