"""``codelength evaluate``."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..blocks import Block, Grid, Paragraph
from ..errors import InvalidParameter
from . import options
from .choices import COMPARABLE, RULE, Fraction, Whole
from .command import Section, command
from .models import build, check_capable, given, means_naive_bayes, parameters, parsed
from .output import decimals, print_json, show
from .progress import working
from .source import Source

if TYPE_CHECKING:
    from ..experiments import Evaluation
    from ..table import Table

in_evaluation = Section("Evaluation")

CELLS = ("missing", "numeric", "identifiers")
"""Options about cells, which are the same for all models where they are given."""

USUAL = ("model-average", "naive-bayes", "logistic-regression")
"""Kinds of models that are compared where none are named."""


@command("Compare classifiers on a table.")
@options.target
@options.table
@options.in_model(
    "--model kinds",
    COMPARABLE,
    f"Kind of model to compare; by default {', '.join(USUAL)}.",
    multiple=True,
)
@options.in_model(
    "--rule rules", RULE, "Rule of naive-bayes to compare; without --model all are.", multiple=True
)
@options.prior
@options.select
@options.cells
@options.identifiers
@options.seed
@options.param
@in_evaluation(
    "--cv",
    Whole("cv", 2),
    "Folds of cross-validation. Without it, leave-one-out where every model has it without refitting, else "
    "10 folds.",
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
    """Compare classifiers on a table, by leave-one-out or by cross-validation, the best first.

    By default these are the average over model classes, naive Bayes under its four rules, and the logistic
    regression of scikit-learn, tuned. All predict the same rows from the same rows.

    The log score is the mean log probability of the class that occurred, in nats (0 at best). The Brier score
    is 0 at best and 2 at worst. Calibration is the mean distance between the probabilities promised and the
    share that came true (0 at best). The last column is the time of one fit. With --select the variables are
    chosen again without the rows that are predicted, so that the scores are honest.

    \b
    Examples:
      codelength evaluate vote
      codelength evaluate vote --rule evidence --rule map
      codelength evaluate zoo --model model-average --model random-forest
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
    with working("evaluating") as progress:
        results = evaluated(
            table,
            models,
            n_folds=cv,
            repeats=repeats or 1,
            train_fraction=train_fraction or 1.0,
            random_state=seed or 0,
            progress=progress,
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
) -> dict[str, Any]:
    """The models to compare, by what the results call them."""
    from ..rules import RULES

    if not kinds:
        kinds = ("naive-bayes",) if rules or means_naive_bayes(chosen, params) else USUAL
        rules = rules or (() if "rule" in parsed(params) else tuple(RULES))
    kinds = tuple(dict.fromkeys(kinds))
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
    names = ["model", "log score", "accuracy", "Brier", "calibration", "fit, s"]
    rows = [
        [
            result.model,
            decimals(result.log_score),
            decimals(result.accuracy),
            decimals(result.brier_score),
            decimals(result.calibration_error),
            decimals(result.fit_seconds, 2),
        ]
        for result in sorted(results, key=lambda result: -result.log_score)
    ]
    title = f"{data}: {table.n_rows} rows, predicting {table.target.name}, by {results[0].protocol}"
    told = [_zeros(result) for result in results if result.n_zero or result.n_undefined]
    return [Grid(title, names, rows), *(Paragraph(text) for text in told)]


def _zeros(result: "Evaluation") -> str:
    """Where a model gave probability zero to what happened, in words."""
    parts = []
    if result.n_zero:
        rows = "1 row" if result.n_zero == 1 else f"{result.n_zero:,} rows"
        parts.append(f"gave probability zero to the class that occurred in {rows}")
    if result.n_undefined:
        rows = "1 row" if result.n_undefined == 1 else f"{result.n_undefined:,} rows"
        parts.append(f"gave every class probability zero (0/0) in {rows}, where it guesses")
    return f"{result.model} {', and '.join(parts)}."
