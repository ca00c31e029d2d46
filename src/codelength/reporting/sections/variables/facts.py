"""The variables: what each says about the class, alone and beside the others."""

import math

import numpy as np

from ....counts import Counts, count
from ....decisions import ranked
from ....table import Coded, Table, Variable
from ....table.coded import changed
from ....table.times import NAMES
from ....typing import FloatArray, IntArray
from ...bits import bits_alone, class_weights, log_values, own_log_values
from ...estimates import around, mean_of
from ...results import Estimate, ValueProfile, VariableFacts
from ..models.facts import BITS

MOST_GIVEN_OTHERS = 50
"""Variables, the strongest ones, for which it is measured what is lost without them."""

MOST_ROWS = 50_000
"""Rows on which that is measured."""

N_SHUFFLES = 3
"""How often classes are shuffled to see what chance makes of the variables."""

MOST_PROFILED = 50
"""Values of a variable, the most frequent ones, in its profile."""


def variable_facts(table: Table, coded: Coded, counts: Counts, seed: int) -> tuple[VariableFacts, ...]:
    """All variables, those with most bits alone first and those that are ignored last.

    Parameters
    ----------
    table : Table
        The rows, with a target.
    coded, counts : Coded and Counts
        The same rows as naive Bayes reads them.
    seed : int
        Where random numbers start.
    """
    schema, degrees = coded.schema, max(coded.n_rows - 1, 1)
    bits, errors = bits_alone(counts)
    told = np.array([reason_ignored(variable) == "" for variable in schema.variables], dtype=bool)
    order = ranked(np.where(told, bits, -np.inf), scale=1.0).tolist()
    alone = {
        i: around(float(bits[i]), float(errors[i]), degrees)
        if math.isfinite(errors[i])
        else Estimate(float(bits[i]), math.nan, -math.inf, math.inf)
        for i in order
        if told[i]
    }
    beside = bits_given_others(coded, counts, list(alone)[:MOST_GIVEN_OTHERS], seed)
    return tuple(
        _facts(table, counts, i, alone.get(i), beside.get(i)) if told[i] else _ignored(table, counts, i)
        for i in order
    )


def reason_ignored(variable: Variable) -> str:
    """Why a column plays no part; nothing where it does."""
    if variable.kind == "ignored":
        return variable.origin.removeprefix("left out: ")
    return "every cell is missing" if variable.origin == "every cell is missing" else ""


def most_by_chance(coded: Coded, seed: int) -> float:
    """The most bits alone that any variable would show if none told anything: with the classes shuffled.

    The first of many variables looks better than it is; this says by how much. A mean over a few shuffles.
    """
    if not coded.schema.n_variables:
        return 0.0
    rng = np.random.default_rng([seed, 6])
    shuffled = (changed(coded, class_codes=rng.permutation(coded.class_codes)) for _ in range(N_SHUFFLES))
    return float(np.mean([bits_alone(count(rows))[0].max() for rows in shuffled]))


def _facts(
    table: Table, counts: Counts, i: int, alone: Estimate | None, beside: Estimate | None
) -> VariableFacts:
    variable = counts.schema.variables[i]
    of_times = f"{NAMES[variable.scale]} in intervals"
    return VariableFacts(
        name=variable.name,
        kind=of_times if variable.kind == "interval" else "categories",
        n_values=variable.n_values,
        n_missing=int(np.count_nonzero(table.columns[i].missing)),
        how=variable.origin,
        bits_alone=alone,
        bits_given_others=beside,
        profile=_profile(counts, i),
    )


def _ignored(table: Table, counts: Counts, i: int) -> VariableFacts:
    variable, n_missing = counts.schema.variables[i], int(np.count_nonzero(table.columns[i].missing))
    return VariableFacts(variable.name, "ignored", 1, n_missing, reason_ignored(variable), None, None, ())


def bits_given_others(coded: Coded, counts: Counts, variables: list[int], seed: int) -> dict[int, Estimate]:
    """What naive Bayes loses per row, in bits, when one variable is left out of it.

    By the evidence rule under uniform priors, each row predicted from all the others.

    Parameters
    ----------
    coded, counts : Coded and Counts
        The rows, and the counts of all of them.
    variables : list of int
        Positions of the variables that are left out in turn.
    seed : int
        Seed of the sample where there are many rows.
    """
    if coded.n_rows > MOST_ROWS:
        rows = np.random.default_rng([seed, 4]).permutation(coded.n_rows)[:MOST_ROWS]
        coded = coded.take(np.sort(rows))
    labels = np.asarray(coded.class_codes, dtype=np.int64)
    log_weights = np.tile(np.log(counts.class_counts + 1), (coded.n_rows, 1))
    at = np.arange(coded.n_rows)
    log_weights[at, labels] = np.log(counts.class_counts[labels])
    values, own = log_values(counts), own_log_values(counts)

    def terms(i: int) -> FloatArray:
        cells = counts.schema.offsets[i] + coded.codes[:, i].astype(np.int64)
        found = values.T[cells]
        found[at, labels] = own[labels, cells]
        return np.asarray(found)

    for i in range(coded.schema.n_variables):
        log_weights += terms(i)
    whole = _own_bits(log_weights, labels)
    return {i: mean_of(whole - _own_bits(log_weights - terms(i), labels)) for i in variables}


def _own_bits(log_weights: FloatArray, labels: IntArray) -> FloatArray:
    """Log probability of the class of each row, in bits."""
    highest = log_weights.max(axis=1)
    totals = highest + np.log(np.exp(log_weights - highest[:, None]).sum(axis=1))
    return np.asarray((log_weights[np.arange(len(labels)), labels] - totals) * BITS)


def _profile(counts: Counts, variable: int) -> tuple[ValueProfile, ...]:
    """Class probabilities given each value alone; those of the most frequent values where they are many."""
    one = counts.select([variable])
    labels = one.schema.variables[0].values
    n_rows = one.of(0).sum(axis=0)
    probs = class_weights(one)[:, : len(labels)]
    probs = probs / probs.sum(axis=0)
    kept = np.sort(ranked(n_rows)[:MOST_PROFILED])
    return tuple(
        ValueProfile(str(labels[value]), float(n_rows[value]), probs[:, value].copy()) for value in kept
    )
