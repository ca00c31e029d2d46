"""``codelength inspect``."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import AsJson
from .output import print_json, print_table

if TYPE_CHECKING:
    from ..estimators import NaiveBayes


def inspect(
    model: Annotated[str, typer.Argument(help="A model file written by codelength fit.")],
    as_json: AsJson = False,
) -> None:
    """Show what a model knows: its rule, its classes, its variables and their values.

    Example:

      codelength inspect model.json
    """
    from ..estimators import load

    fitted = load(model)
    if as_json:
        print_json(_document(fitted))
        return
    length, n_rows = fitted.code_length_, fitted.counts_.n_rows
    typer.echo(
        f"{model}: NaiveBayes, rule {fitted.rule}, prior {fitted.prior}, missing cells: {fitted.missing}"
    )
    typer.echo(f"{n_rows:g} rows; code length {length:.1f} nats ({length / math.log(2):.1f} bits)")
    schema = fitted.schema_
    target = schema.target.name if schema.target else "class"
    print_table(
        f"target {target!r}",
        ["class", "rows"],
        [
            [str(label), f"{rows:g}"]
            for label, rows in zip(schema.classes, fitted.counts_.class_counts, strict=True)
        ],
    )
    print_table(
        "variables",
        ["variable", "kind", "values", "how they were settled"],
        [
            [variable.name, variable.kind, _shown(variable.values), variable.origin]
            for variable in schema.variables
        ],
        n_text=4,
    )


def _document(fitted: "NaiveBayes") -> dict[str, Any]:
    params = fitted.get_params(deep=False)
    prior = params["prior"]
    return {
        "kind": type(fitted).__name__,
        "rule": params["rule"],
        "prior": prior.to_json() if hasattr(prior, "to_json") else prior,
        "missing": params["missing"],
        "handle_unknown": params["handle_unknown"],
        "rows": fitted.counts_.n_rows,
        "code_length_nats": fitted.code_length_,
        "schema": fitted.schema_.to_json(),
        "class_counts": fitted.counts_.class_counts.tolist(),
    }


def _shown(values: tuple[Any, ...], most: int = 8) -> str:
    texts = ["missing" if value is None else str(value) for value in values]
    return ", ".join(texts[:most]) + (f", ... {len(texts) - most} more" if len(texts) > most else "")
