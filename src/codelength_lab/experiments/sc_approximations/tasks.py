"""Tasks of the experiment: random samples of the rows of a table, and the computations on each.

A sample depends on the seed, the table, its size and its number alone, so that all figures use the same
samples.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy.special import logsumexp

from codelength.mixture.code_length import clustering_log_terms
from codelength.mixture.parameters import with_components
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from ...experiment import Result
from ...tables import Source, prepare, stream_of
from .methods import METHODS, annealed, approximations, at_clustering, exact, fitted, hard_ends

LEVELS = (0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99)
"""Shares of the sum in Figure 2."""

SHARES = tuple(round(10 ** (-3 + 0.1 * step), 6) for step in range(31))
"""Shares of the terms at which the curves of Figure 1 are evaluated."""

N_SOLUTIONS = 200
"""Most clusterings in Figure 3, half of them evenly spread by rank and half by log probability."""


@dataclass(frozen=True, slots=True)
class _Samples:
    """Samples of the rows of a table: base of the tasks.

    Attributes
    ----------
    source : Source
        The table.
    n_rows : int
        Rows of each sample.
    seed : int
        Seed of the random streams.
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
        lengths = [at_clustering(coded, _clustering(t, self.n_rows, k)) for t in chosen]
        _, restarts = fitted(coded, k, [self.stream(number), k])
        ends = {_position(labels, k) for labels in hard_ends(restarts, coded)}
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
            for k, lengths in self._lengths(self.sample(number), number).items():
                for name, length in lengths.items():
                    columns[str(k)].setdefault(name, []).append(float(length))
        return columns

    def _lengths(self, coded: Coded, number: int) -> dict[int, dict[str, float]]:
        """Return the code lengths of one sample by number of components and method."""
        found = {}
        # One exact sum gives the code lengths for all smaller numbers of components as well.
        known = exact(coded, max(self.components)) if self.reference == "exact" else {}
        for k in self.components:
            # One stream per sample and number of components, so that results do not depend on which others
            # are run.
            seed: list[Any] = [self.stream(number), k]
            lengths = approximations(coded, k, seed)
            sampled = annealed(coded, k, seed) if not known or self.is_checked else None
            if known:
                lengths |= {"reference": known[k], "standard_error": 0.0}
                if sampled is not None:
                    lengths |= {"annealed": sampled[0], "annealed_se": sampled[1]}
            elif sampled is not None:
                lengths |= {"reference": sampled[0], "standard_error": sampled[1]}
            found[k] = lengths
        return found


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
        # Components numbered by their first appearance: one of the k! equivalent names of a clustering is
        # kept.
        is_named_in_order &= label <= most
        most = np.maximum(most, label + 1)
    own = t[is_named_in_order]
    ordered = own[np.argsort(terms[own], kind="stable")]
    # By rank alone nearly all points are improbable clusterings; levels add the few probable ones.
    by_rank = np.linspace(0, len(ordered) - 1, N_SOLUTIONS // 2).round().astype(np.int64)
    levels = np.linspace(terms[ordered[0]], terms[ordered[-1]], N_SOLUTIONS // 2)
    by_level = np.minimum(np.searchsorted(terms[ordered], levels), len(ordered) - 1)
    return np.asarray(ordered[np.union1d(by_rank, by_level)])


def _clustering(term: int, n_rows: int, n_components: int) -> IntArray:
    """Return the labels of a term: its number in base ``n_components``, the first row most significant."""
    powers = n_components ** np.arange(n_rows - 1, -1, -1)
    return np.asarray(int(term) // powers % n_components)


def _position(labels: IntArray, n_components: int) -> int:
    """Return the number of a clustering among all, the inverse of ``_clustering``."""
    powers = n_components ** np.arange(len(labels) - 1, -1, -1)
    return int(labels @ powers)


def needed_share(needed: int, n_rows: int, n_components: int = 3) -> float:
    """Return a number of terms as a share of all clusterings.

    Examples
    --------
    >>> needed_share(27, 4)
    0.3333333333333333
    """
    return needed / float(n_components**n_rows)
