"""Clusterings: which component each row is in, and the counts of a table completed by them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..counts import Counts, count
from ..errors import DataError, InvalidParameter
from ..rules import Pseudocounts
from ..table import Coded, Schema
from ..table.schema import smallest_code_type
from ..typing import BoolArray, CodeArray, FloatArray, IntArray


def clustering_counts(
    schema: Schema, codes: CodeArray, clustering: Any, sample_weight: FloatArray | None = None
) -> Counts:
    """Counts of the table completed by a clustering.

    Parameters
    ----------
    schema : Schema
        The schema of the codes, whose target is the component.
    codes : array of shape (n_rows, n_variables)
        The coded rows.
    clustering : array of shape (n_rows,)
        The component of each row.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.

    Examples
    --------
    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 3)
    >>> clustering_counts(schema, np.array([[0], [1], [1]], dtype=np.uint8), [2, 0, 2]).of(0)
    array([[0., 1.],
           [0., 0.],
           [1., 1.]])
    """
    return count(schema, completed(schema, codes, clustering), checked_weights(sample_weight, len(codes)))


def expected_counts(
    schema: Schema, codes: CodeArray, responsibilities: Any, sample_weight: FloatArray | None = None
) -> Counts:
    """Counts of the table when each row is shared out over the components.

    Examples
    --------
    >>> from codelength.scores.mixtures import with_components
    >>> schema = with_components(Schema.from_sizes([2]), 2)
    >>> expected_counts(schema, np.array([[0], [1]], dtype=np.uint8), [[0.25, 0.75], [1, 0]]).of(0)
    array([[0.25, 1.  ],
           [0.75, 0.  ]])
    """
    from ._kernels import add_soft_counts

    shares = np.ascontiguousarray(responsibilities, dtype=np.float64)
    if shares.shape != (len(codes), schema.n_classes):
        raise DataError(
            f"responsibilities of shape {shares.shape}: expected {(len(codes), schema.n_classes)}, a share "
            "for each row and each component of the schema"
        )
    if not (shares >= 0).all():
        raise DataError("responsibilities: a share is negative or not a number")
    weights = checked_weights(sample_weight, len(codes))
    if weights is not None:
        shares = shares * weights[:, None]
    value_counts = np.zeros((schema.n_cells, schema.n_classes))
    add_soft_counts(codes.T, schema.offsets, shares, value_counts)
    return Counts(schema, shares.sum(axis=0), np.ascontiguousarray(value_counts.T))


def completed(schema: Schema, codes: CodeArray, clustering: Any) -> Coded:
    """The table with the clustering as its classes, checked against the schema."""
    labels = np.asarray(clustering)
    if labels.shape != (len(codes),) or (len(labels) and labels.dtype.kind not in "iu"):
        raise DataError(
            f"clustering of shape {labels.shape} and type {labels.dtype}: expected a whole number for each "
            f"of the {len(codes)} rows"
        )
    if len(labels) and not (labels.min() >= 0 and labels.max() < schema.n_classes):
        row = int(np.argmax((labels < 0) | (labels >= schema.n_classes)))
        raise DataError(
            f"clustering, row {row}: component {labels[row]} is not one of 0 to {schema.n_classes - 1}; give "
            "a schema with more components, with_components(schema, n)"
        )
    return Coded(codes, labels.astype(smallest_code_type(schema.n_classes)))


def checked_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """The weights as an array, or None; refused where they are not one finite number a row, at least 0."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise InvalidParameter(f"sample_weight has shape {weights.shape}; expected ({n_rows},)")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        row = int(np.argmax(~(np.isfinite(weights) & (weights >= 0))))
        raise InvalidParameter(
            f"sample_weight, row {row}: {weights[row]}; expected a finite number of at least 0"
        )
    return weights


def exchangeable(prior: Pseudocounts) -> IntArray:
    """For each component the first one with the same pseudocounts: those can swap names.

    Examples
    --------
    >>> from codelength.rules import Prior
    >>> exchangeable(Prior([1, 2, 1]).spread(Schema.from_sizes([2], n_classes=3)))
    array([0, 1, 0])
    """
    rows = np.column_stack((prior.class_pseudocounts, prior.value_pseudocounts))
    return np.array([int(np.argmax((rows == row).all(axis=1))) for row in rows], dtype=np.int64)


def canonical(clustering: IntArray, names: IntArray) -> IntArray:
    """The lexicographically first of the clusterings that differ in exchangeable names only.

    Examples
    --------
    >>> canonical(np.array([2, 2, 0, 1]), np.array([0, 0, 0]))
    array([0, 0, 1, 2])
    """
    renamed = np.full(len(names), -1, dtype=np.int64)
    seen, firsts = np.unique(clustering, return_index=True)
    for k in seen[np.argsort(firsts)]:
        alike = np.flatnonzero(names == names[k])
        renamed[k] = alike[np.count_nonzero(renamed[alike] >= 0)]
    return renamed[clustering]


def log_renamings(used: BoolArray, names: IntArray) -> FloatArray:
    """Log of how many clusterings differ in exchangeable names only.

    Parameters
    ----------
    used : array of shape (..., n_components)
        Which components have rows.
    names : array of shape (n_components,)
        As :func:`exchangeable` gives them.

    Examples
    --------
    >>> np.exp(log_renamings(np.array([True, True, False]), np.array([0, 0, 0]))).round(9)
    np.float64(6.0)
    """
    kinds, n_alike = np.unique(names, return_counts=True)
    n_used = used.astype(np.int64) @ (names[:, None] == kinds)
    return np.asarray((gammaln(n_alike + 1) - gammaln(n_alike - n_used + 1)).sum(axis=-1))


@dataclass(frozen=True, slots=True)
class ObservedCells:
    """Rows as lists of the cells that are not missing, for the kernels.

    Attributes
    ----------
    cells, variables : arrays of shape (n_observed,)
        Cells, in the flat layout of the schema, and the variables they belong to, row after row.
    starts : array of shape (n_rows + 1,)
        Where each row begins.
    """

    cells: IntArray
    variables: IntArray
    starts: IntArray

    @classmethod
    def of(cls, schema: Schema, codes: CodeArray) -> "ObservedCells":
        """The observed cells of a coded table."""
        wide = np.ascontiguousarray(codes, dtype=np.int64)
        rows, variables = np.nonzero(wide < schema.n_values)
        starts = np.searchsorted(rows, np.arange(len(wide) + 1)).astype(np.int64)
        return cls(schema.offsets[variables] + wide[rows, variables], variables.astype(np.int64), starts)

    @property
    def arrays(self) -> tuple[IntArray, IntArray, IntArray]:
        """The three arrays in the order of the kernels."""
        return self.cells, self.variables, self.starts


def empty_state(schema: Schema, prior: Pseudocounts) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Pseudocounts of cells, of variables and of components: a clustering of no rows, for the kernels."""
    raised = np.array(prior.value_pseudocounts.T, order="C")
    totals = (
        np.add.reduceat(raised, schema.offsets[:-1])
        if schema.n_variables
        else np.zeros((0, schema.n_classes))
    )
    return raised, totals, prior.class_pseudocounts.copy()
