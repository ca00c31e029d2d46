r"""Standard errors from the information matrix of a mixture, on the logit scale.

=================  ==================================================================================
kind               information
=================  ==================================================================================
``"observed"``     minus the second derivatives of the log-likelihood at the estimates
``"empirical"``    the sum over rows of the outer products of their scores; what poLCA prints
``"expected"``     its expectation under the mixture, summed over all possible rows
=================  ==================================================================================

All three estimate the same matrix if the model holds; they differ by sampling error. With
:math:`u` the scores of a row whose component is known, and :math:`s = E[u \mid x]` its score, the observed
information is the complete one less the part that is lost with the components (Louis 1982, JRSS B 44),

.. math:: I = \sum_n w_n \bigl( E[-\partial^2 \log p(x_n, z) \mid x_n] - \mathrm{Cov}[u \mid x_n] \bigr),

and everything in it is a sum over pairs of cells. Pseudocounts above 1 add the curvature of the log prior.

Order of reading: :class:`StandardErrors` (the result), :func:`standard_errors`, :func:`information_matrix`,
then the parts of the matrix. :func:`inverse` and :func:`outer_products` are used by other estimates too.

Depends on ``coordinates`` (free logits, and estimates on the boundary) and on ``_moments`` (sums over pairs
of cells).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import block_diag, cholesky, lapack

from ..._display import Shown, counted
from ...blocks import Block, Facts, Grid
from ...errors import DataError, Infeasible
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts, rule_of
from ...table import Coded
from ...table.checks import check_choice
from ...typing import FloatArray
from ._moments import Moments, pair_moments
from .coordinates import Coordinates
from .intervals import Intervals, check_level, logit_bounds

InformationKind = Literal["observed", "empirical", "expected"]

MAX_CELLS = 2_000_000
"""Maximum number of possible rows for a sum over all of them."""

SINGULAR = 1e-10
"""Eigenvalues below this share of the scale of the matrix count as zero."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class StandardErrors(Shown):
    """Standard errors of the probabilities of a mixture.

    Attributes
    ----------
    coordinates : Coordinates
        The free parameters, and which estimates lie on the boundary.
    method : str
        Method of the standard errors.
    covariance : array of shape (n_free, n_free)
        Covariance of the free logits; NaN for those that the table does not identify.
    class_errors : array of shape (n_components,)
        Standard errors of the class shares; NaN on the boundary.
    value_errors : array of shape (n_components, n_cells)
        Standard errors of the value probabilities, laid out like those; NaN on the boundary.
    n_unidentified : int
        Number of directions in which the log-likelihood is flat: above 0 the model is not identified, or the
        mixture is not at a maximum.
    """

    coordinates: Coordinates
    method: str
    covariance: FloatArray
    class_errors: FloatArray
    value_errors: FloatArray
    n_unidentified: int

    @classmethod
    def of(
        cls, coordinates: Coordinates, method: str, covariance: FloatArray, n_unidentified: int
    ) -> "StandardErrors":
        """Compute the standard errors from the covariance of the logits."""
        of_classes, of_values = coordinates.variances(covariance)
        return cls(coordinates, method, covariance, np.sqrt(of_classes), np.sqrt(of_values), n_unidentified)

    @property
    def mixture(self) -> MixtureParameters:
        """The estimates."""
        return self.coordinates.mixture

    def of_variable(self, variable: int | str) -> FloatArray:
        """Return the standard errors of one variable's values, shape (n_components, n_values)."""
        schema = self.mixture.schema
        i = schema.position(variable)
        return self.value_errors[:, schema.offsets[i] : schema.offsets[i + 1] - 1]

    def intervals(self, level: float = 0.95) -> Intervals:
        """Compute intervals that are symmetric on the logit scale; NaN for estimates on the boundary.

        :func:`codelength.latent.inference.profile.with_profile_bounds` adds intervals on the boundary.
        """
        level, mixture = check_level(level), self.mixture
        return Intervals(
            mixture,
            level,
            self.method,
            logit_bounds(mixture.class_probs, self.class_errors, level),
            logit_bounds(mixture.value_probs, self.value_errors, level),
            self.coordinates.class_boundary,
            self.coordinates.value_boundary,
        )

    def _title(self) -> str:
        n_free = counted(self.coordinates.n_free, "free parameter")
        return f"StandardErrors: {n_free}, by {self.method}"

    def _blocks(self) -> list[Block]:
        mixture, schema = self.mixture, self.mixture.schema
        rows = [["all", "share", *map(_with_error, mixture.class_probs, self.class_errors)]]
        for i, variable in enumerate(schema.variables):
            for code, value in enumerate(variable.values):
                cell = schema.offsets[i] + code
                texts = map(_with_error, mixture.value_probs[:, cell], self.value_errors[:, cell])
                rows.append(
                    ["" if code else variable.name, "missing" if value is None else str(value), *texts]
                )
        names = ["variable", "value", *(str(k + 1) for k in range(mixture.n_components))]
        n_flagged = int(self.coordinates.value_boundary.sum() + self.coordinates.class_boundary.sum())
        facts = [("estimates at the boundary, without standard error", str(n_flagged))] if n_flagged else []
        if self.n_unidentified:
            facts.append(("directions that the table does not identify", str(self.n_unidentified)))
        return [Grid("", names, rows, n_text=2), *([Facts(facts)] if facts else [])]


