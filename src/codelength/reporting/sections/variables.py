"""Information of each variable about the class, alone and given the others."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...counts import Counts, count
from ...decisions import ranked
from ...naive_bayes import Predictor
from ...naive_bayes.scoring import normalised
from ...render.templates import rendered
from ...table import Coded, Table, Variable
from ...table.coded import changed
from ...table.spelling import NAMES
from ...typing import FloatArray
from ..bits import bits_alone, class_weights
from ..charts import ticks
from ..estimates import around, mean_of
from ..page import Section
from ..results import Analysis, Estimate, TableFacts, ValueProfile, VariableFacts
from ..words import name
from .models import BITS

MAX_GIVEN_OTHERS = 50
"""Number of variables, the strongest, whose loss given the others is measured."""

MAX_ROWS = 50_000
"""Largest number of rows on which it is measured."""

N_SHUFFLES = 3
"""Permutations of the classes that estimate the bits of a variable by chance."""

MAX_PROFILED = 50
"""Values of a variable, the most frequent ones, in its profile."""


MAX_VARIABLES, MAX_CLASSES, MAX_VALUES, FEWEST_VALUES = 100, 7, 24, 2
"""Variables on the page, classes and values of each; the most common ones."""

MAX_CHARACTERS = 200_000
"""Characters of all profiles together, which keeps the file small."""


def variable_facts(table: Table, coded: Coded, counts: Counts, seed: int) -> tuple[VariableFacts, ...]:
    """Return all variables: by bits alone, the largest first, and ignored ones last."""
    schema, degrees = coded.schema, max(coded.n_rows - 1, 1)
    bits, errors = bits_alone(counts)
    told = np.array([reason_ignored(variable) == "" for variable in schema.variables], dtype=bool)
    # Ignored columns rank below all others, in column order.
    order = ranked(np.where(told, bits, -np.inf), scale=1.0).tolist()
    alone = {i: around(float(bits[i]), float(errors[i]), degrees) for i in order if told[i]}
    beside = bits_given_others(coded, counts, list(alone)[:MAX_GIVEN_OTHERS], seed)
    return tuple(_facts(table, counts, i, alone.get(i), beside.get(i)) for i in order)


def reason_ignored(variable: Variable) -> str:
    """Return the reason for which a column is not used; empty if it is used."""
    if variable.kind == "ignored":
        return variable.origin.removeprefix("left out: ")
    return "every cell is missing" if variable.origin == "every cell is missing" else ""


def most_by_chance(coded: Coded, seed: int) -> float:
    """Return the most bits alone that any variable would show if the classes were independent of all.

    The first of many variables looks better than it is. This is the mean of the maximum over a few
    permutations of the classes.
    """
    if not coded.schema.n_variables:
        return 0.0
    rng = np.random.default_rng([seed, 6])
    shuffled = (changed(coded, class_codes=rng.permutation(coded.class_codes)) for _ in range(N_SHUFFLES))
    return float(np.mean([bits_alone(count(rows))[0].max() for rows in shuffled]))


def _facts(
    table: Table, counts: Counts, i: int, alone: Estimate | None, beside: Estimate | None
) -> VariableFacts:
    """Return the description of a variable, or of a column that is not used."""
    variable = counts.schema.variables[i]
    reason = reason_ignored(variable)
    kind = f"{NAMES[variable.scale]} in intervals" if variable.kind == "interval" else "categories"
    return VariableFacts(
        name=variable.name,
        kind="ignored" if reason else kind,
        n_values=1 if reason else variable.n_values,
        n_missing=int(np.count_nonzero(table.columns[i].missing)),
        how=reason or variable.origin,
        bits_alone=alone,
        bits_given_others=beside,
        profile=() if reason else _profile(counts, i),
    )


def bits_given_others(coded: Coded, counts: Counts, variables: list[int], seed: int) -> dict[int, Estimate]:
    """Return the bits per row that naive Bayes loses if one variable is left out.

    By the evidence rule under uniform priors, each row predicted from all the others.

    Parameters
    ----------
    coded : Coded
        The rows; a random sample of them is predicted if there are many.
    counts : Counts
        Counts of all rows.
    variables : list of int
        Positions of the variables to leave out, one at a time.
    seed : int
        Seed of the sample.
    """
    if coded.n_rows > MAX_ROWS:
        rows = np.random.default_rng([seed, 4]).permutation(coded.n_rows)[:MAX_ROWS]
        coded = coded.take(np.sort(rows))
    labels = np.asarray(coded.class_codes, dtype=np.int64)
    at = np.arange(coded.n_rows), labels
    predictor = Predictor.of(counts)
    values, own = predictor.tables.value_table, predictor.tables_without_one_row.value_table
    log_probs = predictor.leave_one_out(coded).log_probs

    def lost(i: int) -> FloatArray:
        # Naive Bayes is a sum of terms, so that leaving out a variable subtracts its term; in the class of
        # the row, that without the row itself.
        cells = counts.schema.offsets[i] + coded.codes[:, i].astype(np.int64)
        terms = values.T[cells]
        terms[at] = own[labels, cells]
        return np.asarray((log_probs[at] - normalised(log_probs - terms).log_probs[at]) * BITS)

    return {i: mean_of(lost(i)) for i in variables}


def _profile(counts: Counts, variable: int) -> tuple[ValueProfile, ...]:
    """Return class probabilities given each value alone, for the most frequent values."""
    one = counts.select([variable])
    labels = one.schema.variables[0].values
    n_rows = one.of(0).sum(axis=0)
    probs = class_weights(Predictor.of(one))[:, : len(labels)]
    probs = probs / probs.sum(axis=0)
    kept = np.sort(ranked(n_rows)[:MAX_PROFILED])
    return tuple(
        ValueProfile(str(labels[value]), float(n_rows[value]), probs[:, value].copy()) for value in kept
    )


def section(analysis: Analysis) -> Section:
    """Return the section: variables by bits, each with a folded profile of its values."""
    # Ignored columns have no bits and are named below the list.
    with_bits = [variable for variable in analysis.variables if variable.bits_alone is not None]
    shown = with_bits[:MAX_VARIABLES]
    held, classes = analysis.table, _shown_classes(analysis.table)
    is_pair = len(held.classes) == 2
    low, high = _ends(shown)
    # Shared equally, so that one variable with many values does not use up the space of all others.
    room = MAX_CHARACTERS // max(len(shown), 1)
    body = rendered(
        "reporting/sections/variables",
        held=held,
        shown=shown,
        # A margin on both sides, so that marks at the ends of the axis are not cut off.
        place=lambda bits: 0.01 + 0.98 * min(max((bits - low) / (high - low), 0.0), 1.0),
        marks=ticks(low, high, 5),
        classes=classes,
        labels=[name(held.classes[k], 24) for k in classes],
        is_pair=is_pair,
        profile_rows=lambda variable, row: _profile_rows(variable, lambda value: row(value, classes), room),
        n_further=len(with_bits) - len(shown),
        total=max(float(held.class_counts.sum()), 1e-300),
    )
    return Section("variables", "Variables by bits about the class", body, short="Variables")


def _shown_classes(table: TableFacts) -> list[int]:
    """Return the classes whose probabilities are shown: all, or the most common ones, in their own order."""
    most_common = np.argsort(-table.class_counts, kind="stable")[:MAX_CLASSES]
    return sorted(most_common.tolist()) if len(table.classes) > MAX_CLASSES else [*range(len(table.classes))]


def _ends(shown: Sequence[VariableFacts]) -> tuple[float, float]:
    """Return the ends of an axis that covers zero and all finite ends of intervals."""
    estimates = [
        each for one in shown for each in (one.bits_alone, one.bits_given_others) if each is not None
    ]
    ends = [end for each in estimates for end in (each.value, each.low, each.high) if math.isfinite(end)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    return low, high if high > low else low + 1.0


def _profile_rows(variable: VariableFacts, row_of: Callable[[ValueProfile], str], room: int) -> list[str]:
    """Return the rows of a profile in the order of the variable, the most common ones if there are many."""
    rows: dict[int, str] = {}
    # Made by frequency, because space may run out.
    order = np.argsort([-value.n_rows for value in variable.profile], kind="stable")[:MAX_VALUES]
    for n in order.tolist():
        row = row_of(variable.profile[n])
        room -= len(row)
        # Two values at least are always shown, or the profile would say nothing.
        if room < 0 and len(rows) >= FEWEST_VALUES:
            break
        rows[n] = row
    return [rows[n] for n in sorted(rows)]
