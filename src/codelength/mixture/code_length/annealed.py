"""Code length of a mixture by annealed importance sampling, if an exact sum is infeasible.

Order of reading: :func:`annealed_code_length`, :class:`Reference` (the distribution to start from),
:func:`annealed_start` (one chain). Depends on ``best_clustering`` and ``neighbourhood`` for local optima, and
on ``_annealing_kernels``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln, log_softmax, logsumexp

from ..._display import Shown, nats_and_bits
from ...blocks import Block, Facts
from ...counts import count
from ...errors import Infeasible
from ...naive_bayes import Predictor, PriorLike, Pseudocounts, pseudocounts
from ...table import Coded
from ...table.checks import check_choice, check_random_state, check_size
from ...typing import FloatArray, IntArray
from .._replications import repeat
from ..best_clustering import local_optima
from ..clusterings import ClusteringState, ObservedCells, completed, exchangeable, single_rows
from ..costs import check_components
from ..parameters import MixtureParameters, rows_under
from .neighbourhood import neighbourhood_code_length

ChainStart: TypeAlias = Callable[[np.random.Generator], tuple[IntArray, ClusteringState, float]]
"""Function from a random stream to a clustering, its counts, and the log weight of the chain."""

STARTS = ("auto", "optima", "uniform")

MAX_COMPONENTS = 10
"""Maximum number of components for a start at local optima, whose renamings are summed over subsets."""

N_CLIMBS = 20
"""Number of climbs in search of local optima."""

SPREAD = 0.02
"""Share of every distribution that is spread over all components evenly."""

FEW_ROWS = 20
"""Up to this many rows a uniform start does better: chains reach all names of the components."""

NAME_POWER = 0.25
"""Power of the reference that weighs the names of the components of a chain. A small power counts names
that a chain could have reached but has not; a large one makes the weights less alike.
"""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class AnnealedCodeLength(Shown):
    """An estimated code length, with its standard error.

    Attributes
    ----------
    code_length : float
        Minus the log of the mean importance weight, in nats.
    log_weights : array of shape (n_chains,)
        Log importance weight of each chain. The weights, not their logs, have the evidence as their
        expectation, so the code length is on average a little too long.
    """

    code_length: float
    log_weights: FloatArray

    def __float__(self) -> float:
        return self.code_length

    @property
    def standard_error(self) -> float:
        """Standard error of the code length, in nats: that of the mean weight, relative to it.

        This is the delta method on the spread between chains. It is infinite for a single chain, and too
        small if no chain found the clusterings that matter.
        """
        n_chains = len(self.log_weights)
        if n_chains < 2:
            return np.inf
        return float(np.std(self._shares * n_chains, ddof=1) / np.sqrt(n_chains))

    @property
    def effective_sample_size(self) -> float:
        """Effective number of chains, from 1 to the number of chains.

        If it is small, a few chains dominate the estimate, and its standard error is not reliable.
        """
        return float(1 / (self._shares**2).sum())

    def _title(self) -> str:
        return f"annealed code length: {nats_and_bits(self.code_length, 2)}"

    def _blocks(self) -> list[Block]:
        chains = f"{len(self.log_weights):,}, worth {self.effective_sample_size:.1f} of equal weight"
        return [Facts([("standard error", nats_and_bits(self.standard_error, 2)), ("chains", chains)])]

    @property
    def _shares(self) -> FloatArray:
        return np.asarray(np.exp(self.log_weights - logsumexp(self.log_weights)))


def annealed_code_length(
    rows: Any,
    mixture: MixtureParameters | int,
    prior: PriorLike = "uniform",
    *,
    random_state: Any = 0,
    n_chains: int = 100,
    n_temperatures: int = 100,
    start: str = "auto",
    n_threads: int | None = None,
) -> AnnealedCodeLength:
    r"""Estimate the exact code length of a mixture by sampling clusterings, in nats.

    Each chain draws a clustering from a reference distribution Q and then makes Gibbs sweeps, parameters
    integrated out, through the distributions

    .. math:: Q(Z)^{1 - b} P(Z, D)^{b}, \qquad 0 = b_0 < b_1 < \dots < b_T = 1

    which collects an importance weight whose expectation is P(D) [1]_. The result depends on
    ``random_state`` but not on the number of threads.

    Parameters
    ----------
    rows, prior, random_state
        As in :data:`codelength.mixture.code_length.CRITERIA`; each chain has its own random stream.
    mixture : int or MixtureParameters
        Number of components, or a mixture with that number.
    n_chains : int
        Independent chains; the standard error falls with the square root.
    n_temperatures : int
        Steps from the reference to the posterior. More of them make the weights more alike.
    start : {"auto", "optima", "uniform"}
        The reference. ``"uniform"``: independent labels, all alike. ``"optima"``: a mixture of independent
        labels around local optima, each label drawn as leave-one-out prediction at the optimum has it. A
        chain stays near the names its optimum gave to the components, so its weight is corrected for
        the renamings it did not see, which is feasible up to 10 components. ``"auto"``: uniform up to 20
        rows or beyond 10 components. With more than some fifty rows a uniform start needs very many
        temperatures.
    n_threads : int, optional
        Threads to run chains on; by default one for each processor.

    Returns
    -------
    AnnealedCodeLength
        The estimate, with the log importance weights of all chains.

    Raises
    ------
    Infeasible
        If ``start="optima"`` is given with more than 10 components, or memory does not suffice.

    References
    ----------
    .. [1] Neal (2001). Annealed importance sampling. Statistics and Computing 11.

    Examples
    --------
    With one component there is one clustering, and the estimate is exact.

    >>> estimate = annealed_code_length([["a"], ["b"]], 1, n_chains=3, n_temperatures=2, random_state=0)
    >>> round(float(np.exp(-float(estimate))), 9), round(estimate.effective_sample_size, 9)
    (0.166666667, 3.0)
    """
    check_choice("start", start, STARTS)
    check_size("n_chains", n_chains)
    check_size("n_temperatures", n_temperatures)
    coded = single_rows(rows_under(rows, mixture))
    is_uniform = _is_uniform(start, coded)
    bytes_each = 24.0 * coded.n_rows * (1 if is_uniform else N_CLIMBS) + 24.0 * coded.schema.n_cells
    check_components(coded.schema.n_classes, bytes_each, "annealing")
    generator = np.random.default_rng(check_random_state(random_state))
    chain = annealed_start(coded, pseudocounts(prior, coded.schema), is_uniform, n_temperatures, generator)
    log_weights = np.array(repeat(lambda stream: chain(stream)[2], n_chains, generator, n_threads, None))
    return AnnealedCodeLength(float(np.log(n_chains) - logsumexp(log_weights)), log_weights)


class Reference(NamedTuple):
    """A mixture of independent draws of labels.

    Attributes
    ----------
    probs, log_probs : arrays of shape (n_rows, n_parts, n_components)
        Probability of each label of each row, in each part of the mixture, and its log.
    log_shares : array of shape (n_parts,)
        Log weight of each part.
    """

    probs: FloatArray
    log_probs: FloatArray
    log_shares: FloatArray

    @classmethod
    def uniform(cls, n_rows: int, n_components: int) -> "Reference":
        """Build the uniform distribution over labels."""
        probs = np.full((n_rows, 1, n_components), 1 / n_components)
        return cls(probs, np.log(probs), np.zeros(1))

    @classmethod
    def at_optima(cls, coded: Coded, prior: Pseudocounts, generator: np.random.Generator) -> "Reference":
        """Build one part per local optimum, with labels by leave-one-out prediction there."""
        optima = local_optima(coded, coded.schema.n_classes, prior, n_starts=N_CLIMBS, random_state=generator)
        names = exchangeable(prior)
        # Similar optima get similar names, so that a chain can move between them.
        centres = [_renamed_like(optima[0].clustering, optimum.clustering, names) for optimum in optima]
        probs = np.stack([_predicted(completed(coded, centre), prior) for centre in centres], axis=1)
        masses = np.array([-neighbourhood_code_length(coded, centre, prior) for centre in centres])
        # Half the log mass: an optimum whose mass is underestimated must not be left without chains.
        return cls(probs, np.log(probs), log_softmax(masses / 2))


def annealed_start(
    coded: Coded,
    prior: Pseudocounts,
    is_uniform: bool,
    n_temperatures: int,
    generator: np.random.Generator,
) -> ChainStart:
    """Return a function that draws a clustering of single rows by a chain from a reference to the posterior.

    The reference is uniform, so that chains reach all names of the components, or around local optima, whose
    search takes its random numbers from ``generator``.
    """
    from ._annealing_kernels import anneal, log_name_share

    n_components, names, observed = coded.schema.n_classes, exchangeable(prior), ObservedCells.of(coded)
    if is_uniform:
        reference = Reference.uniform(coded.n_rows, n_components)
    else:
        reference = Reference.at_optima(coded, prior, generator)
    powers = np.linspace(0.0, 1.0, n_temperatures + 1)

    def start(stream: np.random.Generator) -> tuple[IntArray, ClusteringState, float]:
        labels = np.zeros(coded.n_rows, dtype=np.int64)
        state = ClusteringState.empty(coded.schema, prior)
        log_weight = float(anneal(observed, state, reference, powers, stream, labels))
        if not is_uniform:
            # All m! namings of exchangeable components have the same P(Z, D), but a chain stays near one. Its
            # weight counts all of them, times the share that the reference gives to its own names.
            log_weight += float(gammaln(np.unique(names, return_counts=True)[1] + 1).sum())
            log_weight += float(log_name_share(labels, reference, NAME_POWER, names))
        return labels, state, log_weight

    return start


def _is_uniform(start: str, coded: Coded) -> bool:
    """Return whether the reference is the uniform one; raise if the requested one is infeasible."""
    n_components = coded.schema.n_classes
    if start == "optima" and n_components > MAX_COMPONENTS:
        raise Infeasible(
            f'n_components={n_components}: start="optima" sums over renamings of the components, which is '
            f'feasible up to {MAX_COMPONENTS} of them; use start="uniform" with many temperatures'
        )
    if start == "auto":
        return coded.n_rows <= FEW_ROWS or n_components > MAX_COMPONENTS
    return start == "uniform" or not coded.n_rows


def _predicted(table: Coded, prior: Pseudocounts) -> FloatArray:
    log_probs = Predictor.of(count(table), "evidence", prior).leave_one_out(table).log_probs
    # Every label keeps some probability: importance weights are finite, and chains can leave the optimum.
    return np.asarray((1 - SPREAD) * np.exp(log_probs) + SPREAD / table.schema.n_classes)


def _renamed_like(model: IntArray, clustering: IntArray, names: IntArray) -> IntArray:
    """Rename exchangeable components of a clustering to agree with a model in as many rows as possible."""
    agreeing = np.zeros((len(names), len(names)))
    np.add.at(agreeing, (clustering, model), 1.0)
    forbidden = names[:, None] != names
    _, renamed = linear_sum_assignment(np.where(forbidden, -1.0 - len(model), agreeing), maximize=True)
    return np.asarray(renamed[clustering], dtype=np.int64)
