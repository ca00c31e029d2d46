"""Bootstrap and standard errors of latent classes beside StepMix."""

import os
import warnings
from unittest.mock import patch

import numpy as np
from stepmix.stepmix import StepMix

from codelength import Schema
from codelength.latent.inference import bootstrap, standard_errors
from codelength.mixture.em import fit_mixture
from codelength.table import Coded

from .measure import Ratio, compare
from .tables import coded_table


def _peer(n_components: int, **options: object) -> StepMix:
    return StepMix(
        n_components, measurement="categorical", random_state=0, progress_bar=0, verbose=0, **options
    )


def bootstraps(n_rows: int = 2000, n_components: int = 5, n_replications: int = 100) -> list[Ratio]:
    """As many replications. StepMix starts each of them anew, and EM here starts from the estimates."""
    codes, _, n_values = coded_table(n_rows, n_classes=n_components)
    coded, rows = Coded.of(Schema.from_sizes(n_values), codes), codes.astype(np.int64)
    mixture, _ = fit_mixture(coded, n_components, random_state=0, n_threads=1)
    peer = _peer(n_components).fit(rows)
    what = f"{n_rows:,} x {codes.shape[1]}, K = {n_components}, {n_replications} replications"
    return [
        compare(
            f"{kind} bootstrap {what}",
            (
                "StepMix.bootstrap",
                lambda kind=kind: peer.bootstrap(
                    rows,
                    n_repetitions=n_replications,
                    parametric=kind == "parametric",
                    progress_bar=False,
                ),
            ),
            lambda kind=kind: bootstrap(
                coded, mixture, kind, n_replications=n_replications, random_state=0, n_threads=1
            ),
            at_least=20,
            rounds=1,
        )
        for kind in ("nonparametric", "parametric")
    ]


def errors(n_rows: int = 100_000, n_components: int = 10, n_iter: int = 5) -> list[Ratio]:
    """All standard errors in less than a few iterations of EM by the peer."""
    codes, _, n_values = coded_table(n_rows, n_classes=n_components)
    coded, rows = Coded.of(Schema.from_sizes(n_values), codes), codes.astype(np.int64)
    mixture, _ = fit_mixture(coded, n_components, n_init=1, tol=1e-6, random_state=0, n_threads=1)
    return [
        compare(
            f"{kind} standard errors {n_rows:,} x {codes.shape[1]}, K = {n_components}",
            (
                f"StepMix, {n_iter} iterations of EM",
                lambda: _peer(n_components, n_init=1, max_iter=n_iter, abs_tol=0.0, rel_tol=0.0).fit(rows),
            ),
            lambda kind=kind: standard_errors(coded, mixture, kind),
            at_least=1,
            rounds=3,
        )
        for kind in ("observed", "empirical")
    ]


def run() -> list[Ratio]:
    """All timings of latent classes."""
    with warnings.catch_warnings(), patch.dict(os.environ, CODELENGTH_THREADS="1"):
        # Iterations that are cut short on purpose do not converge.
        warnings.simplefilter("ignore")
        return [*errors(), *bootstraps()]
