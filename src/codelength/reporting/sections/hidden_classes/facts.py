"""Latent classes of a table, of a table with a target at a glance, or of a fitted model."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...._version import __version__
from ....estimators import FiniteMixture
from ....evaluation.progress import Progress, check_progress
from ....sources import as_table
from ....table import Table
from ....table.checks import seed_of
from ...results import LatentAnalysis
from ..table.facts import checked, command_of, model_facts, noting, table_facts

MOST_ROWS = 20_000
"""Largest number of rows that latent classes are fitted to; a random sample if there are more."""

GLANCE_ROWS, GLANCE_CELLS, GLANCE_CLASSES = 1_000, 20_000, 6
"""Most rows, cells and classes of a first look on the page of a table with a target."""

GLANCE_LEAST_ROWS = 10
"""Fewest rows of a first look."""

_MODEL = ("model", "finite mixture of products of multinomials (latent classes)")


def analyse_classes(table: Any, *, random_state: Any = 0, progress: Progress | None = None) -> LatentAnalysis:
    """Fit latent classes to a table and choose their number, possibly one.

    Parameters
    ----------
    table : Table
        The rows; a target is ignored.
    random_state : int, generator or None
        Seed. A number gives the same analysis every time.
    progress : function, optional
        Called with the work done and the work in all.

    Returns
    -------
    LatentAnalysis
        The model that was chosen, and all numbers of classes compared.

    Raises
    ------
    DataError
        If there are no rows or no columns, or rows with weights.

    Examples
    --------
    >>> answers = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> analyse_classes(answers).comparison.chosen
    2
    """
    check_progress(progress)
    seed = seed_of(random_state)
    found = _looked_for(checked(as_table(table)), seed, MOST_ROWS, FiniteMixture(random_state=seed))
    if progress is not None:
        progress(1.0, 1.0)
    return found


def glance(table: Table, seed: int) -> LatentAnalysis | None:
    """Fit a first set of latent classes to a table with a target, within a second or two.

    Few rows and few numbers of classes are tried.

    Parameters
    ----------
    table : Table
        The rows; the target is ignored.
    seed : int
        Seed.

    Returns
    -------
    LatentAnalysis or None
        None if there are too few rows or too many columns.
    """
    n_rows = min(GLANCE_ROWS, GLANCE_CELLS // max(table.n_columns, 1))
    # With one column, or fewer rows than half the columns, classes cannot be told from noise.
    if table.n_columns < 2 or min(n_rows, table.n_rows) < max(GLANCE_LEAST_ROWS, table.n_columns // 2):
        return None
    model = FiniteMixture(n_init=10, max_init=20, max_components=GLANCE_CLASSES, random_state=seed)
    return _looked_for(table, seed, n_rows, model)


def of_model(model: FiniteMixture) -> LatentAnalysis:
    """Return the latent classes of a fitted mixture as an analysis.

    Examples
    --------
    >>> answers = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> of_model(FiniteMixture(2, random_state=0).fit(answers)).table.n_rows
    20
    """
    return LatentAnalysis(
        table=model_facts(model),
        model=model,
        comparison=model.comparison_,
        settings=(_MODEL, *_search(model)),
        command="",
        version=__version__,
        seed=model.random_state if isinstance(model.random_state, int) else None,
        seconds=0.0,
    )


def _looked_for(given: Table, seed: int, most_rows: int, model: FiniteMixture) -> LatentAnalysis:
    """Fit latent classes to at most so many rows, drawn at random."""
    start = time.perf_counter()
    rows, settings = replace(given, target=None), [_MODEL]
    some = rows
    if rows.n_rows > most_rows:
        # The same stream as in analyse(): a first look takes its rows from those that models are compared on.
        kept = np.random.default_rng([seed, 5]).permutation(rows.n_rows)[:most_rows]
        some = rows.take(np.sort(kept))
        settings.append(("rows", f"{most_rows:,} of {rows.n_rows:,} rows, drawn at random"))
    with noting() as notes:
        model.fit(some)
    return LatentAnalysis(
        table=table_facts(rows, model.schema_, None, notes),
        model=model,
        comparison=model.comparison_,
        settings=(*settings, *_search(model), ("seed", str(seed))),
        command=command_of(given, seed, latent=True),
        version=__version__,
        seed=seed,
        seconds=time.perf_counter() - start,
    )


def _search(model: FiniteMixture) -> list[tuple[str, str]]:
    """Return the numbers of classes compared and the starts of EM, in words."""
    tried, found = model.comparison_["components"], model.trust_
    criterion = model.get_params()["criterion"]
    return [
        ("number of classes", f"{min(tried)} to {max(tried)} classes, chosen by {criterion}"),
        ("starts of EM", f"{found.n_starts}, of which {found.n_reached} reached the best end"),
    ]