def standard_errors(
    coded: Coded,
    mixture: MixtureParameters,
    kind: InformationKind = "observed",
    prior: PriorLike = "uniform",
    *,
    n_threads: int | None = None,
) -> StandardErrors:
    """Compute the standard errors of a mixture at the maximum that EM found.

    Parameters
    ----------
    coded : Coded
        The rows that the mixture was fitted to; a weight of 2 counts as two equal rows.
    mixture : MixtureParameters
        The estimates from EM.
    kind : {"observed", "empirical", "expected"}
        The information matrix to invert.
    prior : prior or its name
        The prior that EM was given.
    n_threads : int, optional
        Threads to run on; by default one for each processor. The result is the same for any number.

    Returns
    -------
    StandardErrors
        Standard errors and the covariance of the logits.

    Raises
    ------
    Infeasible
        If there are too many possible rows for a sum over all of them.

    Examples
    --------
    >>> from codelength.mixture import fit_mixture
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2]), [[0], [1], [1], [1]])
    >>> mixture, _ = fit_mixture(coded, 1)
    >>> standard_errors(coded, mixture).of_variable(0).round(4)  # sqrt(3/4 * 1/4 / 4)
    array([[0.2165, 0.2165]])
    """
    check_choice("kind", kind, InformationKind)
    rows = _distinct(coded, mixture)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    coordinates = Coordinates.of(mixture, float(weights.sum()))
    information = information_matrix(rows, coordinates, kind, prior, n_threads=n_threads)
    covariance, n_unidentified = inverse(information)
    return StandardErrors.of(coordinates, f"{kind} information", covariance, n_unidentified)


def information_matrix(
    rows: Coded,
    coordinates: Coordinates,
    kind: InformationKind = "observed",
    prior: PriorLike = "uniform",
    *,
    n_threads: int | None = None,
) -> FloatArray:
    """Compute the information about the free logits, shape (n_free, n_free).

    Parameters
    ----------
    rows : Coded
        Distinct rows.
    coordinates : Coordinates
        The free logits of the mixture.
    kind, prior, n_threads
        As in :func:`standard_errors`.
    """
    mixture = coordinates.mixture
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    if kind == "expected":
        rows, weights = _all_rows(rows, weights, mixture)
    # All kinds are built from the same moments, because scores are linear in the cells.
    moments = pair_moments(rows, weights, mixture.responsibilities(rows, n_threads), n_threads)
    of_values = [coordinates.of_values(r) for r in range(mixture.n_components)]
    information = outer_products(coordinates, moments, of_values)
    if kind == "observed":
        # Louis (1982): complete information, minus complete products, plus outer products of the scores; the
        # last two terms are minus the conditional covariance.
        information += _complete(coordinates, moments) - _complete_products(coordinates, moments, of_values)
    return information + _of_prior(coordinates, prior)


