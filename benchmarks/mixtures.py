"""EM beside StepMix, and what the exact and approximate code lengths of mixtures take."""

import numpy as np
from stepmix.stepmix import StepMix

from codelength import Schema
from codelength.mixture.code_length.exact import exact_code_length
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length
from codelength.mixture.em import Layout, fit_mixture
from codelength.mixture.parameters import with_components
from codelength.table import Coded

from .measure import Ratio, compare, cpu_seconds, peak_megabytes
from .tables import coded_table

PEER = "StepMix, categorical"


def _peer(n_components: int, n_init: int, max_iter: int, tol: float) -> StepMix:
    return StepMix(
        n_components,
        measurement="categorical",
        n_init=n_init,
        max_iter=max_iter,
        abs_tol=tol,
        rel_tol=0.0,
        random_state=0,
        progress_bar=0,
        verbose=0,
    )


def fixed_iterations(n_rows: int = 100_000, n_components: int = 10, n_iter: int = 50) -> list[Ratio]:
    """The same number of iterations from one random start."""
    codes, _, n_values = coded_table(n_rows, n_classes=n_components)
    coded, rows = Coded.of(Schema.from_sizes(n_values), codes), codes.astype(np.int64)
    return [
        compare(
            f"EM {n_rows:,} x {codes.shape[1]}, K = {n_components}, {n_iter} iterations",
            (PEER, lambda: _peer(n_components, 1, n_iter, 0.0).fit(rows)),
            lambda: fit_mixture(
                coded, n_components, n_init=1, max_iter=n_iter, tol=0.0, random_state=0, n_threads=1
            ),
            at_least=15,
            rounds=2,
        )
    ]


def restarts(n_rows: int = 2000, most_components: int = 10, n_init: int = 20) -> list[Ratio]:
    """Numbers of components from 1 up, with restarts, to the same tolerance; and which end is higher."""
    codes, _, n_values = coded_table(n_rows, n_classes=4)
    coded, rows = Coded.of(Schema.from_sizes(n_values), codes), codes.astype(np.int64)
    best: dict[str, list[float]] = {"own": [], "peer": []}
    sizes = range(1, most_components + 1)

    def own() -> None:
        layout = Layout.of(coded)
        # Starts and a tolerance as the peer has them; the defaults climb further.
        same = {"n_init": n_init, "init": "random", "tol": 1e-7, "n_threads": 1}
        fits = [fit_mixture(layout, k, random_state=0, **same) for k in sizes]
        best["own"] = [info.runs[info.best].log_likelihood for _, info in fits]

    def peer() -> None:
        # A tolerance on the mean log-likelihood of a row, as ours.
        fits = [_peer(k, n_init, 1000, 1e-7).fit(rows) for k in sizes]
        best["peer"] = [float(fit.score(rows)) * n_rows for fit in fits]

    what = f"EM {n_rows:,} x {codes.shape[1]}, K = 1..{most_components}, {n_init} restarts"
    ratio = compare(what, (PEER, peer), own, at_least=15, rounds=1)
    # Restarts end in local optima, ours in others than the peer's: neither is the higher one for every K.
    leads = np.array(best["own"]) - np.array(best["peer"])
    reached = Ratio(
        f"{what}: log-likelihood reached, mean lead over K (least {leads.min():.1f}, most {leads.max():.1f})",
        PEER,
        float(np.mean(best["peer"])),
        float(np.mean(best["own"])),
        "nats",
        float(leads.mean()),
        "at least -1",
        bool(leads.mean() >= -1),
    )
    return [ratio, reached]


def exact_sums() -> list[Ratio]:
    """The sum over all clusterings, on one core, with its error bound and memory."""
    rng = np.random.default_rng(0)
    lines = []
    for n_rows, n_components, limit in ((20, 6, 1.0), (24, 3, 60.0)):
        coded = Coded.of(Schema.from_sizes([4] * 10), rng.integers(0, 4, size=(n_rows, 10)))
        exact_code_length(coded.take(np.arange(12)), n_components)  # compiles the kernels
        found = []

        def work(coded=coded, n_components=n_components, found=found) -> None:
            found.append(exact_code_length(coded, n_components))

        seconds = cpu_seconds(work)
        what = f"exact code length, N = {n_rows}, K = {n_components} ({n_components**n_rows:.1e} clusterings)"
        lines.append(
            Ratio(
                what,
                f"limit {limit:g} s",
                limit,
                seconds,
                "s",
                limit / seconds,
                "at least 1",
                seconds <= limit,
            )
        )
        bound = found[0].error_bound
        lines.append(
            Ratio(
                f"{what}: error bound", "limit", 1e-9, bound, "nats", 1e-9 / bound, "at least 1", bound < 1e-9
            )
        )
        memory = peak_megabytes(work)
        lines.append(Ratio(f"{what}: extra memory", "said", memory, memory, "MB", 1.0, "said", True))
    return lines


def neighbourhoods() -> list[Ratio]:
    """The neighbourhood of one clustering of a thousand rows."""
    codes, classes, n_values = coded_table(1000, n_classes=10)
    coded = Coded.of(with_components(Schema.from_sizes(n_values), 10), codes)
    neighbourhood_code_length(coded, classes)
    seconds = cpu_seconds(lambda: neighbourhood_code_length(coded, classes))
    return [
        Ratio("LN, N = 1000, K = 10", "limit 1 s", 1.0, seconds, "s", 1 / seconds, "at least 1", seconds < 1)
    ]


def run() -> list[Ratio]:
    """All timings of finite mixtures."""
    return [*exact_sums(), *neighbourhoods(), *fixed_iterations(), *restarts()]
