"""Bivariate residuals: dependence of pairs of variables within the classes.

A latent class model explains the dependence of variables by the classes alone. A large residual is a pair
that stays dependent within the classes: the remedy is another class, or one of the two variables fewer.

Order of reading: :class:`BivariateResiduals` (the definition), :func:`bivariate_residuals`. The two-way
tables of all pairs are one sparse product. Class sizes are summed for every pair, because a row in which one
of the two variables is missing is not in their table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._display import Shown
from ..blocks import Block, Grid
from ..decisions import ranked
from ..errors import DataError
from ..mixture.cache import Rows
from ..mixture.clusterings import ObservedCells
from ..mixture.parameters import MixtureParameters
from ..table import Coded, Schema
from ..typing import FloatArray, IntArray

LARGE = 4.0
"""Residuals above this deserve attention: about the 5 % point of chi-squared with one degree of freedom."""

MAX_DENSE = 3000
"""Largest number of cells for which the residuals are computed with every fit."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class BivariateResiduals(Shown):
    r"""Residuals of all pairs of variables.

    The two-way table of a pair, :math:`o_{ab}`, against its expectation under independence within the
    classes, :math:`e_{ab} = \sum_k n_k \phi_{kia} \phi_{kjb}`: Pearson's chi-squared divided by :math:`(n_i -
    1)(n_j - 1)` (Vermunt and Magidson 2005). Here :math:`n_k` is the expected number of rows of class k among
    those in which neither is missing, which is :math:`N \alpha_k` for a table without gaps. Values around 1
    or below are expected under the model; values above 4 deserve attention.

    Attributes
    ----------
    names : tuple of str
        The variables.
    chi2 : array of shape (n_variables, n_variables)
        Pearson's chi-squared of the two-way tables.
    df : array of shape (n_variables, n_variables)
        :math:`(n_i - 1)(n_j - 1)`.
    """

    names: tuple[str, ...]
    chi2: FloatArray
    df: IntArray

    @classmethod
    def of(cls, schema: Schema, chi2: FloatArray) -> "BivariateResiduals":
        """Return the residuals of the variables of a schema."""
        df = np.outer(schema.n_values - 1, schema.n_values - 1)
        np.fill_diagonal(df, 0)
        return cls(schema.names, chi2, df)

    @property
    def values(self) -> FloatArray:
        """Symmetric matrix of residuals; NaN on the diagonal, and if a variable is constant."""
        return np.where(self.df > 0, self.chi2 / np.maximum(self.df, 1), np.nan)

    @property
    def total(self) -> float:
        """Sum over all pairs."""
        return float(np.nansum(np.triu(self.values, 1)))

    def pairs(self) -> list[dict[str, Any]]:
        """Return all pairs, the largest residual first.

        Examples
        --------
        >>> chi2 = np.array([[np.nan, 9.0], [9.0, np.nan]])
        >>> found = BivariateResiduals(("size", "colour"), chi2, np.array([[0, 2], [2, 0]]))
        >>> found.pairs()
        [{'first': 'size', 'second': 'colour', 'residual': 4.5, 'chi2': 9.0, 'df': 2}]
        """
        values = self.values
        places = np.argwhere(np.triu(self.df > 0))
        return [
            {
                "first": self.names[i],
                "second": self.names[j],
                "residual": float(values[i, j]),
                "chi2": float(self.chi2[i, j]),
                "df": int(self.df[i, j]),
            }
            for i, j in places[ranked(values[tuple(places.T)])].tolist()
        ]

    def large(self) -> list[dict[str, Any]]:
        """Return the pairs above :data:`LARGE`, the largest residual first."""
        return [pair for pair in self.pairs() if pair["residual"] > LARGE]

    def to_json(self) -> dict[str, Any]:
        """Return the residuals as JSON types."""
        return {"total": self.total, "pairs": self.pairs()}

    def content(self) -> list[float]:
        """Return chi-squared of all pairs, for a file."""
        return [float(value) for value in self.chi2[np.triu_indices(len(self.names), 1)]]

    @classmethod
    def restored(cls, content: Sequence[float], schema: Schema) -> "BivariateResiduals":
        """Restore residuals from :meth:`content`, checked against the schema."""
        chi2 = np.full((schema.n_variables,) * 2, np.nan)
        above = np.triu_indices(schema.n_variables, 1)
        given = np.array(content, dtype=np.float64)
        if given.shape != above[0].shape or not (given >= 0).all():
            raise DataError("the bivariate residuals do not fit the variables")
        chi2[above] = chi2.T[above] = given
        return cls.of(schema, chi2)

    def _title(self) -> str:
        found = f"total {self.total:.1f}, {len(self.large())} pairs above {LARGE:g}"
        return f"BivariateResiduals: {len(self.names)} variables, {found}"

    def _blocks(self) -> list[Block]:
        rows = [
            [pair["first"], pair["second"], f"{pair['residual']:.2f}", f"{pair['chi2']:.2f}", str(pair["df"])]
            for pair in self.pairs()
        ]
        return [Grid("", ["variable", "and", "residual", "chi-squared", "df"], rows, n_text=2)]


