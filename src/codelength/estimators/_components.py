"""The search for a mixture under the parameters of ``FiniteMixture``."""

from collections.abc import Mapping
from typing import Any

from ..mixture.cache import Rows
from ..selection.components import ComponentsResult, Restarts, choose_components

OF_RESTARTS = ("n_init", "reached", "max_init", "init", "max_iter", "tol")
"""Parameters that are passed on to EM with restarts."""


def found_components(
    rows: Rows, params: Mapping[str, Any], seed: int, *, needs_mode: bool = True
) -> ComponentsResult:
    """Fit mixtures to rows, and keep the one with the shortest code length.

    Parameters
    ----------
    rows : Rows
        Rows in memory, or distinct rows on disk.
    params : mapping
        Parameters of :class:`codelength.FiniteMixture`.
    seed : int
        Seed of all random streams.
    needs_mode : bool
        True if predictions use the most probable mixture, which not every prior has.
    """
    auto = params["n_components"] == "auto"
    return choose_components(
        rows,
        range(1, params["max_components"] + 1) if auto else [int(params["n_components"])],
        params["criterion"],
        params["prior"],
        patience=params["patience"],
        restarts=Restarts(**{name: params[name] for name in OF_RESTARTS}),
        seed=seed,
        needs_mode=needs_mode,
    )
