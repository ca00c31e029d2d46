"""The code length of a mixture by annealed importance sampling, for sizes where nothing exact is feasible."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from .._threads import n_threads_or_default
from ..errors import InvalidParameter
from ..table import Schema
from ..typing import CodeArray, FloatArray
from .clusterings import ObservedCells, empty_state
from .mixtures import MixturePrior, spread_prior, with_components


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
        small where no chain came by the clusterings that matter: see :attr:`effective_sample_size`.
        """
        n_chains = len(self.log_weights)
        if n_chains < 2:
            return np.inf
        return float(np.std(self._shares * n_chains, ddof=1) / np.sqrt(n_chains))

    @property
    def effective_sample_size(self) -> float:
        """How many chains with equal weights would say as much: from 1 to the number of chains."""
        return float(1 / (self._shares**2).sum())

    @property
    def _shares(self) -> FloatArray:
        return np.exp(self.log_weights - logsumexp(self.log_weights))


def annealed_code_length(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: MixturePrior = "uniform",
    *,
    n_chains: int = 100,
    n_temperatures: int = 200,
    random_state: Any = None,
    n_threads: int | None = None,
) -> AnnealedCodeLength:
    r"""Estimate the exact code length of a mixture by sampling clusterings, in nats.

    Each chain draws a clustering from its prior and then makes Gibbs sweeps, parameters integrated out,
    through the distributions

    .. math:: P(Z) P(D \mid Z)^{b}, \qquad 0 = b_0 < b_1 < \dots < b_T = 1

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
        Steps from prior to posterior. More of them make the weights more alike.
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
    >>> round(np.exp(-estimate.code_length), 9), round(estimate.effective_sample_size, 9)
    (0.166666667, 3.0)
    """
    for name, number in (("n_chains", n_chains), ("n_temperatures", n_temperatures)):
        if number < 1:
            raise InvalidParameter(f"{name}={number}: expected at least 1")
    full = with_components(schema, n_components)
    spread = spread_prior(prior, full)
    observed, powers = ObservedCells.of(full, codes), np.linspace(0.0, 1.0, n_temperatures + 1)

    def chain(generator: np.random.Generator) -> float:
        from ._kernels import anneal

        return float(anneal(*observed.arrays, *empty_state(full, spread), powers, generator))

    generators = np.random.default_rng(random_state).spawn(n_chains)
    with ThreadPoolExecutor(min(n_threads_or_default(n_threads), n_chains)) as pool:
        log_weights = np.array(list(pool.map(chain, generators)))
    return AnnealedCodeLength(float(np.log(n_chains) - logsumexp(log_weights)), log_weights)
