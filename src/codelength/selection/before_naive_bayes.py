"""Choice of variables before naive Bayes is fitted, and honest leave-one-out after it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counts import Counts
from ..naive_bayes import Predictor, rule_of
from ..scores import Predictions
from ..table import Coded
from ..table.checks import check_whole_weights
from ..table.coded import changed

if TYPE_CHECKING:
    from . import SelectionResult

N_FOLDS = 10
"""Folds without which variables are chosen again for honest leave-one-out."""

CAP = 100.0
"""The most that one row can cost while variables are chosen, in nats, if a rule gives probability zero."""


def chosen_variables(params: Mapping[str, Any], coded: Coded) -> "SelectionResult | None":
    """Return the variables chosen on some rows under the parameters of a model; None if all predict."""
    if params["select"] is None:
        return None
    check_whole_weights(coded.weights, "select=")
    # Without a cap, one class of probability zero would make all sets of variables alike.
    cap = CAP if rule_of(params["rule"]).gives_zero else None
    from . import select_variables

    return select_variables(
        coded.repeated(), params["select"], rule=params["rule"], prior=params["prior"], cap=cap
    )


def left_out_after_choosing(
    coded: Coded, made: Predictions, counts: Counts, params: Mapping[str, Any]
) -> Predictions:
    """Predict each row from all the others, with variables chosen without the rows of its fold.

    Folds are made of distinct rows, of each of which one copy is left out: then a row of weight 2 is the
    row twice, and the order of the rows plays no part in the folds. Predictions ``made`` with the variables
    chosen on all rows stand for rows without weight.
    """
    weights = coded.row_weights
    counted = np.flatnonzero(weights > 0)
    first, places = coded.take(counted).groups()
    order = np.random.default_rng(0).permutation(len(first))
    for fold in np.array_split(order, max(min(N_FOLDS, len(first)), 1)):
        fewer = weights.copy()
        fewer[counted[first[fold]]] -= 1.0
        selection = chosen_variables(params, changed(coded, weights=fewer))
        chosen = () if selection is None else selection.selected
        predictor = Predictor.of(counts.select(chosen), params["rule"], params["prior"])
        own = counted[np.isin(places, fold)]
        made.log_probs[own], made.undefined[own] = predictor.leave_one_out(coded.take(own).select(chosen))
    return made
