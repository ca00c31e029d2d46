"""``codelength inspect``."""

import math
from typing import Annotated, Any

import typer

from .options import AsJson
from .output import print_json, print_table


def inspect(
    model: Annotated[str, typer.Argument(help="A model file written by fit, select or cluster.")],
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
    options = ", ".join(f"{name} {value}" for name, value in _options(fitted).items() if value is not None)
    typer.echo(f"{model}: {type(fitted).__name__}, {options}")
    for line in _knows(fitted):
        typer.echo(line)
    schema = fitted.schema_
    if schema.target is not None:
        print_table(f"target {schema.target.name!r}", ["class", "rows"], _classes(fitted))
    print_table(
        "variables",
        ["variable", "kind", "values", "how they were settled"],
        [
            [variable.name, variable.kind, _shown(variable.values), variable.origin]
            for variable in schema.variables
        ],
        n_text=4,
    )


def _options(fitted: Any) -> dict[str, Any]:
    """The options of the estimator that JSON can hold as they are."""
    options = {name: value for name, value in fitted.get_params(deep=False).items() if name != "schema"}
    prior = options["prior"]
    return options | {"prior": prior.to_json() if hasattr(prior, "to_json") else prior}


def _knows(fitted: Any) -> list[str]:
    """What kinds of models have to say beside their variables."""
    if hasattr(fitted, "counts_"):
        length = fitted.code_length_
        bits = length / math.log(2)
        return [f"{fitted.counts_.n_rows:g} rows; code length {length:.1f} nats ({bits:.1f} bits)"]
    if hasattr(fitted, "parameters_"):
        shares = ", ".join(f"{share:.3g}" for share in fitted.parameters_.class_probs)
        tried = ", ".join(f"{size}: {length:.1f}" for size, length in fitted.criterion_path_.items())
        return [
            f"{fitted.n_components_} components with shares {shares}",
            f"code lengths in nats by number: {tried}",
        ]
    best = fitted.selection_table_[0]
    return [
        f"{len(fitted.selection_table_)} candidates; the best: "
        + ", ".join(f"{k} {v}" for k, v in best.items())
    ]


def _classes(fitted: Any) -> list[list[str]]:
    counts = fitted.counts_.class_counts if hasattr(fitted, "counts_") else None
    return [
        [str(label), "" if counts is None else f"{counts[k]:g}"]
        for k, label in enumerate(fitted.schema_.classes)
    ]


def _document(fitted: Any) -> dict[str, Any]:
    document = {"kind": type(fitted).__name__, **_options(fitted), "schema": fitted.schema_.to_json()}
    if hasattr(fitted, "counts_"):
        document |= {
            "rows": fitted.counts_.n_rows,
            "code_length_nats": fitted.code_length_,
            "class_counts": fitted.counts_.class_counts.tolist(),
        }
    elif hasattr(fitted, "parameters_"):
        document |= {
            "components": fitted.n_components_,
            "component_probs": fitted.parameters_.class_probs.tolist(),
            "code_lengths_nats": fitted.criterion_path_,
        }
    else:
        document |= {"selection": fitted.selection_table_}
    return document


def _shown(values: tuple[Any, ...], most: int = 8) -> str:
    texts = ["missing" if value is None else str(value) for value in values]
    return ", ".join(texts[:most]) + (f", ... {len(texts) - most} more" if len(texts) > most else "")