def outer_products(coordinates: Coordinates, moments: Moments, of_values: list[FloatArray]) -> FloatArray:
    """Sum the outer products of the scores of rows."""
    n_components = coordinates.mixture.n_components
    raw = _raw_matrix(coordinates)
    starts = _raw_starts(coordinates)
    # Raw coordinates: the share of each component, followed by the scores of its values. Centring is left to
    # ``_from_raw``.
    for r in range(n_components):
        for s in range(r, n_components):
            block = _bordered(of_values[r], moments.of_pair(r, s), of_values[s])
            raw[starts[r] : starts[r + 1], starts[s] : starts[s + 1]] = block
            raw[starts[s] : starts[s + 1], starts[r] : starts[r + 1]] = block.T
    return _from_raw(coordinates, raw)


def inverse(information: FloatArray) -> tuple[FloatArray, int]:
    """Invert an information matrix; return the inverse and the number of singular directions.

    Parameters that a singular direction involves are NaN.

    Examples
    --------
    >>> inverse(np.diag([4.0, 0.0]))
    (array([[0.25,  nan],
           [ nan,  nan]]), 1)
    """
    diagonal = np.diagonal(information)
    if not len(diagonal):
        return np.zeros((0, 0)), 0
    # Scaled to a unit diagonal, so that the tolerance does not depend on the units of the parameters.
    scale = np.where(diagonal > 0, np.sqrt(np.abs(diagonal)), 1.0)
    scaled = information / np.outer(scale, scale)
    # Cholesky is the fast path for an identified model; eigenvalues are needed only to find what is singular.
    try:
        root = cholesky(scaled, lower=True)
        if float(np.diagonal(root).min()) ** 2 > SINGULAR:
            half, _ = lapack.dpotri(root, lower=1)
            found = np.tril(half) + np.tril(half, -1).T
            return found / np.outer(scale, scale), 0
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(scaled)
    null = values <= SINGULAR * max(float(values[-1]), 1.0)
    kept = vectors[:, ~null]
    found = (kept / values[~null]) @ kept.T / np.outer(scale, scale)
    # The basis of the null space is arbitrary, the length of a projection onto it is not.
    touched = np.linalg.norm(vectors[:, null], axis=1) > 1e-4
    found[touched] = np.nan
    found[:, touched] = np.nan
    return np.asarray(found), int(null.sum())


def _distinct(coded: Coded, mixture: MixtureParameters) -> Coded:
    rows = mixture.coded(coded).distinct()
    if not rows.n_rows:
        raise DataError(
            "there are no rows, so nothing is known about the mixture; give the rows it was fitted to"
        )
    return rows


def _all_rows(rows: Coded, weights: FloatArray, mixture: MixtureParameters) -> tuple[Coded, FloatArray]:
    """Return all possible rows for the patterns of missing cells in the table, and their expected numbers."""
    schema, missing = rows.schema, rows.codes == rows.schema.n_values
    # Missing cells are taken as given: the expectation is over the observed cells of each pattern.
    patterns, places = np.unique(missing, axis=0, return_inverse=True)
    totals = np.bincount(places.ravel(), weights, len(patterns))
    sizes = [np.where(pattern, 1, schema.n_values) for pattern in patterns]
    n_all = sum(float(np.prod(own.astype(np.float64))) for own in sizes)
    if n_all > MAX_CELLS:
        raise Infeasible(
            f"the expected information is a sum over {n_all:.3g} possible rows, more than {MAX_CELLS:,}; "
            'use kind="observed" or kind="empirical"'
        )
    codes, expected = [], []
    for pattern, total, own in zip(patterns, totals, sizes, strict=True):
        grid = np.indices(own.tolist()).reshape(len(own), -1).T
        codes.append(np.where(pattern, schema.n_values, grid))
        every = Coded.of(schema, codes[-1])
        expected.append(total * np.exp(mixture.log_probs(every)))
    return Coded.of(schema, np.concatenate(codes)), np.concatenate(expected)


def _bordered(left: FloatArray, moments: FloatArray, right: FloatArray) -> FloatArray:
    """Compute moments of scores, with the share of the component as the first coordinate."""
    found = np.empty((len(left) + 1, len(right) + 1))
    found[0, 0] = moments[-1, -1]
    found[0, 1:] = right @ moments[:, -1]
    found[1:, 0] = left @ moments[:, -1]
    found[1:, 1:] = left @ moments @ right.T
    return found


