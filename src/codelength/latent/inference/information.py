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
then the parts of the matrix. :func:`inverse` and :func:`multinomial_curvature` are used by other estimates
too. Depends on ``coordinates`` (free logits, and estimates on the boundary) and ``intervals``.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
from scipy.linalg import block_diag, cholesky, lapack

from ..._display import counted
from ..._threads import in_threads
from ...blocks import Block, Facts
from ...counts import expected_counts
from ...errors import DataError, Infeasible
from ...mixture.costs import check_memory
from ...mixture.parameters import MixtureParameters
from ...naive_bayes import PriorLike, pseudocounts, rule_of
from ...table import Coded
from ...table.checks import check_choice
from ...table.coded import changed
from ...typing import FloatArray
from .coordinates import Coordinates, softmax_slopes
from .intervals import Estimates, Intervals, check_level, logit_bounds, probability_grid, with_shares

InformationKind = Literal["observed", "empirical", "expected"]

MAX_CELLS = 2_000_000
"""Maximum number of possible rows for a sum over all of them."""

SINGULAR = 1e-10
"""Eigenvalues below this share of the scale of the matrix count as zero."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class StandardErrors(Estimates):
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

    def of_variable(self, variable: int | str) -> FloatArray:
        """Return the standard errors of one variable's values, shape (n_components, n_values)."""
        schema = self.mixture.schema
        return self.value_errors[:, schema.cells(schema.position(variable))]

    def intervals(self, level: float = 0.95) -> Intervals:
        """Compute intervals that are symmetric on the logit scale; NaN for estimates on the boundary.

        :func:`codelength.latent.inference.with_profile_bounds` adds intervals on the boundary.
        """
        level, mixture = check_level(level), self.mixture
        of_classes = logit_bounds(mixture.class_probs, self.class_errors, level)
        of_values = logit_bounds(mixture.value_probs, self.value_errors, level)
        return self._intervals(level, self.method, of_classes, of_values)

    def _title(self) -> str:
        n_free = counted(self.coordinates.n_free, "free parameter")
        return f"StandardErrors: {n_free}, by {self.method}"

    def _blocks(self) -> list[Block]:
        probs = with_shares(self.mixture.value_probs, self.mixture.class_probs)
        errors = with_shares(self.value_errors, self.class_errors)
        n_flagged = int(self.coordinates.value_boundary.sum() + self.coordinates.class_boundary.sum())
        facts = [("estimates at the boundary, without standard error", str(n_flagged))] if n_flagged else []
        if self.n_unidentified:
            facts.append(("directions that the table does not identify", str(self.n_unidentified)))
        grid = probability_grid(self.mixture, lambda k, cell: with_error(probs[k, cell], errors[k, cell]))
        return [grid, *([Facts(facts)] if facts else [])]


