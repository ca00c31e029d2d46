"""Random samples of the rows of a table, and sums over all their clusterings, exact and approximate.

A sample depends on the seed, the table, its size and its number alone, so that all figures use the same
samples. Methods under their names in the paper come first, then the tasks of its figures.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.special import logsumexp

from codelength.decisions import first_best_of_rows
from codelength.mixture.best_clustering import best_clustering, local_optima
from codelength.mixture.clusterings import clustering_counts
from codelength.mixture.code_length import (
    aic_code_length,
    annealed_code_length,
    bic_code_length,
    cheeseman_stutz_code_length,
    clustering_log_terms,
    exact_code_length,
    neighbourhood_code_length,
    soft_shares,
    union_code_length,
)
from codelength.mixture.em import RestartsInfo, fit_mixture
from codelength.mixture.parameters import MixtureParameters, posterior_mode, with_components
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from ..experiment import Result
from ..tables import Source, prepare, stream_of

AT_EM = ("LN", "C-S", "C-S soft", "BIC", "AIC")
"""At the end of EM: local neighbourhood, Cheeseman-Stutz with either completion, and two criteria."""

AT_BEST = ("LN*", "C-S*", "BIC*", "AIC*")
"""The same at the most probable clustering."""

SEVERAL = ("LN+", "LN+*")
"""The neighbourhoods of all ends of EM, or of all local optima of climbing as often, each clustering counted
once with all its renamings."""

METHODS = (*AT_EM, *AT_BEST, *SEVERAL)

N_STARTS = 20
"""Starts of EM, as in the paper."""

N_ITERATIONS, TOLERANCE = 1000, 1e-7
"""Stopping rule of EM, which the paper does not state."""

N_CHAINS, N_TEMPERATURES = 50, 200

MAX_SEARCHED = 16
"""Most rows for which the best clustering is found by exhaustive search."""

N_CLIMBS = 100
"""Hill climbs that search for the best clustering of more rows."""

LEVELS = (0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99)
"""Shares of the sum in Figure 2."""

SHARES = tuple(round(10 ** (-3 + 0.1 * step), 6) for step in range(31))
"""Shares of the terms at which the curves of Figure 1 are evaluated."""

N_SOLUTIONS = 200
"""Most clusterings in Figure 3, half of them evenly spread by rank and half by log probability."""


def approximations(coded: Coded, n_components: int, seed: Any) -> dict[str, float]:
    """Return the code length of some rows by every method, in nats."""
    # The component becomes the target of the rows, as all functions below expect.
    rows = with_components(coded, n_components)
    found, restarts = fitted(rows, n_components, seed)
    shares = soft_shares(rows, found, 1)
    labels = first_best_of_rows(shares)
    lengths = {
        "LN": neighbourhood_code_length(rows, labels),
        "C-S": cheeseman_stutz_code_length(rows, labels),
        "C-S soft": cheeseman_stutz_code_length(rows, shares, completion="soft"),
        "BIC": bic_code_length(rows, found),
        "AIC": aic_code_length(rows, found),
    }
    how: dict[str, Any] = {} if rows.n_rows <= MAX_SEARCHED else {"method": "climb", "n_starts": N_CLIMBS}
    best = best_clustering(rows, n_components, random_state=seed, **how).clustering
    lengths |= {f"{name}*": length for name, length in at_clustering(rows, best).items()}
    lengths["LN+"] = union_code_length(rows, hard_ends(restarts, rows))
    optima = local_optima(rows, n_components, n_starts=N_STARTS, random_state=seed)
    lengths["LN+*"] = union_code_length(rows, [optimum.clustering for optimum in optima])
    return lengths


def at_clustering(rows: Coded, clustering: IntArray) -> dict[str, float]:
    """Return the code length by each method if the missing data is one given clustering."""
    # BIC and AIC need parameters: those that are most probable given the clustering.
    mode = posterior_mode(clustering_counts(rows, clustering), "uniform")
    return {
        "LN": neighbourhood_code_length(rows, clustering),
        "C-S": cheeseman_stutz_code_length(rows, clustering),
        "BIC": bic_code_length(rows, mode),
        "AIC": aic_code_length(rows, mode),
    }


def fitted(rows: Coded, n_components: int, seed: Any) -> tuple[MixtureParameters, RestartsInfo]:
    """Return the most probable mixture that EM finds from random starts, as in the paper, and all ends."""
    return fit_mixture(
        rows,
        n_components,
        n_init=N_STARTS,
        init="random",
        max_iter=N_ITERATIONS,
        tol=TOLERANCE,
        random_state=seed,
        n_threads=1,
    )


def hard_ends(restarts: RestartsInfo, rows: Coded) -> list[IntArray]:
    """Return the clustering at each end of EM, with every row in its most probable component."""
    return [state.labels(rows, 1) for state in restarts.states]


@dataclass(frozen=True, slots=True)
class _Samples:
    """Samples of the rows of a table: base of the tasks.

    Attributes
    ----------
    n_rows : int
        Rows of each sample.
    first, last : int
        The samples ``first .. last - 1``.
    """

    kind: ClassVar[str]

    source: Source
    n_rows: int
    seed: int
    first: int
    last: int

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.last - self.first

    @property
    def key(self) -> str:
        """Name of the task."""
        return f"{self.kind}/{self.source.name}/{self.n_rows} rows/{self.first}-{self.last - 1}"

    def sample(self, number: int) -> Coded:
        """Return the rows of one sample, with the class as a variable."""
        coded = prepare(self.source).coded
        rows = np.random.default_rng(self.stream(number)).permutation(coded.n_rows)[: self.n_rows]
        return coded.take(rows).with_class_as_column()

    def stream(self, number: int) -> int:
        """Return the seed of one sample."""
        return stream_of(f"{self.seed}/{self.source.name}/{self.n_rows} rows/{number}")


@dataclass(frozen=True, slots=True)
class TermsTask(_Samples):
    """All terms of the sum over clusterings, in descending order: Figures 1 and 2."""

    kind: ClassVar[str] = "terms"
    n_components: int = 3

    @property
    def work(self) -> float:
        """Approximate milliseconds."""
        return self.n_samples * (5 + 0.0005 * float(self.n_components) ** self.n_rows)

    def run(self) -> Result:
        """Return the terms that each level needs, and the share of the sum by share of terms, per sample."""
        samples = [_shares(self.sample(number), self.n_components) for number in range(self.first, self.last)]
        return {
            "needed": [[_needed(shares, level) for level in LEVELS] for shares in samples],
            "mass": [[_mass(shares, share) for share in SHARES] for shares in samples],
        }


@dataclass(frozen=True, slots=True)
class SolutionsTask(_Samples):
    """The methods at many clusterings, good and bad: Figure 3."""

    n_components: int = 3

    @property
    def key(self) -> str:
        """Name of the task."""
        return f"solutions/{self.source.name}/{self.first}-{self.last - 1}"

    @property
    def work(self) -> float:
        """Approximate milliseconds."""
        return 2500.0 * self.n_samples

    def run(self) -> Result:
        """Return one entry per sample."""
        return {"samples": [self._solutions(number) for number in range(self.first, self.last)]}

    def _solutions(self, number: int) -> Result:
        """Return the exact code length of a sample, and those of the methods at good and bad clusterings."""
        coded, k = with_components(self.sample(number), self.n_components), self.n_components
        terms = clustering_log_terms(coded, k)
        total = float(logsumexp(terms))
        chosen = _spread(terms, self.n_rows, k)
        # A clustering is the number of its term in base k, the first row most significant.
        powers = k ** np.arange(self.n_rows - 1, -1, -1)
        lengths = [at_clustering(coded, int(term) // powers % k) for term in chosen]
        _, restarts = fitted(coded, k, [self.stream(number), k])
        ends = {int(labels @ powers) for labels in hard_ends(restarts, coded)}
        return {
            "exact": -total,
            "log_posterior": (terms[chosen] - total).tolist(),
            "lengths": {name: [float(entry[name]) for entry in lengths] for name in lengths[0]},
            "em": sorted({float(terms[t] - total) for t in ends}),
        }


Reference: TypeAlias = Literal["exact", "annealed"]


@dataclass(frozen=True, slots=True)
class ApproximationsTask(_Samples):
    """Code lengths by all methods and by the reference, for some numbers of components.

    Attributes
    ----------
    components : tuple of int
        Numbers of components.
    reference : {"exact", "annealed"}
        Method for the code length that is approximated.
    is_checked : bool
        True if an exact reference is estimated by annealing as well.
    """

    kind: ClassVar[str] = "approximations"
    components: tuple[int, ...] = (3,)
    reference: Reference = "exact"
    is_checked: bool = False

    @property
    def work(self) -> float:
        """Approximate milliseconds."""
        sampled = self.reference == "annealed" or self.is_checked
        annealing = 10.0 * self.n_rows * len(self.components) if sampled else 0.0
        summing = 300 * 3.0 ** (self.n_rows - 20) if self.reference == "exact" else 0.0
        return self.n_samples * (150 * len(self.components) + annealing + summing)

    def run(self) -> Result:
        """Return the code lengths of each sample by every method and the reference, by components."""
        columns: dict[str, dict[str, list[float]]] = {
            str(k): {name: [] for name in (*METHODS, "reference", "standard_error")} for k in self.components
        }
        for number in range(self.first, self.last):
            coded = self.sample(number)
            # One exact sum gives the code lengths for all smaller numbers of components as well.
            is_exact, most = self.reference == "exact", max(self.components)
            sums: Any = exact_code_length(coded, most).code_lengths if is_exact else None
            for k in self.components:
                # A stream per sample and number of components: results do not depend on which others run.
                seed: list[Any] = [self.stream(number), k]
                lengths = approximations(coded, k, seed)
                if is_exact:
                    lengths |= {"reference": sums[k - 1], "standard_error": 0.0}
                if not is_exact or self.is_checked:
                    found = annealed_code_length(
                        coded,
                        k,
                        n_chains=N_CHAINS,
                        n_temperatures=N_TEMPERATURES,
                        random_state=seed,
                        n_threads=1,
                    )
                    names = ("annealed", "annealed_se") if is_exact else ("reference", "standard_error")
                    lengths |= dict(zip(names, (float(found), found.standard_error), strict=True))
                for name, length in lengths.items():
                    columns[str(k)].setdefault(name, []).append(float(length))
        return columns


PaperTask: TypeAlias = TermsTask | SolutionsTask | ApproximationsTask


def _shares(coded: Coded, n_components: int) -> FloatArray:
    """Return the share of the sum that the largest 1, 2, ... terms make up."""
    terms = np.sort(clustering_log_terms(coded, n_components))[::-1]
    # Relative to the largest term, because the terms themselves underflow.
    running = np.cumsum(np.exp(terms - terms[0]))
    return np.asarray(running / running[-1])


def _needed(shares: FloatArray, level: float) -> int:
    # A hair below the level, so that rounding of the cumulative sum does not demand one term more.
    return int(np.searchsorted(shares, level * (1 - 1e-12))) + 1


def _mass(shares: FloatArray, share: float) -> float:
    """Return the share of the sum at a share of the terms, interpolated between whole terms."""
    points = np.arange(len(shares) + 1)
    return float(np.interp(share * len(shares), points, np.append(0.0, shares)))


def _spread(terms: FloatArray, n_rows: int, n_components: int) -> IntArray:
    """Return terms spread over all by rank and by size, one per set of renamings, in ascending order."""
    t = np.arange(len(terms))
    most, is_named_in_order = np.zeros(len(terms), dtype=np.int64), np.ones(len(terms), dtype=np.bool_)
    for row in range(n_rows):
        label = t // n_components ** (n_rows - 1 - row) % n_components
        # Components numbered by their first appearance: one of k! equivalent names of a clustering is kept.
        is_named_in_order &= label <= most
        most = np.maximum(most, label + 1)
    own = t[is_named_in_order]
    ordered = own[np.argsort(terms[own], kind="stable")]
    # By rank alone nearly all points are improbable clusterings; levels add the few probable ones.
    by_rank = np.linspace(0, len(ordered) - 1, N_SOLUTIONS // 2).round().astype(np.int64)
    levels = np.linspace(terms[ordered[0]], terms[ordered[-1]], N_SOLUTIONS // 2)
    by_level = np.minimum(np.searchsorted(terms[ordered], levels), len(ordered) - 1)
    return np.asarray(ordered[np.union1d(by_rank, by_level)])
