"""The tasks of this paper: random samples of the rows of a table, and what is computed from each.

A sample depends on the seed, the table, its size and its number alone, so that all figures look at the
same samples.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import logsumexp

from codelength.mixture.code_length import clustering_log_terms
from codelength.mixture.parameters import with_components
from codelength.table import Coded
from codelength.typing import FloatArray, IntArray

from ...prepared import prepare
from ...spec import Result, Source, stream_of
from .methods import METHODS, annealed, approximations, at_clustering, exact, fitted, hard_ends

LEVELS = (0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99)
"""Shares of the sum in Figure 2."""

SHARES = tuple(round(10 ** (-3 + 0.1 * step), 6) for step in range(31))
"""Shares of the terms at which the curves of Figure 1 are kept."""

N_SOLUTIONS = 200
"""Clusterings in Figure 3 at most, half of them evenly spread by rank and half by log probability."""


@dataclass(frozen=True, slots=True)
class _Samples:
    """The samples ``first .. last - 1`` of a table, of ``n_rows`` rows each.

    ``seed`` is the seed of their random streams.
    """

    source: Source
    n_rows: int
    seed: int
    first: int
    last: int

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self.last - self.first

    @property
    def group(self) -> str:
        """What the samples of one experiment have in common."""
        raise AttributeError("a task of samples names its group")

    @property
    def key(self) -> str:
        """Name of the task."""
        return f"{self.group}/{self.first}-{self.last - 1}"

    @property
    def n_items(self) -> int:
        """Samples."""
        return self.n_samples

    def sample(self, number: int) -> Coded:
        """The rows of one sample; the class is one of the variables."""
        coded = prepare(self.source).coded
        rows = np.random.default_rng(self.stream(number)).permutation(coded.n_rows)[: self.n_rows]
        return coded.take(rows).with_class_as_column()

    def stream(self, number: int) -> int:
        """Seed of one sample."""
        return stream_of(f"{self.seed}/{self.source.name}/{self.n_rows} rows/{number}")


@dataclass(frozen=True, slots=True)
class TermsTask(_Samples):
    """All terms of the sum over clusterings, in descending order: Figures 1 and 2."""

    n_components: int = 3

    @property
    def group(self) -> str:
        """The table and the size."""
        return f"terms/{self.source.name}/{self.n_rows} rows"

    @property
    def work(self) -> float:
        """Milliseconds, roughly."""
        return self.n_samples * (5 + 0.0005 * float(self.n_components) ** self.n_rows)

    def run(self) -> Result:
        """For each sample the terms that each level needs, and the share of the sum by share of terms."""
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
    def group(self) -> str:
        """The table."""
        return f"solutions/{self.source.name}"

    @property
    def work(self) -> float:
        """Milliseconds, roughly."""
        return 2500.0 * self.n_samples

    def run(self) -> Result:
        """One entry for each sample."""
        return {"samples": [self._solutions(number) for number in range(self.first, self.last)]}

    def _solutions(self, number: int) -> Result:
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
    """All methods and what they approximate, for some numbers of components.

    Attributes
    ----------
    components : tuple of int
        Numbers of components.
    reference : {"exact", "annealed"}
        How the code length that is approximated is found.
    is_checked : bool
        Whether an exact reference is estimated by annealing as well.
    """

    components: tuple[int, ...] = (3,)
    reference: Reference = "exact"
    is_checked: bool = False

    @property
    def group(self) -> str:
        """The table and the size."""
        return f"approximations/{self.source.name}/{self.n_rows} rows"

    @property
    def n_items(self) -> int:
        """Samples under each number of components."""
        return self.n_samples * len(self.components)

    @property
    def work(self) -> float:
        """Milliseconds, roughly."""
        sampled = self.reference == "annealed" or self.is_checked
        annealing = 10.0 * self.n_rows * len(self.components) if sampled else 0.0
        summing = 300 * 3.0 ** (self.n_rows - 20) if self.reference == "exact" else 0.0
        return self.n_samples * (150 * len(self.components) + annealing + summing)

    def run(self) -> Result:
        """By number of components: code lengths of each sample by every method and by the reference."""
        columns: dict[str, dict[str, list[float]]] = {
            str(k): {name: [] for name in (*METHODS, "reference", "standard_error")} for k in self.components
        }
        for number in range(self.first, self.last):
            for k, lengths in self._lengths(self.sample(number), number).items():
                for name, length in lengths.items():
                    columns[str(k)].setdefault(name, []).append(float(length))
        return columns

    def _lengths(self, coded: Coded, number: int) -> dict[int, dict[str, float]]:
        found = {}
        known = exact(coded, max(self.components)) if self.reference == "exact" else {}
        for k in self.components:
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
    """Share of the sum that the largest 1, 2, ... terms make up."""
    terms = np.sort(clustering_log_terms(coded, n_components))[::-1]
    running = np.cumsum(np.exp(terms - terms[0]))
    return np.asarray(running / running[-1])


def _needed(shares: FloatArray, level: float) -> int:
    return int(np.searchsorted(shares, level * (1 - 1e-12))) + 1


def _mass(shares: FloatArray, share: float) -> float:
    """The curve between the points at which whole terms are added."""
    points = np.arange(len(shares) + 1)
    return float(np.interp(share * len(shares), points, np.append(0.0, shares)))


def _spread(terms: FloatArray, n_rows: int, n_components: int) -> IntArray:
    """Terms spread over all by rank and by size, up to the names of components; the largest is the last."""
    t = np.arange(len(terms))
    most, is_named_in_order = np.zeros(len(terms), dtype=np.int64), np.ones(len(terms), dtype=np.bool_)
    for row in range(n_rows):
        label = t // n_components ** (n_rows - 1 - row) % n_components
        is_named_in_order &= label <= most
        most = np.maximum(most, label + 1)
    own = t[is_named_in_order]
    ordered = own[np.argsort(terms[own], kind="stable")]
    by_rank = np.linspace(0, len(ordered) - 1, N_SOLUTIONS // 2).round().astype(np.int64)
    levels = np.linspace(terms[ordered[0]], terms[ordered[-1]], N_SOLUTIONS // 2)
    by_level = np.minimum(np.searchsorted(terms[ordered], levels), len(ordered) - 1)
    return np.asarray(ordered[np.union1d(by_rank, by_level)])


def _clustering(term: int, n_rows: int, n_components: int) -> IntArray:
    powers = n_components ** np.arange(n_rows - 1, -1, -1)
    return np.asarray(int(term) // powers % n_components)


def _position(labels: IntArray, n_components: int) -> int:
    """Where a clustering stands among all, named as it is."""
    powers = n_components ** np.arange(len(labels) - 1, -1, -1)
    return int(labels @ powers)


def needed_share(needed: int, n_rows: int, n_components: int = 3) -> float:
    """Share of all clusterings.

    Examples
    --------
    >>> needed_share(27, 4)
    0.3333333333333333
    """
    return needed / float(n_components**n_rows)