def standard_errors(
    coded: Coded,
    mixture: MixtureParameters,
    kind: InformationKind = "observed",
    prior: PriorLike = "uniform",
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
    rows = rows_in_use(coded, mixture).distinct()
    coordinates = Coordinates.of(mixture, rows.total_weight)
    covariance, n_unidentified = inverse(information_matrix(rows, coordinates, kind, prior))
    return StandardErrors.of(coordinates, f"{kind} information", covariance, n_unidentified)


def rows_in_use(coded: Coded, mixture: MixtureParameters) -> Coded:
    """Return the rows that a mixture was fitted to, under its schema; raise if none has any weight."""
    rows = mixture.coded(coded)
    if not rows.total_weight > 0:
        raise DataError(
            "there are no rows, so nothing is known about the mixture; give the rows it was fitted to"
        )
    return rows


def information_matrix(
    rows: Coded,
    coordinates: Coordinates,
    kind: InformationKind = "observed",
    prior: PriorLike = "uniform",
) -> FloatArray:
    """Compute the information about the free logits of distinct rows, shape (n_free, n_free).

    Parameters are those of :func:`standard_errors`, with the free logits in place of the mixture.
    """
    mixture = coordinates.mixture
    if kind == "expected":
        rows = _all_rows(rows, mixture)
    shares = mixture.responsibilities(rows)
    # A pseudocount of 1 + e acts like e further observations, whose curvature does not depend on their
    # values.
    excess = rule_of("map").offsets(pseudocounts(prior, rows.schema), rows.schema)
    information = multinomial_curvature(coordinates, excess.class_offsets.sum(), excess.value_offsets)
    if kind == "observed":
        counts = expected_counts(rows, shares)
        information += multinomial_curvature(coordinates, counts.n_rows, counts.value_counts)
    # Louis (1982): the observed information is the complete one minus the conditional covariances of the
    # scores. That makes a share minus 1 of the share in the product of a component with itself.
    lanes = iter(pair_moments(rows, shares, float(kind == "observed")))
    linear, products = coordinates.linear, {}
    for r, s in combinations_with_replacement(range(len(linear)), 2):
        # Scores are linear in the cells.
        products[r, s] = linear[r] @ next(lanes) @ linear[s].T
        products[s, r] = products[r, s].T
    raw = np.block([[products[r, s] for s in range(len(linear))] for r in range(len(linear))])
    return information + coordinates.centred(coordinates.centred(raw).T)


def pair_moments(rows: Coded, shares: FloatArray, less: float) -> FloatArray:
    r"""Sum products of the shares of components over the rows that hold a pair of cells.

    .. math:: \sum_n w_n h_{nr} (h_{ns} - \lambda [r = s]) \quad (r \le s)

    A row holds few cells, so this takes far fewer steps than the outer products of its scores. The result is
    the same for any number of threads.

    With :math:`\lambda` (``less``) of 1 these are minus the conditional covariances of the components. The
    result has one symmetric matrix for each pair of components, of shape (n_cells + 1, n_cells + 1). Cells
    are laid out as in the schema, those for missing included; every row holds the last one, which gives the
    sums of single cells and of none.
    """
    from ._kernels import add_moments

    schema, n_components = rows.schema, shares.shape[1]
    n_cells, n_lanes = schema.n_cells + 1, n_components * (n_components + 1) // 2
    check_memory(
        f"the moments of {n_cells} cells in {n_components} components",
        16.0 * n_lanes * n_cells**2,
        "use a bootstrap, which needs no information matrix",
    )
    # A last variable with a single value is the cell that every row holds.
    codes = np.zeros((schema.n_variables + 1, rows.n_rows), dtype=rows.codes.dtype)
    codes[:-1] = rows.codes.T
    offsets, weights = np.append(schema.offsets, n_cells), rows.row_weights
    lanes = np.zeros((n_lanes, n_cells, n_cells))

    # Threads share the work by first variable and write to disjoint parts of ``lanes``: sums do not depend on
    # their number.
    def work(first: int) -> None:
        start, stop = offsets[first], offsets[first + 1]
        found = np.zeros((stop - start, n_cells - start, n_lanes))
        add_moments(codes, offsets, weights, shares, less, first, found)
        lanes[:, start:stop, start:] = found.transpose(2, 0, 1)

    list(in_threads(work, range(len(codes))))
    # Only pairs with first <= second were added: each variable's own block is diagonal, the others are
    # mirrored.
    for lane in lanes:
        lane += np.triu(lane, 1).T
    return lanes


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


def _all_rows(rows: Coded, mixture: MixtureParameters) -> Coded:
    """Return all possible rows for the patterns of missing cells in the table, weighed as expected."""
    schema, missing = rows.schema, rows.codes == rows.schema.n_values
    # Missing cells are taken as given: the expectation is over the observed cells of each pattern.
    patterns, places = np.unique(missing, axis=0, return_inverse=True)
    totals = np.bincount(places.ravel(), rows.weights, len(patterns))
    sizes = [np.where(pattern, 1, schema.n_values) for pattern in patterns]
    n_all = sum(float(np.prod(own.astype(np.float64))) for own in sizes)
    if n_all > MAX_CELLS:
        raise Infeasible(
            f"the expected information is a sum over {n_all:.3g} possible rows, more than {MAX_CELLS:,}; "
            'use kind="observed" or kind="empirical"'
        )
    grids = [np.indices(own.tolist()).reshape(len(own), -1).T for own in sizes]
    codes = [np.where(own, schema.n_values, grid) for own, grid in zip(patterns, grids, strict=True)]
    every = Coded.of(schema, np.concatenate(codes))
    of_patterns = np.repeat(totals, [len(grid) for grid in grids])
    return changed(every, weights=of_patterns * np.exp(mixture.log_probs(every)))


def multinomial_curvature(coordinates: Coordinates, total: float, value_counts: FloatArray) -> FloatArray:
    """Return the curvature of multinomials: of ``total`` components, and of the values of each component."""
    schema, free = coordinates.mixture.schema, coordinates.free_classes
    blocks = [total * softmax_slopes(coordinates.mixture.class_probs)[np.ix_(free, free)]]
    known = [value_counts[:, schema.cells(i)].sum(axis=1) for i in range(schema.n_variables)]
    for r, cells in enumerate(coordinates.free_cells):
        variables, probs = coordinates.variables[cells], coordinates.mixture.value_probs[r, cells]
        same = variables[:, None] == variables[None, :]
        blocks.append(np.where(same, np.array(known)[variables, r, None] * softmax_slopes(probs), 0.0))
    return np.asarray(block_diag(*blocks))


def with_error(estimate: float, error: float) -> str:
    """Format an estimate with its standard error; an estimate on the boundary has none."""
    return f"{estimate:.3f} ({'boundary' if np.isnan(error) else f'{error:.3f}'})"