def _raw_starts(coordinates: Coordinates) -> list[int]:
    sizes = [len(cells) + 1 for cells in coordinates.free_cells]
    return [0, *np.cumsum(sizes).tolist()]


def _raw_matrix(coordinates: Coordinates) -> FloatArray:
    n_raw = _raw_starts(coordinates)[-1]
    return np.zeros((n_raw, n_raw))


def _from_raw(coordinates: Coordinates, raw: FloatArray) -> FloatArray:
    """Replace shares of components by shares minus probabilities."""
    starts, free = np.array(_raw_starts(coordinates)), coordinates.free_classes
    firsts = starts[:-1]
    others = np.delete(np.arange(len(raw)), firsts)
    # The score of a component is its share minus its probability; the latter is a combination of all shares,
    # which add up to 1.
    centre = -np.outer(coordinates.mixture.class_probs[free], np.ones(len(firsts)))
    centre[np.arange(len(free)), free] += 1.0
    found = np.empty((len(free) + len(others),) * 2)
    found[: len(free), : len(free)] = centre @ raw[np.ix_(firsts, firsts)] @ centre.T
    found[: len(free), len(free) :] = centre @ raw[np.ix_(firsts, others)]
    found[len(free) :, : len(free)] = found[: len(free), len(free) :].T
    found[len(free) :, len(free) :] = raw[np.ix_(others, others)]
    return found


def _complete(coordinates: Coordinates, moments: Moments) -> FloatArray:
    """Compute the expected information of a table in which every component is known."""
    mixture, schema = coordinates.mixture, coordinates.mixture.schema
    observed = np.zeros((mixture.n_components, schema.n_variables))
    total = 0.0
    for r in range(mixture.n_components):
        counts = moments.of_component(r)[:, -1]
        total += float(counts[-1])
        for i in range(schema.n_variables):
            observed[r, i] = counts[schema.offsets[i] : schema.offsets[i + 1] - 1].sum()
    return multinomial_curvature(coordinates, total, observed)


def multinomial_curvature(coordinates: Coordinates, total: float, observed: FloatArray) -> FloatArray:
    """Curvature of multinomials with ``total`` rows, and ``observed`` rows per component and variable."""
    blocks = [total * _curvature(coordinates.mixture.class_probs[coordinates.free_classes])]
    for r, cells in enumerate(coordinates.free_cells):
        variables, probs = coordinates.variables[cells], coordinates.mixture.value_probs[r, cells]
        same = variables[:, None] == variables[None, :]
        blocks.append(np.where(same, observed[r, variables][:, None] * _curvature(probs), 0.0))
    return np.asarray(block_diag(*blocks))


def _curvature(probs: FloatArray) -> FloatArray:
    return np.asarray(np.diag(probs) - np.outer(probs, probs))


def _complete_products(coordinates: Coordinates, moments: Moments, of_values: list[FloatArray]) -> FloatArray:
    """Sum the expected outer products of the complete scores of rows, given the observed cells.

    Minus the outer products of the scores, this is the sum of the conditional covariances.
    """
    raw = _raw_matrix(coordinates)
    starts = _raw_starts(coordinates)
    for r, linear in enumerate(of_values):
        own = np.s_[starts[r] : starts[r + 1]]
        raw[own, own] = _bordered(linear, moments.of_component(r), linear)
    return _from_raw(coordinates, raw)


def _of_prior(coordinates: Coordinates, prior: PriorLike) -> FloatArray:
    schema = coordinates.mixture.schema
    # A pseudocount of 1 + e acts like e further observations, whose curvature does not depend on their
    # values.
    excess = rule_of("map").offsets(pseudocounts(prior, schema), schema)
    per_variable = np.stack(
        [
            excess.value_offsets[:, schema.offsets[i] : schema.offsets[i + 1] - 1].sum(axis=1)
            for i in range(schema.n_variables)
        ],
        axis=1,
    )
    return multinomial_curvature(coordinates, float(excess.class_offsets.sum()), per_variable)


def _with_error(estimate: float, error: float) -> str:
    return f"{estimate:.3f} ({'boundary' if np.isnan(error) else f'{error:.3f}'})"
