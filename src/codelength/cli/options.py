"""Options that several commands share, and the sections of the help they belong to.

An option that means the same in two commands is defined once, here, with one name, one letter and one text.
Commands apply these objects as decorators: single options (``target``, ``seed``), groups of them (``cells``,
:func:`rows_output`), or the table with the options about its columns (:func:`table`, :func:`any_table`,
:func:`optional_table`), which a command receives as one argument ``source``.

Depends on ``command`` (sections of the help), ``choices`` (types of values) and ``source``.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..errors import InvalidParameter
from .choices import (
    FILE,
    IDENTIFIERS,
    MISSING,
    NUMERIC,
    PRIOR,
    PRIOR_OR_MODEL,
    TABLE,
    VARIABLE_CRITERION,
    Whole,
)
from .command import argument, section
from .source import TableArgument

F = TypeVar("F", bound=Callable[..., Any])

in_table, in_model, in_output = section("Table"), section("Model"), section("Output")


def _all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds several options."""
    # Decorators apply from the inside out; reversed, options appear in the help in the order of the list.
    return lambda command: functools.reduce(lambda made, add: add(made), reversed(options), command)


_columns = _all_of(
    in_table("--drop", "COLUMN", "Leave a column out, such as an identifier.", multiple=True),
    in_table(
        "--keep",
        "COLUMN",
        "Use only this column (besides the target and the weights).",
        multiple=True,
    ),
    in_table("--weights", "COLUMN", "Column that says how many rows each row stands for."),
    in_table(
        "--na",
        "TEXT",
        "Text that means missing in a text file; by default NA, ? and an empty field.",
        multiple=True,
    ),
)

target = in_table("--target -t", "COLUMN", "Column to predict; bundled tables have one.")
prior = in_model("--prior", PRIOR, "Pseudocounts to start from.", usual="uniform")
prior_or_model = in_model("--prior", PRIOR_OR_MODEL, "Pseudocounts to start from.", usual="uniform")
select = in_model(
    "--select",
    VARIABLE_CRITERION,
    "Choose the variables of naive Bayes by this criterion; by default it uses all.",
)
seed = in_model("--seed", Whole("seed", 0), "Seed of the random numbers.", usual="0")
identifiers = in_model(
    "--identifiers",
    IDENTIFIERS,
    "How to treat columns of identifiers and free text: leave them out, refuse them, or keep them.",
    usual="ignore",
)
param = in_model(
    "--param params",
    "NAME=VALUE",
    "Set any other parameter of the model, named as in Python; the value is JSON or text.",
    multiple=True,
)
as_json = in_output("--json as_json", None, "Print JSON for machines.")
for_spreadsheets = in_output(
    "--for-spreadsheets",
    None,
    "In CSV files, put an apostrophe before text that a spreadsheet would run as a formula (=, +, -, @).",
)

_query = _all_of(
    in_table("--sql", "QUERY", "A query whose result is the table, instead of DATA."),
    in_table(
        "--database",
        "FILE",
        "The database of the query: a DuckDB or SQLite file, or postgresql://USER@HOST/NAME. Without it the "
        "query reads files, as in select * from 'sales/*.parquet', by DuckDB's rules, which may give columns "
        "other types than reading the files directly.",
    ),
)

cells = _all_of(
    in_model(
        "--missing",
        MISSING,
        "Whether missing cells say nothing, or are a value of their own; the default depends on the model.",
    ),
    in_model(
        "--numeric",
        NUMERIC,
        "How columns of numbers are treated: as intervals (discretize), averaged over intervals (average), "
        "as categories (category), refused (error), or as suits the column (auto); the default depends on "
        "the model.",
    ),
)


def table(command: F) -> F:
    """Add the argument DATA and the options about its columns, passed on as one :class:`TableArgument`."""
    return _with_source(command, _DATA, metavar="DATA")


def any_table(command: F) -> F:
    """Add the same as :func:`table`, with a query as an alternative to DATA."""
    return _with_source(_query(command), _STREAM, metavar="[DATA]", required=False)


def optional_table(command: F) -> F:
    """Add the same as :func:`table`; the source is None if DATA is not given."""
    return _with_source(command, _DATA, metavar="[DATA]", required=False)


def _with_source(command: F, purpose: str, **attrs: Any) -> F:
    """Wrap a command so that DATA and the options about its columns arrive as one ``TableArgument``."""

    # Click takes the help from the docstring of the wrapped command.
    @functools.wraps(command)
    def with_source(
        *,
        data: str | None,
        na: tuple[str, ...],
        target: str | None = None,
        sql: str | None = None,
        database: str | None = None,
        **others: Any,
    ) -> Any:
        columns = {name: others.pop(name) for name in ("weights", "drop", "keep")}
        source = None
        if sql is not None or database is not None:
            _check_query(data, sql, na)
            # A query has no name; messages need one.
            source = TableArgument("the query", target, sql=sql, database=database, **columns)
        elif data is not None:
            source = TableArgument(data, target, na=na, **columns)
        elif purpose == _STREAM:
            raise InvalidParameter("DATA is missing: name a table, or give --sql")
        return command(source=source, **others)

    add = argument("data", type=TABLE, purpose=purpose, **attrs)
    return add(_columns(cast(F, with_source)))


def model_output(*, required: bool) -> Callable[[F], F]:
    """Add the option for the file of the model, with the same letter in every command."""
    return in_output(
        "--output -o", FILE, "Write the model here, as JSON; - for standard output.", required=required
    )


def rows_output(what: str, n_rows: int) -> Callable[[F], F]:
    """Add the options of commands that write rows: file, columns to carry over, JSON and size of a batch."""
    purpose = f"Write the {what} here, as {{written}}; - for standard output."
    return _all_of(
        in_output("--output -o", FILE, purpose, default="-"),
        in_output("--carry", "COLUMN", "Carry a column of the table over to the output.", multiple=True),
        in_output("--json as_json", None, "Write JSON: a list of rows."),
        for_spreadsheets,
        in_table("--batch-rows", Whole("batch_rows"), "Rows held in memory at a time.", default=n_rows),
    )


_DATA = (
    "A table: a {read} file, the name of a bundled table (see codelength datasets), or - for standard input."
)

_STREAM = (
    "A table: a {read} file, a directory or a quoted pattern of them, the name of a bundled table (see "
    "codelength datasets), or - for standard input. Or give --sql."
)


def _check_query(data: str | None, sql: str | None, na: tuple[str, ...]) -> None:
    """Raise if a query is combined with options that it does not have."""
    if sql is None:
        raise InvalidParameter("--database goes with --sql; write a query, such as 'select * from sales'")
    if data is not None:
        raise InvalidParameter(f"DATA {data!r:.60} and --sql both name a table; leave one of them out")
    if na:
        raise InvalidParameter("--na: the cells of a query have types; write nullif(column, 'text') in it")
