"""The code length of a mixture by annealed importance sampling, for sizes where nothing exact is feasible."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln, logsumexp

from ..._threads import n_threads_or_default
from ...errors import Infeasible, InvalidParameter
from ...rules import Pseudocounts
from ...table import Schema
from ...typing import CodeArray, FloatArray
from ..clusterings import ObservedCells, empty_state, exchangeable
from ..parameters import with_components
from ._references import Reference

MAX_COMPONENTS = 10
"""Components at most for a start at local optima, whose renamings are summed subset by subset."""

FEW_ROWS = 20
"""Up to this many rows a uniform start does better: all names of the components are within reach."""

NAME_POWER = 0.25
"""Power of the reference that decides which names of the components are a chain's own. With a small
power names count that a chain might have reached but has not; a large one makes the weights less alike."""


@dataclass(frozen=True, eq=False, slots=True)
class AnnealedCodeLength:
    """An estimate of a code length, and how far to trust it.

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

    @property
    def standard_error(self) -> float:
        """Standard error of the code length, in nats: that of the mean weight, relative to it.

        This is the delta method on the spread between chains. It is infinite for a single chain, and too
        small where no chain came by the clusterings that matter.
        """
        n_chains = len(self.log_weights)
        if n_chains < 2:
            return np.inf
        return float(np.std(self._shares * n_chains, ddof=1) / np.sqrt(n_chains))

    @property
    def effective_sample_size(self) -> float:
        """How many chains with equal weights would say as much: from 1 to the number of chains.

        Where it is small, a few chains carry the estimate, and its standard error is not to be trusted.
        """
        return float(1 / (self._shares**2).sum())

    @property
    def _shares(self) -> FloatArray:
        return np.asarray(np.exp(self.log_weights - logsumexp(self.log_weights)))


def annealed_code_length(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: PriorLike = "uniform",
    *,
    n_chains: int = 100,
    n_temperatures: int = 100,
    start: Literal["auto", "optima", "uniform"] = "auto",
    random_state: Any = None,
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
    schema : Schema
        The schema of the codes.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    n_components : int
        How many components the mixture has.
    prior : prior or its name
        Pseudocounts of the components and values.
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
    random_state : int, generator or None
        Where the randomness comes from; each chain has a stream of its own.
    n_threads : int, optional
        Threads to run chains on; by default one for each processor.

    References
    ----------
    .. [1] Neal (2001). Annealed importance sampling. Statistics and Computing 11.

    Examples
    --------
    With one component there is one clustering, and the estimate is exact.

    >>> schema, codes = Schema.from_sizes([2]), np.array([[0], [1]], dtype=np.uint8)
    >>> estimate = annealed_code_length(schema, codes, 1, n_chains=3, n_temperatures=2, random_state=0)
    >>> round(float(np.exp(-estimate.code_length)), 9), round(estimate.effective_sample_size, 9)
    (0.166666667, 3.0)
    """
    _check(n_chains, n_temperatures, start, n_components)
    full = with_components(schema, n_components)
    spread = pseudocounts(prior, full)
    generator = np.random.default_rng(random_state)
    is_uniform = start == "uniform" or not len(codes)
    if start == "auto":
        is_uniform = len(codes) <= FEW_ROWS or n_components > MAX_COMPONENTS
    if is_uniform:
        reference = Reference.uniform(len(codes), n_components)
    else:
        reference = Reference.at_optima(full, codes, spread, generator)
    streams = generator.spawn(n_chains)
    log_weights = _run(full, codes, spread, reference, is_uniform, n_temperatures, streams, n_threads)
    return AnnealedCodeLength(float(np.log(n_chains) - logsumexp(log_weights)), log_weights)


def _run(
    schema: Schema,
    codes: CodeArray,
    prior: Pseudocounts,
    reference: Reference,
    is_uniform: bool,
    n_temperatures: int,
    streams: list[np.random.Generator],
    n_threads: int | None,
) -> FloatArray:
    """Log importance weight of one chain a stream."""
    from ._annealing_kernels import anneal, log_name_share

    observed, powers = ObservedCells.of(schema, codes), np.linspace(0.0, 1.0, n_temperatures + 1)
    names, log_probs = exchangeable(prior), np.log(reference.probs)
    tables, for_names = np.stack((reference.probs, log_probs)), NAME_POWER * log_probs
    log_renamings = float(gammaln(np.unique(names, return_counts=True)[1] + 1).sum())

    def chain(stream: np.random.Generator) -> float:
        labels, state = np.zeros(len(codes), dtype=np.int64), empty_state(schema, prior)
        log_weight = anneal(*observed.arrays, *state, tables, reference.log_shares, powers, stream, labels)
        if is_uniform:
            return float(log_weight)
        own = log_name_share(labels, for_names, reference.log_shares, names)
        return float(log_weight + log_renamings + own)

    with ThreadPoolExecutor(min(n_threads_or_default(n_threads), len(streams))) as pool:
        return np.array(list(pool.map(chain, streams)))


def _check(n_chains: int, n_temperatures: int, start: str, n_components: int) -> None:
    for name, number in (("n_chains", n_chains), ("n_temperatures", n_temperatures)):
        if number < 1:
            raise InvalidParameter(f"{name}={number}: expected at least 1")
    if start not in ("auto", "optima", "uniform"):
        raise InvalidParameter(f'start={start!r}: expected "auto", "optima" or "uniform"')
    if start == "optima" and n_components > MAX_COMPONENTS:
        raise Infeasible(
            f'n_components={n_components}: start="optima" sums over renamings of the components, which is '
            f'feasible up to {MAX_COMPONENTS} of them; use start="uniform" with many temperatures'
        )
