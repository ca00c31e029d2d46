"""Options that several commands share, and what their words stand for."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidParameter

if TYPE_CHECKING:
    from ..rules import PriorLike
    from ..table.files.readers import ColumnDict

RULE_NAMES = ("evidence", "map", "stochastic_complexity", "indifferent")

Target = Annotated[
    str | None, typer.Option("--target", "-t", help="The column to predict.", show_default=False)
]
Prior = Annotated[
    str,
    typer.Option(
        help="uniform, jeffreys, indifferent, or a number: an equivalent sample size.", metavar="PRIOR"
    ),
]
Missing = Annotated[
    str, typer.Option(help="ignore (marginalise) missing cells, or make them a value.", metavar="HOW")
]
Numeric = Annotated[
    str, typer.Option(help="Columns of numbers: auto, discretize, category or error.", metavar="HOW")
]
Absent = Annotated[
    list[str] | None,
    typer.Option("--na", help="A text that means missing, such as '?'. Repeatable.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def prior_of(text: str) -> "PriorLike":
    """The prior that a word or a number on the command line stands for."""
    try:
        return float(text)
    except ValueError:
        return text


def chosen_rules(names: list[str] | None) -> list[Any]:
    """The rules named on the command line, or all."""
    for name in names or ():
        if name not in RULE_NAMES:
            raise InvalidParameter(f"--rule {name!r}: expected one of {', '.join(RULE_NAMES)}")
    return list(names or RULE_NAMES)


def read_with_target(source: str, target: str | None, na: list[str] | None) -> "tuple[ColumnDict, Any, str]":
    """A table from a file, or a bundled one by its name; its target column, and the target's name."""
    from .. import datasets
    from ..errors import SchemaMismatch
    from ..table.files.readers import read_columns, suggestion

    if source in datasets.names():
        bundled = datasets.load(source, target=target, backend="columns")
        return bundled.frame, bundled.target, bundled.target_name
    if target is None:
        raise InvalidParameter("--target is missing: name the column to predict")
    columns = read_columns(source, na=na or ())
    if target not in columns:
        shown = "standard input" if source == "-" else source
        raise SchemaMismatch(f"{shown}: has no column {target!r} to predict{suggestion(target, columns)}")
    return columns, columns.pop(target), target
