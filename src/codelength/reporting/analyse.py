"""Analysis of a table with a target: how well the class can be predicted, by which models and variables.

:func:`analyse` calls the ``facts`` of every section in turn and collects them in an ``Analysis``. It fixes
the sample of rows, the plan of the comparison and the seed, so that sections agree with each other.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._version import __version__
from ..counts import count
from ..errors import DataError
from ..estimators import NaiveBayes
from ..estimators.contract import TableClassifier
from ..evaluation.progress import Progress, check_progress
from ..sources import as_table
from ..table import Table
from ..table.checks import check_flag, check_instance, seed_of
from ..table.column import Factor
from ..table.target import target_column
from ..typing import IntArray
from .estimates import mean_of, share_of
from .plan import Plan
from .results import Analysis
from .sections.hidden_classes.facts import glance
from .sections.learning_curve.facts import learning_curve
from .sections.models.facts import BITS, PRIOR, Entrants, compare
from .sections.reliability.facts import calibration_error, reliability
from .sections.settings.facts import settings_of
from .sections.surprises.facts import surprises
from .sections.table.facts import checked, command_of, noting, table_facts
from .sections.variables.facts import most_by_chance, variable_facts
from .sections.what_if.facts import scorers_of, selected

MOST_ROWS = 50_000
"""Largest number of rows on which models are compared; a random sample if there are more."""


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
        The rows, with a target; see :func:`codelength.as_table`.
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
    check_progress(progress)
    own = None if model is None else _own(model)
    given, seed = checked(as_table(table)), seed_of(random_state)
    if given.target is None:
        raise DataError("the table has no target, so there is nothing to predict; name one with as_table")
    target_column(given.target)
    told = _stages(progress)
    # Warnings of all steps become notes of the page instead of lines on the terminal.
    with noting() as notes:
        coded = NaiveBayes().coded_for(given)
        schema, counts = coded.schema, count(coded)
        told(0.05)
        # Models are compared on a sample of large tables. Counts and bits of single variables need no sample:
        # they are computed from the counts of all rows.
        some, kept = _sample(given, seed)
        some_coded = coded if some is given else coded.take(kept)
        plan = Plan.of(some.n_rows, some.n_columns, schema.n_classes, seed)
        entrants = Entrants(seed, own)
        compared = compare(some, some_coded, plan, entrants, lambda done, of: told(0.05 + 0.6 * done / of))
        chosen = compared.chosen()
        curve = learning_curve(some, some_coded, compared, entrants)
        told(0.8)
        latent = glance(given, seed)
        told(0.9)
        facts = variable_facts(given, coded, counts, seed)
        by_chance = most_by_chance(coded, seed)
        told(0.95)
        what_if = selected(coded, facts)
        scorers = scorers_of(what_if)
        measured = calibration_error(chosen, seed)
    # Headline figures come from ``chosen``, whose rows took no part in choosing the model; surprises come
    # from the best model itself, because it is the model that the page names.
    gain = (chosen.true_log_probs - compared.fits[PRIOR].predictions.true_log_probs) * BITS
    best = compared.fits[compared.best].predictions
    analysis = Analysis(
        table=table_facts(given, schema, counts.class_counts, notes),
        models=compared.scores(),
        best=compared.best,
        prior_bits=-compared.fits[PRIOR].predictions.log_score * BITS,
        gain=mean_of(gain),
        accuracy=share_of(chosen.hits),
        calibration=measured.estimate,
        reliability=reliability(chosen, schema.classes),
        learning_curve=curve,
        variables=facts,
        surprises=surprises(best, kept[plan.rows], schema.classes, given, cells=rows),
        scorers=scorers,
        latent=latent,
        settings=settings_of(given, some, plan, what_if, (measured.by_chance, by_chance), latent, seed),
        command=command_of(given, seed, rows=rows),
        version=__version__,
        seed=seed,
        seconds=time.perf_counter() - start,
    )
    told(1.0)
    return analysis


def _own(model: TableClassifier) -> TableClassifier:
    """Return an unfitted copy of a model."""
    what = "a classifier of codelength, such as NaiveBayes(); compare others with codelength.evaluate"
    check_instance("model", model, TableClassifier, what)
    return type(model)(**model.get_params(deep=False))


def _sample(table: Table, seed: int) -> tuple[Table, IntArray]:
    """Return the rows that models are compared on, with all classes declared, and their positions."""
    if table.n_rows <= MOST_ROWS:
        return table, np.arange(table.n_rows)
    kept = np.sort(np.random.default_rng([seed, 5]).permutation(table.n_rows)[:MOST_ROWS])
    return replace(table.take(kept), target=_declared(table).take(kept)), kept


def _declared(table: Table) -> Factor:
    """Return the target with its classes declared, so that a sample keeps all of them."""
    classes = NaiveBayes().coded_for(replace(table, columns=()))
    assert classes.schema.target is not None
    # A declared domain of truth values would shrink to those that occur; as text it stays.
    values = tuple(str(label) if isinstance(label, bool) else label for label in classes.schema.classes)
    return Factor(classes.schema.target.name, classes.class_codes.astype(np.int64), values, True)


def _stages(progress: Progress | None) -> Callable[[float], None]:
    """Return a function that reports a share of the work, or does nothing without ``progress``."""

    def told(share: float) -> None:
        if progress is not None:
            progress(share, 1.0)

    return told
