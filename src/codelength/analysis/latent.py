"""A table without a target: its hidden classes."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from .._version import __version__
from ..estimators import FiniteMixture
from ..experiments.run import Progress, check_progress
from ..table import as_table
from ..table.checks import seed_of
from .facts import checked, command_of, noting, table_facts
from .results import LatentAnalysis

MOST_ROWS = 20_000
"""Rows, drawn at random, in which hidden classes are looked for where there are more."""


def analyse_classes(table: Any, *, random_state: Any = 0, progress: Progress | None = None) -> LatentAnalysis:
    """The hidden classes of a table, and how many there are (possibly one).

    Parameters
    ----------
    table : Table
        The rows; a target is passed over.
    random_state : int, generator or None
        Where random numbers start. A number gives the same analysis every time.
    progress : function, optional
        Told how much is done, and how much there is.

    Returns
    -------
    LatentAnalysis
        The model that was chosen, and all numbers of classes compared.

    Raises
    ------
    DataError
        Where there are no rows or no columns, or rows with weights.

    Examples
    --------
    >>> answers = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> analyse_classes(answers).comparison.chosen
    2
    """
    start = time.perf_counter()
    check_progress(progress)
    given, seed = replace(checked(as_table(table)), target=None), seed_of(random_state)
    settings = [("model", "finite mixture of products of multinomials (latent classes)")]
    some = given
    if given.n_rows > MOST_ROWS:
        kept = np.random.default_rng([seed, 5]).permutation(given.n_rows)[:MOST_ROWS]
        some = given.take(np.sort(kept))
        settings.append(("rows", f"{MOST_ROWS:,} of {given.n_rows:,}, drawn at random"))
    with noting() as notes:
        model = FiniteMixture(random_state=seed).fit(some)
    settings += [
        ("number of classes", f"1 to {max(model.comparison_['components'])}, chosen by {model.criterion}"),
        ("starts of EM", f"{model.trust_.n_starts}, of which {model.trust_.n_reached} reached the best end"),
        ("seed", str(seed)),
    ]
    if progress is not None:
        progress(1.0, 1.0)
    return LatentAnalysis(
        table=table_facts(given, model.schema_, None, notes),
        model=model,
        comparison=model.comparison_,
        settings=tuple(settings),
        command=command_of(given, seed),
        version=__version__,
        seed=seed,
        seconds=time.perf_counter() - start,
    )