def bivariate_residuals(coded: Rows, mixture: MixtureParameters) -> BivariateResiduals:
    """Compute the residuals of all pairs of variables under a mixture, from the rows that it was fitted to.

    Examples
    --------
    Two columns that are always equal, and one class:

    >>> from codelength.table import Schema
    >>> from codelength.mixture.parameters import with_components
    >>> schema = with_components(Schema.from_sizes([2, 2]), 1)
    >>> mixture = MixtureParameters(schema, np.array([1.0]), np.array([[0.5, 0.5, 1.0] * 2]))
    >>> bivariate_residuals(Coded.of(schema, [[0, 0], [1, 1]] * 10), mixture).total
    20.0
    """
    from scipy.sparse import csr_array

    schema = mixture.schema
    seen: Any = csr_array((schema.n_cells, schema.n_cells))
    sizes = np.zeros((mixture.n_components, schema.n_variables, schema.n_variables))
    for block in mixture.blocks(mixture.distinct(coded)):
        cells, _, starts = ObservedCells.of(block)
        # One indicator column per cell; a missing cell has none.
        ones, shape = np.ones(len(cells)), (block.n_rows, schema.n_cells)
        indicators = csr_array((ones, cells.astype(np.int32), starts.astype(np.int32)), shape)
        # All two-way tables at once: one sparse product of the indicators.
        weights = np.repeat(block.row_weights, np.diff(starts))
        seen = seen + indicators.T @ csr_array((weights, indicators.indices, indicators.indptr), shape)
        sizes += _class_sizes(block, mixture)
    chi2 = np.full((schema.n_variables, schema.n_variables), np.nan)
    # Few cells are faster looked up in one array.
    seen = seen.toarray() if schema.n_cells <= MAX_DENSE else seen.tocsr()
    for i in range(schema.n_variables):
        of_pairs = seen[schema.cells(i)] if schema.n_cells <= MAX_DENSE else seen[schema.cells(i)].toarray()
        for j in range(i):
            # Only rows in which both variables are observed are expected in the table of the pair.
            expected = (mixture.of(i) * sizes[:, i, j, None]).T @ mixture.of(j)
            chi2[i, j] = chi2[j, i] = _pearson(of_pairs[:, schema.cells(j)], expected)
    return BivariateResiduals.of(schema, chi2)


def _class_sizes(rows: Coded, mixture: MixtureParameters) -> FloatArray:
    """Compute the expected rows of each class in which both of two variables are observed."""
    weighed = mixture.responsibilities(rows) * rows.row_weights[:, None]
    # There are few patterns of missing cells: shares are summed per pattern first.
    present = rows.codes < rows.schema.n_values
    _, firsts, places = np.unique(
        np.packbits(present, axis=1), axis=0, return_index=True, return_inverse=True
    )
    sums = np.zeros((len(firsts), mixture.n_components))
    np.add.at(sums, places.ravel(), weighed)
    mask = present[firsts].astype(np.float64)
    return np.stack([(mask * sums[:, k, None]).T @ mask for k in range(mixture.n_components)])


def _pearson(seen: FloatArray, expected: FloatArray) -> float:
    # An impossible cell without rows fits perfectly.
    possible = expected > 0
    if (seen[~possible] > 0).any():
        return np.inf
    return float(((seen - expected)[possible] ** 2 / expected[possible]).sum())
