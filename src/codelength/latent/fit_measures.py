"""Measures of fit of latent class models, as reported in papers.

Order of reading: :class:`FitMeasures` (the definitions), :func:`fit_measures`, then :func:`p_value` for when
G2 can be tested. Everything is a sum over distinct rows, block by block, so that the rows may be on disk.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, entr

from ..mixture.cache import Rows
from ..mixture.code_length.information_criteria import log_likelihood, n_parameters
from ..mixture.parameters import MixtureParameters
from ..table import Coded
from ..typing import FloatArray


@dataclass(frozen=True, slots=True)
class FitMeasures:
    r"""Measures of fit of a mixture. Criteria are on the scale of minus twice the log-likelihood.

    Attributes
    ----------
    log_likelihood : float
        :math:`L = \sum_n \log P(x_n)`, missing cells marginalised, in nats.
    n_parameters : int
        Free parameters :math:`d = K - 1 + K \sum_i (n_i - 1)` of K classes.
    aic, bic : float
        :math:`-2L + 2d` and :math:`-2L + d \log N` for N rows, or weights that add up to N.
    adjusted_bic : float
        :math:`-2L + d \log((N + 2) / 24)`, adjusted for the sample size (Sclove 1987).
    caic : float
        :math:`-2L + d (\log N + 1)`, the consistent AIC (Bozdogan 1987).
    icl : float
        BIC plus twice the entropy of the memberships, :math:`-2 \sum_n \sum_k p_{nk} \log p_{nk}`, which
        approximates the integrated completed likelihood (Biernacki, Celeux and Govaert 2000).
    g2, chi2 : float or None
        Likelihood ratio and Pearson's statistic of the multiway table against the model, from the rows
        without missing cells; None if there are none, and chi-squared also if it exceeds floats.
    df : int
        :math:`\min(N, \prod_i n_i - 1) - d`, as poLCA and Latent GOLD count degrees of freedom.
    relative_entropy : float or None
        :math:`1 - \sum_n \sum_k (-p_{nk} \log p_{nk}) / (N \log K)` (Ramaswamy et al. 1993), "entropy" in
        Mplus: 1 if the class of every row is certain, 0 if no row is informative. None for one class.
    smallest_share : float
        Share of the smallest class.
    """

    log_likelihood: float
    n_parameters: int
    aic: float
    bic: float
    adjusted_bic: float
    caic: float
    icl: float
    g2: float | None
    chi2: float | None
    df: int
    relative_entropy: float | None
    smallest_share: float


def fit_measures(coded: Rows, mixture: MixtureParameters) -> FitMeasures:
    """Compute the measures of a mixture on the rows that it was fitted to, in memory or on disk.

    Examples
    --------
    Two independent coins, each of which fell as often on either side:

    >>> from codelength.table import Schema
    >>> from codelength.mixture.parameters import with_components
    >>> schema = with_components(Schema.from_sizes([2, 2]), 1)
    >>> coins = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0] * 2]))
    >>> fit = fit_measures(Coded.of(schema, [[0, 0], [0, 1], [1, 0], [1, 1]]), coins)
    >>> round(fit.log_likelihood / math.log(2), 9), fit.n_parameters, fit.df, fit.g2, fit.chi2
    (-8.0, 2, 1, 0.0, 0.0)
    """
    rows, n_components = mixture.distinct(coded), mixture.n_components
    total, d = rows.total_weight, n_parameters(mixture.schema, n_components)
    deviance = -2 * log_likelihood(rows, mixture)
    bic = deviance + d * (math.log(total) if total > 0 else 0.0)
    entropy = math.fsum(math.fsum(_entropies(block, mixture).tolist()) for block in mixture.blocks(rows))
    g2, chi2 = _goodness_of_fit(rows, mixture)
    n_cells = math.prod(mixture.schema.n_values.tolist())
    # The largest possible entropy: that of rows that do not distinguish the classes.
    certain = total * math.log(n_components)
    return FitMeasures(
        log_likelihood=-deviance / 2,
        n_parameters=d,
        aic=deviance + 2 * d,
        bic=bic,
        adjusted_bic=deviance + d * math.log((total + 2) / 24),
        caic=bic + d,
        icl=bic + 2 * entropy,
        g2=g2,
        chi2=chi2,
        df=min(round(total), n_cells - 1) - d,
        relative_entropy=1 - entropy / certain if certain > 0 else None,
        smallest_share=float(mixture.class_probs.min()),
    )


def p_value(g2: float | None, df: int, n_cells: int, n_rows: float) -> float | None:
    """Return the probability of a larger G2 under the model; None if the table is too sparse.

    The distribution is chi-squared only if there are many rows per cell: with fewer rows than cells of the
    multiway table, or without degrees of freedom, the result is None.

    Examples
    --------
    >>> round(p_value(3.841, 1, 8, 100), 3), p_value(3.841, 1, 128, 100)
    (0.05, None)
    """
    if g2 is None or df <= 0 or n_cells > n_rows:
        return None
    return float(chdtrc(df, g2))


def _goodness_of_fit(rows: Rows, mixture: MixtureParameters) -> tuple[float | None, float | None]:
    r"""Compute G2 and Pearson's chi-squared of the multiway table, from the rows without missing cells.

    .. math:: G^2 = 2 \sum_c o_c \log (o_c / e_c), \quad X^2 = \sum_c (o_c - e_c)^2 / e_c

    Here :math:`e_c` is the number of complete rows times the probability of the cell. Each cell without rows
    adds :math:`e_c` to :math:`X^2`.
    """
    n_complete = math.fsum(block.total_weight for block in _complete(rows, mixture))
    if not n_complete > 0:
        return None, None
    parts = []
    for block in _complete(rows, mixture):
        seen = block.row_weights
        # In logs: the probability of a cell of a wide table underflows, its log does not.
        log_expected = mixture.log_probs(block) + math.log(n_complete)
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            expected = np.exp(log_expected)
            terms = (seen * (np.log(seen) - log_expected), (seen - expected) ** 2 / expected, expected)
        parts.append([math.fsum(term.tolist()) for term in terms])
    gain, distance, n_expected = (math.fsum(part) for part in zip(*parts, strict=True))
    # Cells without rows are too many to visit; their expected counts are what the others leave of the total.
    g2, chi2 = 2 * gain, distance + (n_complete - n_expected)
    # Rounding must not make the statistic of a perfect fit negative.
    return max(g2, 0.0), max(chi2, 0.0) if math.isfinite(chi2) else None


def _entropies(coded: Coded, mixture: MixtureParameters) -> FloatArray:
    """Compute the entropy of the memberships of each row, in nats, times its weight."""
    return np.asarray(entr(mixture.responsibilities(coded)).sum(axis=1) * coded.row_weights)


def _complete(rows: Rows, mixture: MixtureParameters) -> Iterator[Coded]:
    """Yield the distinct rows without missing cells, block by block."""
    for block in mixture.blocks(rows):
        yield block.take((block.codes < block.schema.n_values).all(axis=1))
