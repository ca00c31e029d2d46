"""``codelength evaluate``."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..blocks import Block, Grid
from ..errors import InvalidParameter
from . import options
from .choices import CLASSIFIER, RULE, Fraction, Whole
from .command import Section, command
from .models import build, check_capable, given, parameters, parsed
from .output import decimals, print_json, show
from .progress import working
from .source import Source

if TYPE_CHECKING:
    from ..estimators.contract import TableEstimator
    from ..experiments import Evaluation
    from ..table import Table

in_evaluation = Section("Evaluation")

CELLS = ("missing", "numeric", "identifiers")
"""Options about cells, which are the same for all models."""


@command("Compare classifiers on a table.")
@options.target
@options.table
@options.in_model(
    "--model kinds", CLASSIFIER, "Kind of model to compare; by default naive-bayes.", multiple=True
)
@options.in_model("--rule rules", RULE, "Rule to compare; without --model all are.", multiple=True)
@options.prior
@options.select
@options.cells
@options.identifiers
@options.seed
@options.param
@in_evaluation(
    "--cv",
    Whole("cv", 2),
    "Folds of cross-validation. Without it, leave-one-out where every model has it in closed form, else 10 "
    "folds.",
)
@in_evaluation("--repeats", Whole("repeats"), "How often to repeat the cross-validation.", usual="1")
@in_evaluation(
    "--train-fraction",
    Fraction("train_fraction"),
    "Share of the training rows to learn from.",
    usual="1",
)
@options.as_json
def evaluate(
    source: Source,
    kinds: tuple[str, ...],
    rules: tuple[str, ...],
    params: tuple[str, ...],
    cv: int | None,
    repeats: int | None,
    train_fraction: float | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare classifiers on a table, by leave-one-out or by cross-validation.

    Accuracy, log score and Brier score are means over all predictions. The log score is the log probability
    of the class that occurred, in nats (0 at best); the Brier score is 0 at best and 2 at worst. In zero rows
    the class that occurred was given probability zero; in 0/0 rows every class was, and the uniform
    distribution stands in. With --select the variables are chosen again without the rows that are
    predicted, so that the scores are honest.

    \b
    Examples:
      codelength evaluate vote
      codelength evaluate zoo --model naive-bayes --model mixture-classifier
      codelength evaluate vote --select leave_one_out
      codelength evaluate train.csv --target play --cv 10 --repeats 10
    """
    from ..experiments import evaluate as evaluated

    seed, cells = chosen.pop("seed"), {name: chosen.pop(name) for name in CELLS}
    models = _models(kinds, rules, chosen, params, seed)
    for model in models.values():
        check_capable(model, source)
    by_leaving_out = cv is None and all("leave_one_out" in model.capabilities for model in models.values())
    if by_leaving_out and (repeats is not None or train_fraction is not None):
        raise InvalidParameter("--repeats and --train-fraction go with --cv; leave-one-out needs neither")
    table = source.read(needs_target=True)
    with working("evaluating"):
        results = evaluated(
            table,
            models,
            n_folds=cv,
            repeats=repeats or 1,
            train_fraction=train_fraction or 1.0,
            random_state=seed or 0,
            **cells,
        )
    if as_json:
        print_json(_document(results, source.data, table))
    else:
        show(_blocks(results, source.data, table))


def _models(
    kinds: Sequence[str],
    rules: Sequence[str],
    chosen: dict[str, Any],
    params: Sequence[str],
    seed: int | None,
) -> "dict[str, TableEstimator]":
    """The models to compare, by what the results call them."""
    from ..rules import RULES

    if not kinds and not rules and "rule" not in parsed(params):
        rules = tuple(RULES)
    kinds = tuple(dict.fromkeys(kinds or ("naive-bayes",)))
    values = given(kinds, chosen | {"rule": rules or None}, params) | {"random_state": seed or 0}
    models = {}
    for kind in kinds:
        if not rules or "rule" not in parameters(kind):
            models[kind] = build(kind, values)
            continue
        for rule in rules:
            models[rule if len(kinds) == 1 else f"{kind} {rule}"] = build(kind, values | {"rule": rule})
    return models


def _document(results: "Sequence[Evaluation]", data: str, table: "Table") -> dict[str, Any]:
    assert table.target is not None
    return {
        "data": data,
        "rows": table.n_rows,
        "target": table.target.name,
        "protocol": results[0].protocol,
        "results": [asdict(result) | {"log_score_bits": result.log_score_bits} for result in results],
    }


def _blocks(results: "Sequence[Evaluation]", data: str, table: "Table") -> list[Block]:
    assert table.target is not None
    names = ["model", "accuracy", "log score", "in bits", "Brier", "zero rows", "0/0 rows"]
    rows = [
        [
            result.model,
            decimals(result.accuracy),
            decimals(result.log_score),
            decimals(result.log_score_bits),
            decimals(result.brier_score),
            str(result.n_zero),
            str(result.n_undefined),
        ]
        for result in results
    ]
    title = f"{data}: {table.n_rows} rows, predicting {table.target.name}, by {results[0].protocol}"
    return [Grid(title, names, rows)]
