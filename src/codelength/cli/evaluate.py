"""``codelength evaluate``.

A table in memory is evaluated by :func:`codelength.evaluate` under the protocol asked for. Of a table that is
read in batches, naive Bayes can be evaluated by leave-one-out in two passes: one counts, one scores every row
without itself.

Order of reading: ``evaluate``, ``_models`` (which models are compared, and their names), ``_streamed``
(batches), ``_document`` and ``_blocks`` (the same results as JSON and as text).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from .._display import counted
from ..blocks import Block, Grid, Paragraph
from ..errors import InvalidParameter
from . import options
from .choices import COMPARABLE, FRACTION, RULE, Whole
from .command import command, section
from .models import build, check_capable, given, means_naive_bayes, parameters, parsed
from .output import print_json, show
from .progress import counting, working
from .source import TableArgument

if TYPE_CHECKING:
    from ..evaluation import Evaluation

in_evaluation = section("Evaluation")

CELLS = ("missing", "numeric", "identifiers")
"""Options about cells, which hold for all models if they are given."""

USUAL = ("model-average", "naive-bayes", "logistic-regression")
"""Kinds of models that are compared by default."""


@command("Compare classifiers on a table.")
@options.target
@options.any_table
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
    "Folds of cross-validation; by default leave-one-out if no model has to be refitted for it, else 10.",
)
@in_evaluation("--repeats", Whole("repeats"), "How often to repeat the cross-validation.", usual="1")
@in_evaluation(
    "--train-fraction",
    FRACTION,
    "Share of the training rows to learn from.",
    usual="1",
)
@options.as_json
def evaluate(
    source: TableArgument,
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
    regression of scikit-learn, tuned. All models learn from the same rows and predict the same held-out rows.

    The log score is the mean log probability of the class that occurred, in nats (0 at best). Differences
    from the best model are paired over rows, and ± is one standard error: a model within two of them is tied
    with the best. The Brier score is 0 at best and 2 at worst. Calibration is the mean distance between
    predicted probabilities and observed frequencies (0 at best). The last column is the time of one fit.
    With --select the variables are chosen again without the rows that are predicted, so that the scores are
    honest.

    \b
    Examples:
      codelength evaluate vote
      codelength evaluate vote --rule evidence --rule map
      codelength evaluate zoo --model model-average --model random-forest
      codelength evaluate train.csv --target play --cv 10 --repeats 10
      codelength evaluate 'sales/*.parquet' -t paid --rule evidence --rule map
    """
    from ..estimators import capabilities_of
    from ..evaluation import evaluate as evaluated

    # The seed is for the folds as well as for models, and is not a parameter of all of them.
    seed, cells = chosen.pop("seed"), {name: chosen[name] for name in CELLS}
    models = _models(kinds, rules, chosen, params, seed)
    able = {"leave_one_out", "fit_table"}
    for model in models.values():
        check_capable(model, source)
        able &= {str(name) for name in capabilities_of(model)}
    by_leaving_out = "leave_one_out" in able and cv is None
    if by_leaving_out and (repeats is not None or train_fraction is not None):
        raise InvalidParameter("--repeats and --train-fraction go with --cv; leave-one-out needs neither")
    # Leave-one-out of naive Bayes needs counts only, so that a table of any size can be read in batches.
    is_counted = "fit_table" in able and all(model.select is None for model in models.values())
    if source.is_large and by_leaving_out and is_counted:
        results = _streamed(models, source, cells)
        about = (source.data, results[0].n_predictions, source.target or "")
    else:
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
        assert table.target is not None
        about = (source.data, table.n_rows, table.target.name)
    if as_json:
        print_json(_document(results, *about))
    else:
        show(_blocks(results, *about))


def _streamed(
    models: Mapping[str, Any], source: TableArgument, cells: Mapping[str, Any]
) -> "list[Evaluation]":
    """Evaluate by leave-one-out in batches; the rows are counted once for all models."""
    from ..evaluation.evaluate import evaluate_batches

    if source.target is None:
        raise InvalidParameter("--target is missing: name the column to predict")
    given = {name: value for name, value in cells.items() if value is not None}
    counts, seconds = None, {}
    for name, model in models.items():
        model.set_params(**given)
        start = time.perf_counter()
        if counts is None:
            with counting("counting") as progress:
                model.fit_table(source.stream, source.target, progress=progress, **source.columns)
            counts = model.counts_
        else:
            # All rules of naive Bayes are functions of the same counts, so that the table is read only once.
            model.fit_counts(counts, weighted=source.weights is not None)
        seconds[name] = time.perf_counter() - start
    read = {"weights": source.weights, "na": source.na or None}
    with counting("evaluating") as progress:
        return evaluate_batches(models, source.stream, source.target, seconds, progress=progress, **read)


