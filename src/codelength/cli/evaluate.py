"""``codelength evaluate``."""

from dataclasses import asdict
from typing import Annotated

import typer

from ..errors import InvalidParameter
from .options import Absent, AsJson, Missing, Numeric, Prior, Target, chosen_rules, prior_of, read_with_target
from .output import decimals, print_json, print_table


def evaluate(
    data: Annotated[str, typer.Argument(help="A table, a bundled one's name, or - for standard input.")],
    target: Target = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(help="A rule to evaluate; all four by default. Repeatable.", show_default=False),
    ] = None,
    prior: Prior = "uniform",
    cv: Annotated[
        int | None,
        typer.Option(help="Folds of cross-validation instead of leave-one-out.", show_default=False),
    ] = None,
    repeats: Annotated[int, typer.Option(help="How often to repeat the cross-validation.")] = 1,
    train_fraction: Annotated[float, typer.Option(help="Share of the training folds to learn from.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Seed of the random folds.")] = 0,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    na: Absent = None,
    as_json: AsJson = False,
) -> None:
    """Compare the predictive rules on a table, by leave-one-out or by cross-validation.

    Accuracy and the Brier score (0 at best, 2 at worst) are means over all predictions; so is the log
    score, the log probability of the class that occurred in nats (higher is better). Zero rows are those
    whose class was given probability zero; in 0/0 rows every class was, and the uniform distribution
    stands in.

    Example:

      codelength evaluate train.csv --target play --cv 10 --repeats 10 --train-fraction 0.1
    """
    from ..experiments import evaluate as evaluate_rules

    if cv is None and (repeats != 1 or train_fraction != 1.0):
        raise InvalidParameter("--repeats and --train-fraction go with --cv; leave-one-out needs neither")
    columns, classes, name = read_with_target(data, target, na)
    results = evaluate_rules(
        columns,
        classes,
        rules=chosen_rules(rule),
        prior=prior_of(prior),
        missing=missing,  # type: ignore[arg-type]
        numeric=numeric,  # type: ignore[arg-type]
        n_folds=cv,
        repeats=repeats,
        train_fraction=train_fraction,
        random_state=seed,
    )
    protocol = "leave-one-out"
    if cv is not None:
        protocol = f"{repeats} x {cv}-fold cross-validation, {train_fraction:.0%} of the training rows"
    if as_json:
        documents = [asdict(result) | {"log_score_bits": result.log_score_bits} for result in results]
        print_json({"data": data, "target": name, "protocol": protocol, "results": documents})
        return
    print_table(
        f"{data}: {len(classes)} rows, predicting {name!r}, {protocol}",
        ["rule", "accuracy", "log score", "in bits", "Brier", "zero rows", "0/0 rows"],
        [
            [
                result.rule,
                decimals(result.accuracy),
                decimals(result.log_score),
                decimals(result.log_score_bits),
                decimals(result.brier_score),
                str(result.n_zero),
                str(result.n_undefined),
            ]
            for result in results
        ],
    )
