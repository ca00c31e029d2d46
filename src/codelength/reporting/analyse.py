"""Analysis of a table with a target: how well the class can be predicted, by which models and variables.

:func:`analyse` calls the module of every section in turn and collects them in an ``Analysis``. It fixes
the sample of rows, the plan of the comparison and the seed, so that sections agree with each other.
"""

import time
from dataclasses import replace
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from .._version import __version__
from ..counts import count
from ..estimators import NaiveBayes, TableClassifier
from ..evaluation.fits import Progress, check_progress, check_target
from ..scores import Predictions
from ..sources import as_table
from ..table import Coded, Table
from ..table.checks import check_flag, check_instance, seed_of
from ..table.column import Factor
from ..typing import IntArray
from .estimates import mean_of, share_of
from .plan import Plan
from .results import Analysis, Estimate, LearningCurve
from .sections.hidden_classes import glance
from .sections.learning_curve import learning_curve
from .sections.models import BITS, PRIOR, Candidates, Compared, compare
from .sections.reliability import calibration_error, reliability
from .sections.settings import settings_of
from .sections.surprises import surprises
from .sections.table import checked, command_of, noting, table_facts
from .sections.variables import most_by_chance, variable_facts
from .sections.what_if import scorers_of, selected

MAX_ROWS = 50_000
"""Largest number of rows on which models are compared; a random sample if there are more."""

OWN_MODEL = "a classifier of codelength, such as NaiveBayes(); compare others with codelength.evaluate"
"""Expected as ``model=``."""


def analyse(
    table: Any,
    *,
    model: TableClassifier | None = None,
    rows: bool = False,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Analysis:
    """Analyse how well the class of a table can be predicted, by which model, and from which variables.

    Parameters
    ----------
    table : Table
        The rows, with a target; see :func:`codelength.sources.as_table`.
    model : classifier of this library, optional
        A model of your own, fitted or not. It is fitted to the same rows as the others, and compared with
        them.
    rows : bool
        Whether the contents of surprising rows are part of the result.
    random_state : int, generator or None
        Seed. A number gives the same analysis every time.
    progress : function, optional
        Called with the work done and the work in all.

    Returns
    -------
    Analysis
        All facts, as plain figures, texts and arrays.

    Raises
    ------
    DataError
        If there are no rows, no target, rows with weights, or more than 500 classes.

    Examples
    --------
    >>> from codelength.datasets import load
    >>> found = analyse(load("lenses").table)
    >>> found.table.n_rows, found.variables[0].name
    (24, 'tear_rate')
    """
    start = time.perf_counter()
    check_flag("rows", rows)
    told = check_progress(progress)
    check_instance("model", model, (TableClassifier, NoneType), OWN_MODEL)
    given, seed = checked(as_table(table)), seed_of(random_state)
    check_target(given)
    # Warnings of all steps become notes of the page instead of lines on the terminal.
    with noting() as notes:
        coded = NaiveBayes()._coded_for(given)
        counts = count(coded)
        told(0.05, 1)
        tried = _try_models(given, coded, Candidates(seed, model), told)
        latent = glance(given, seed)
        told(0.9, 1)
        facts = variable_facts(given, coded, counts, seed)
        by_chance = tried.error_by_chance, most_by_chance(coded, seed)
        what_if = selected(coded, facts)
        scorers = scorers_of(what_if)
    analysis = Analysis(
        table=table_facts(given, coded.schema, counts.class_counts, notes),
        models=tried.compared.scores(),
        best=tried.compared.best,
        prior_bits=-tried.prior.log_score * BITS,
        gain=mean_of((tried.chosen.true_log_probs - tried.prior.true_log_probs) * BITS),
        accuracy=share_of(tried.chosen.hits),
        calibration=tried.calibration,
        reliability=reliability(tried.chosen, coded.schema.classes),
        learning_curve=tried.learning_curve,
        variables=facts,
        surprises=surprises(tried.best, tried.positions, coded.schema.classes, given, cells=rows),
        scorers=scorers,
        latent=latent,
        settings=settings_of(given, tried.table, tried.compared.plan, what_if, by_chance, latent, seed),
        command=command_of(given, seed, rows=rows),
        version=__version__,
        seed=seed,
        seconds=time.perf_counter() - start,
    )
    told(1, 1)
    return analysis


class _Tried(NamedTuple):
    """Models compared on a sample of the rows; ``positions`` are those of the test rows in the whole table.

    Headline figures come from ``chosen``, whose rows took no part in choosing the model. Surprises come from
    the best model, because it is the one that the page names.
    """

    table: Table
    positions: IntArray
    compared: Compared
    prior: Predictions
    best: Predictions
    chosen: Predictions
    learning_curve: LearningCurve | None
    calibration: Estimate
    error_by_chance: float


def _try_models(table: Table, coded: Coded, candidates: Candidates, told: Progress) -> _Tried:
    """Compare models on a sample of the rows.

    Counts and bits of single variables need no sample: they are computed from the counts of all rows.
    """
    some, kept = _sample(table, candidates.seed)
    some_coded = coded if some is table else coded.take(kept)
    plan = Plan.of(some.n_rows, some.n_columns, coded.schema.n_classes, candidates.seed)
    compared = compare(some, some_coded, plan, candidates, lambda done, of: told(0.05 + 0.6 * done / of, 1))
    chosen = compared.chosen()
    curve = learning_curve(some, some_coded, compared, candidates)
    told(0.8, 1)
    error, by_chance = calibration_error(chosen, candidates.seed)
    return _Tried(
        table=some,
        positions=kept[plan.rows],
        compared=compared,
        prior=compared.of(PRIOR),
        best=compared.of(compared.best),
        chosen=chosen,
        learning_curve=curve,
        calibration=error,
        error_by_chance=by_chance,
    )


def _sample(table: Table, seed: int) -> tuple[Table, IntArray]:
    """Return the rows that models are compared on, with all classes declared, and their positions."""
    if table.n_rows <= MAX_ROWS:
        return table, np.arange(table.n_rows)
    kept = np.sort(np.random.default_rng([seed, 5]).permutation(table.n_rows)[:MAX_ROWS])
    return replace(table.take(kept), target=_declared(table).take(kept)), kept


def _declared(table: Table) -> Factor:
    """Return the target with its classes declared, so that a sample keeps all of them."""
    classes = NaiveBayes()._coded_for(replace(table, columns=()))
    assert classes.schema.target is not None
    # A declared domain of truth values would shrink to those that occur; as text it stays.
    values = tuple(str(label) if isinstance(label, bool) else label for label in classes.schema.classes)
    return Factor(classes.schema.target.name, classes.class_codes.astype(np.int64), values, True)