def _models(
    kinds: Sequence[str],
    rules: Sequence[str],
    chosen: dict[str, Any],
    params: Sequence[str],
    seed: int | None,
) -> dict[str, Any]:
    """Return the models to compare, by their names in the results.

    Parameters
    ----------
    kinds : sequence of str
        Kinds of models; empty for the usual ones, or for naive Bayes if an option implies it.
    rules : sequence of str
        Rules of naive Bayes, each of which is a model; empty for the usual one, or for all if no kind is
        named either.
    chosen : dict of str to object
        Other options of models, None if not given.
    params : sequence of str
        Parameters as typed, ``NAME=VALUE``.
    seed : int, optional
        Seed of every model that takes one.

    Examples
    --------
    >>> list(_models(["naive-bayes"], ["map", "evidence"], {}, [], None))
    ['map', 'evidence']
    """
    from ..naive_bayes import RULES

    if not kinds:
        # An option of naive Bayes alone means that only naive Bayes is of interest.
        kinds = ("naive-bayes",) if rules or means_naive_bayes(chosen, params) else USUAL
        rules = rules or (() if "rule" in parsed(params) else tuple(RULES))
    kinds = tuple(dict.fromkeys(kinds))
    values = given(kinds, chosen | {"rule": rules or None}, params)
    if seed is not None and "random_state" in values:
        raise InvalidParameter("param 'random_state': there is --seed for it, given as well; leave one out")
    values.setdefault("random_state", seed or 0)
    models = {}
    for kind in kinds:
        for rule in rules if "rule" in parameters(kind) else ():
            # A single kind is named by its rules alone, which is shorter.
            models[rule if len(kinds) == 1 else f"{kind} {rule}"] = build(kind, values | {"rule": rule})
        if not rules or "rule" not in parameters(kind):
            models[kind] = build(kind, values)
    return models


def _document(results: "Sequence[Evaluation]", data: str, n_rows: int, target: str) -> dict[str, Any]:
    """Return the results as JSON types."""
    return {
        "data": data,
        "rows": n_rows,
        "target": target,
        "protocol": results[0].protocol,
        "results": [asdict(result) | {"log_score_bits": result.log_score_bits} for result in results],
    }


def _blocks(results: "Sequence[Evaluation]", data: str, n_rows: int, target: str) -> list[Block]:
    """Return the results as two tables, the best model first, and remarks."""
    from ..decisions import ranked

    best_first = [results[place] for place in ranked([result.log_score for result in results])]
    log_scores = [[one.model, _with_error(one.log_score, one.log_score_se)] for one in best_first]
    names, remark = ["model", "log score"], "± is one standard error over rows."
    if len(results) > 1:
        names += ["behind the best", "verdict"]
        remark += " Tied: within two standard errors of the best, paired over rows."
        log_scores[0] += ["", "best"]
        for row, one in zip(log_scores[1:], best_first[1:], strict=True):
            row += [_with_error(one.behind_best, one.behind_best_se), "tied" if one.is_tied else "behind"]
    others = [
        [
            one.model,
            _with_error(one.accuracy, one.accuracy_se),
            f"{one.brier_score:.4f}",
            f"{one.calibration_error:.4f}",
            f"{one.fit_seconds:.2f}",
        ]
        for one in best_first
    ]
    title = f"{data}: {n_rows} rows, predicting {target}, by {results[0].protocol}"
    return [
        Grid(title, names, log_scores),
        Grid("other scores", ["model", "accuracy", "Brier", "calibration", "fit, s"], others),
        Paragraph(remark),
        *(Paragraph(_zeros(result)) for result in results if result.n_zero or result.n_undefined),
    ]


def _with_error(value: float, standard_error: float) -> str:
    """Return a score with its standard error, if it has one."""
    return f"{value:.4f}" + (f" ± {standard_error:.4f}" if isfinite(standard_error) else "")


def _zeros(result: "Evaluation") -> str:
    """Describe the predictions with probability zero, or 0/0, of a model."""
    parts = []
    if result.n_zero:
        rows = counted(result.n_zero, "row")
        parts.append(f"gave probability zero to the class that occurred in {rows}")
    if result.n_undefined:
        rows = counted(result.n_undefined, "row")
        parts.append(f"gave every class probability zero (0/0) in {rows}, where it guesses")
    return f"{result.model} {', and '.join(parts)}."
