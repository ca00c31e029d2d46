"""The code length of a mixture by annealed importance sampling, for sizes where nothing exact is feasible."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import gammaln, log_softmax, logsumexp

from .._threads import n_threads_or_default
from ..errors import Infeasible, InvalidParameter
from ..rules import Pseudocounts, evidence_rule
from ..table import Schema
from ..typing import CodeArray, FloatArray, IntArray
from .best_clustering import local_optima
from .clusterings import ObservedCells, clustering_counts, completed, empty_state, exchangeable
from .leave_one_out import leave_one_out
from .mixtures import MixturePrior, spread_prior, with_components
from .neighbourhood import neighbourhood_code_length

Reference: TypeAlias = Literal["optima", "uniform"]

MAX_COMPONENTS = 12
"""Components at most for a start at local optima, whose renamings are summed subset by subset."""

N_CLIMBS = 20
"""Climbs in search of local optima."""

SPREAD = 0.05
"""Share of every reference distribution that is spread over all components evenly."""


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
        return np.exp(self.log_weights - logsumexp(self.log_weights))


def annealed_code_length(
    schema: Schema,
    codes: CodeArray,
    n_components: int,
    prior: MixturePrior = "uniform",
    *,
    n_chains: int = 100,
    n_temperatures: int = 100,
    start: Reference = "optima",
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
    start : {"optima", "uniform"}
        The reference. ``"optima"``: a mixture of independent labels around local optima, each label drawn
        as leave-one-out prediction at the optimum has it. A chain stays near the names its optimum gave
        to the components, so its weight is corrected for the renamings it did not see. ``"uniform"``:
        independent labels, all alike; needs many more temperatures from some fifty rows on.
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
    _check(n_chains, n_temperatures, start, n_components)
    full = with_components(schema, n_components)
    spread = spread_prior(prior, full)
    generator = np.random.default_rng(random_state)
    probs, log_shares = _reference(full, codes, spread, start, generator)
    reference = np.stack((probs, np.log(probs)))
    observed, powers = ObservedCells.of(full, codes), np.linspace(0.0, 1.0, n_temperatures + 1)
    names = exchangeable(spread)
    log_names = float(gammaln(np.unique(names, return_counts=True)[1] + 1).sum())

    def chain(stream: np.random.Generator) -> float:
        from ._kernels import anneal, log_name_share

        labels, state = np.zeros(len(codes), dtype=np.int64), empty_state(full, spread)
        log_weight = anneal(*observed.arrays, *state, reference, log_shares, powers, stream, labels)
        if start == "uniform":
            return float(log_weight)
        return float(log_weight + log_names + log_name_share(labels, reference[1], log_shares, names))

    with ThreadPoolExecutor(min(n_threads_or_default(n_threads), n_chains)) as pool:
        log_weights = np.array(list(pool.map(chain, generator.spawn(n_chains))))
    return AnnealedCodeLength(float(np.log(n_chains) - logsumexp(log_weights)), log_weights)


def _check(n_chains: int, n_temperatures: int, start: str, n_components: int) -> None:
    for name, number in (("n_chains", n_chains), ("n_temperatures", n_temperatures)):
        if number < 1:
            raise InvalidParameter(f"{name}={number}: expected at least 1")
    if start not in ("optima", "uniform"):
        raise InvalidParameter(f'start={start!r}: expected "optima" or "uniform"')
    if start == "optima" and n_components > MAX_COMPONENTS:
        raise Infeasible(
            f'n_components={n_components}: start="optima" sums over renamings of the components, which is feasible up to '
            f'{MAX_COMPONENTS} of them; use start="uniform" with many temperatures'
        )


def _reference(
    schema: Schema, codes: CodeArray, prior: Pseudocounts, start: str, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Distributions of labels, shape (n_rows, n_references, n_components), and log weights of the references."""
    n_components = schema.n_classes
    if start == "uniform" or not len(codes):
        return np.full((len(codes), 1, n_components), 1 / n_components), np.zeros(1)
    optima = local_optima(schema, codes, n_components, prior, n_starts=N_CLIMBS, random_state=generator)
    names = exchangeable(prior)
    # Optima that are alike get like names, so that a chain may wander between them.
    centres = [_renamed_like(optima[0].clustering, optimum.clustering, names) for optimum in optima]
    probs = [_predicted(schema, codes, centre, prior) for centre in centres]
    masses = np.array([-neighbourhood_code_length(schema, codes, centre, prior) for centre in centres])
    # Half the log: a wrong guess of what an optimum is worth must not leave it without chains.
    return np.stack(probs, axis=1), log_softmax(masses / 2)


def _predicted(schema: Schema, codes: CodeArray, centre: IntArray, prior: Pseudocounts) -> FloatArray:
    counts = clustering_counts(schema, codes, centre)
    predictions = leave_one_out(counts, completed(schema, codes, centre), evidence_rule(counts, prior))
    return (1 - SPREAD) * np.exp(predictions.log_probs) + SPREAD / schema.n_classes


def _renamed_like(model: IntArray, clustering: IntArray, names: IntArray) -> IntArray:
    """The clustering with exchangeable components renamed to agree with a model in as many rows as possible."""
    agreeing = np.zeros((len(names), len(names)))
    np.add.at(agreeing, (clustering, model), 1.0)
    forbidden = names[:, None] != names
    _, renamed = linear_sum_assignment(np.where(forbidden, -1.0 - len(model), agreeing), maximize=True)
    return np.asarray(renamed[clustering], dtype=np.int64)
