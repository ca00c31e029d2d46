"""``codelength fit``."""

import math
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidParameter
from .options import RULE_NAMES, Absent, AsJson, Missing, Numeric, Prior, Target, prior_of, read_with_target
from .output import print_json


def fit(
    data: Annotated[str, typer.Argument(help="The training table; - for standard input.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the model.", show_default=False)
    ],
    target: Target = None,
    rule: Annotated[str, typer.Option(help=", ".join(RULE_NAMES) + ".", metavar="RULE")] = "evidence",
    prior: Prior = "uniform",
    select: Annotated[
        str | None,
        typer.Option(
            help="Choose variables by prequential, leave_one_out or evidence.",
            metavar="HOW",
            show_default=False,
        ),
    ] = None,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    na: Absent = None,
    as_json: AsJson = False,
) -> None:
    """Count a table and write the model.

    Example:

      codelength fit train.csv --target play -o model.json
    """
    from ..estimators import NaiveBayes
    from ..table.target import target_column

    if rule not in RULE_NAMES:
        raise InvalidParameter(f"--rule {rule!r}: expected one of {', '.join(RULE_NAMES)}")
    columns, classes, name = read_with_target(data, target, na)
    model = NaiveBayes(rule, prior_of(prior), missing=missing, numeric=numeric, select=select)  # type: ignore[arg-type]
    model.fit(columns, target_column(classes, name))
    model.save(output)
    length = model.code_length_
    if as_json:
        print_json(
            {
                "model": str(output),
                "rows": len(classes),
                "variables": model.n_features_in_,
                "classes": list(model.schema_.classes),
                "code_length_nats": length,
                "code_length_bits": length / math.log(2),
            }
        )
        return
    typer.echo(
        f"{output}: {len(classes)} rows, {model.n_features_in_} variables, {len(model.classes_)} classes; "
        f"code length {length:.1f} nats ({length / math.log(2):.1f} bits)"
    )
    if select is not None:
        chosen = [model.schema_.names[i] for i in model.selection_.selected]
        typer.echo(f"  {len(chosen)} variables predict: {', '.join(chosen) or 'none'}")
    for line in model.schema_.describe().splitlines():
        typer.echo(f"  {line}")
