"""Classification of rows: assigned classes against posterior class probabilities."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import Shown
from ..blocks import Block, Grid
from ..decisions import first_best_of_rows
from ..errors import DataError
from ..table.checks import reading
from ..typing import FloatArray
from .cache import Rows
from .parameters import MixtureParameters


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Classification(Shown):
    r"""Table of assigned classes against expected true classes.

    Attributes
    ----------
    table : array of shape (n_components, n_components)
        Expected number of rows by assigned class (down) and true class (across):
        :math:`\sum_{n: \hat z_n = s} w_n p_{nk}`. A row is assigned to its most probable class.
    shares : array of shape (n_components,)
        Shares of the classes in the model.
    """

    table: FloatArray
    shares: FloatArray

    @property
    def n_assigned(self) -> FloatArray:
        """Number of rows assigned to each class."""
        return np.asarray(self.table.sum(axis=1))

    @property
    def average_posterior(self) -> FloatArray:
        """Mean probability of the assigned class, by assigned class; NaN if no row is assigned."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.diag(self.table) / self.n_assigned)

    @property
    def error(self) -> float:
        """Expected share of rows that are assigned to a wrong class."""
        total = float(self.table.sum())
        return 1 - float(np.trace(self.table)) / total if total > 0 else 0.0

    def permuted(self, order: Any) -> "Classification":
        """Return the table with the classes in another order."""
        return Classification(self.table[np.ix_(order, order)], self.shares[order])

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON types."""
        return {
            "table": self.table.tolist(),
            "rows_assigned": self.n_assigned.tolist(),
            "average_posterior": [None if np.isnan(p) else float(p) for p in self.average_posterior],
            "classification_error": self.error,
        }

    @classmethod
    @reading("a Classification")
    def from_json(cls, document: Mapping[str, Any], shares: FloatArray) -> Self:
        """Read a table that :meth:`to_json` wrote, and check it against the shares of the classes."""
        table = np.array(document["table"], dtype=np.float64)
        if table.shape != (len(shares), len(shares)) or not (table >= 0).all():
            raise DataError("the classification table does not fit the classes; pass what to_json gave")
        return cls(table, shares)

    def _title(self) -> str:
        return f"Classification: {len(self.shares)} classes, {100 * self.error:.1f} % expected errors"

    def _blocks(self) -> list[Block]:
        numbers = [str(k + 1) for k in range(len(self.shares))]
        averages = ["-" if np.isnan(p) else f"{p:.3f}" for p in self.average_posterior]
        rows = [
            [numbers[k], f"{size:.1f}".removesuffix(".0"), averages[k], *(f"{n:.1f}" for n in self.table[k])]
            for k, size in enumerate(self.n_assigned)
        ]
        names = ["assigned to", "rows", "mean probability", *(f"in {number}" for number in numbers)]
        return [Grid("rows by assigned class, and how many of them belong to each class", names, rows)]


def classification(coded: Rows, mixture: MixtureParameters) -> Classification:
    """Compute the table of assigned against expected classes of some rows, in memory or on disk.

    Examples
    --------
    >>> from codelength.table import Coded, Schema
    >>> from codelength.mixture.parameters import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> probs = np.array([[0.75, 0.25, 1], [0.25, 0.75, 1]])
    >>> mixture = MixtureParameters(schema, np.array([0.5, 0.5]), probs)
    >>> classification(Coded.of(schema, [[0], [0], [1], [1]]), mixture).table
    array([[1.5, 0.5],
           [0.5, 1.5]])
    """
    table = np.zeros((mixture.n_components, mixture.n_components))
    for block in mixture.blocks(mixture.distinct(coded)):
        shares = mixture.responsibilities(block)
        # Equal rows are assigned together, so distinct rows with weights are enough.
        np.add.at(table, first_best_of_rows(shares), shares * block.row_weights[:, None])
    return Classification(table, mixture.class_probs)
