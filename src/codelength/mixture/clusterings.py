"""Clusterings: the component of each row, and the counts of a table completed by them.

Order of reading: :func:`completed`, names of components (:func:`exchangeable`, :func:`canonical`), rows and
counts for kernels (:class:`ObservedCells`, :class:`ClusteringState`).
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln

from ..counts import Counts, count
from ..decisions import first_best_of_rows
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Pseudocounts
from ..sources import as_coded
from ..table import Coded, Schema
from ..table.checks import as_array
from ..typing import BoolArray, FloatArray, IntArray
from .costs import check_memory
from .parameters import MixtureParameters

LEAST_PSEUDOCOUNT = 1e-6
"""Smaller pseudocounts lose digits if rows are added to them and removed again."""


def completed(rows: Any, clustering: Any) -> Coded:
    """Return the table with a clustering as its classes.

    Parameters
    ----------
    rows : Coded, or a table of any kind
        The rows. The classes of their schema are the components; see
        :func:`codelength.mixture.parameters.with_components`.
    clustering : array of shape (n_rows,), array of shape (n_rows, n_components), or MixtureParameters
        The component of each row, or what determines the most probable one: the share of each component in
        each row, or a mixture, which also sets the number of components.

    Examples
    --------
    >>> from codelength.mixture.parameters import with_components
    >>> coded = with_components(as_coded([["red"], ["blue"]]), 3)
    >>> completed(coded, [2, 0]).class_codes
    array([2, 0], dtype=uint8)
    """
    if isinstance(clustering, MixtureParameters):
        coded = clustering.coded(rows)
        return coded.relabelled(coded.schema, clustering.labels(coded))
    coded, labels = as_coded(rows), as_array(clustering)
    if labels.ndim == 2 and labels.shape[1] and labels.dtype.kind in "biuf":
        labels = first_best_of_rows(labels.astype(np.float64))
    if labels.shape != (coded.n_rows,) or (len(labels) and labels.dtype.kind not in "iu"):
        raise DataError(
            f"clustering of shape {labels.shape} and type {labels.dtype}: expected one whole number for each "
            f"of the {coded.n_rows} rows"
        )
    n_components = coded.schema.n_classes
    outside = (labels < 0) | (labels >= n_components)
    if outside.any():
        row = int(np.argmax(outside))
        raise DataError(
            f"clustering, row {row}: component {labels[row]} is not one of 0 to {n_components - 1}; give "
            "rows with more components, with_components(rows, n)"
        )
    return coded.relabelled(coded.schema, labels)


def clustering_counts(rows: Any, clustering: Any) -> Counts:
    """Count the table completed by a clustering; both as in :func:`completed`.

    Examples
    --------
    >>> from codelength.mixture.parameters import with_components
    >>> coded = Coded.of(with_components(Schema.from_sizes([2]), 3), [[0], [1], [1]])
    >>> clustering_counts(coded, [2, 0, 2]).of(0)
    array([[0., 1.],
           [0., 0.],
           [1., 1.]])
    """
    return count(completed(rows, clustering))


def single_rows(rows: Any) -> Coded:
    """Return the rows one by one, for work on single rows; raise if memory does not hold so many."""
    coded = as_coded(rows)
    # Estimated before anything is allocated: weights may stand for very many rows.
    n_bytes = coded.total_weight * (16 * coded.schema.n_variables + 16)
    check_memory(f"{coded.total_weight:g} single rows", n_bytes, "take a sample of the rows")
    return coded.repeated()


def drawn_labels(shares: FloatArray, stream: np.random.Generator) -> IntArray:
    """Draw a component for each row from its shares."""
    ends = np.cumsum(shares, axis=1)
    # Scaled by the last cumulated share, which is 1 only up to rounding.
    drawn = (stream.random((len(shares), 1)) * ends[:, -1:] >= ends).sum(axis=1)
    return np.asarray(np.minimum(drawn, shares.shape[1] - 1), dtype=np.int64)


def exchangeable(prior: Pseudocounts) -> IntArray:
    """Return for each component the first one with the same pseudocounts: such components can swap names.

    Examples
    --------
    >>> from codelength.naive_bayes import Prior
    >>> exchangeable(Prior([1, 2, 1]).spread(Schema.from_sizes([2], n_classes=3)))
    array([0, 1, 0])
    """
    rows = np.column_stack((prior.class_pseudocounts, prior.value_pseudocounts))
    _, firsts, places = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return firsts[places.ravel()].astype(np.int64)


def canonical(clustering: IntArray, names: IntArray) -> IntArray:
    """Return the lexicographically first of the clusterings that differ in :func:`exchangeable` names only.

    Examples
    --------
    >>> canonical(np.array([2, 2, 0, 1]), np.array([0, 0, 0]))
    array([0, 0, 1, 2])
    """
    renamed = np.full(len(names), -1, dtype=np.int64)
    seen, firsts = np.unique(clustering, return_index=True)
    # In order of appearance, each component gets the first free name among those it may swap with.
    for k in seen[np.argsort(firsts)]:
        alike = np.flatnonzero(names == names[k])
        renamed[k] = alike[np.count_nonzero(renamed[alike] >= 0)]
    return renamed[clustering]


def log_renamings(used: BoolArray, names: IntArray) -> FloatArray:
    """Return the log of the number of clusterings that differ in :func:`exchangeable` names only.

    ``used`` says which components have rows, shape (..., n_components).

    Examples
    --------
    >>> np.exp(log_renamings(np.array([True, True, False]), np.array([0, 0, 0]))).round(9)
    np.float64(6.0)
    """
    # Of m exchangeable components with u in use, the used ones can be named in m! / (m - u)! ways.
    kinds, n_alike = np.unique(names, return_counts=True)
    n_used = used.astype(np.int64) @ (names[:, None] == kinds)
    return np.asarray((gammaln(n_alike + 1) - gammaln(n_alike - n_used + 1)).sum(axis=-1))


class ObservedCells(NamedTuple):
    """Rows as lists of the observed cells, for the kernels.

    Attributes
    ----------
    cells, variables : arrays of shape (n_observed,)
        Cells, in the flat layout of the schema, and the variables they belong to, row after row.
    starts : array of shape (n_rows + 1,)
        Start of each row.
    """

    cells: IntArray
    variables: IntArray
    starts: IntArray

    @classmethod
    def of(cls, coded: Coded) -> "ObservedCells":
        """List the observed cells of a coded table."""
        schema, wide = coded.schema, np.ascontiguousarray(coded.codes, dtype=np.int64)
        rows, variables = np.nonzero(wide < schema.n_values)
        starts = np.searchsorted(rows, np.arange(len(wide) + 1)).astype(np.int64)
        return cls(schema.offsets[variables] + wide[rows, variables], variables.astype(np.int64), starts)


class ClusteringState(NamedTuple):
    """Counts of a clustering plus pseudocounts, components side by side, for the kernels.

    Attributes
    ----------
    raised : array of shape (n_cells, n_components)
        Of the values.
    totals : array of shape (n_variables, n_components)
        Of the rows in which a variable was observed.
    sizes : array of shape (n_components,)
        Of the components.
    """

    raised: FloatArray
    totals: FloatArray
    sizes: FloatArray

    @classmethod
    def empty(cls, schema: Schema, prior: Pseudocounts) -> "ClusteringState":
        """Return the state without rows, to which rows can be added and from which they can be removed."""
        state = cls.pseudocounts(schema, prior)
        # Adding 1 to a pseudocount and subtracting it again leaves its rounding error behind.
        least = min(float(part[part > 0].min()) for part in (state.raised, state.sizes) if part.any())
        if least < LEAST_PSEUDOCOUNT:
            raise InvalidParameter(
                f"prior: a pseudocount of {least:g} would be lost to rounding as rows are added and removed; "
                f"give pseudocounts of at least {LEAST_PSEUDOCOUNT:g}"
            )
        return state

    @classmethod
    def pseudocounts(cls, schema: Schema, prior: Pseudocounts) -> "ClusteringState":
        """Return the pseudocounts alone, however small."""
        # Components are the last axis, so that the inner loops of the kernels, over components, are
        # contiguous.
        raised = np.array(prior.value_pseudocounts.T, order="C")
        totals = np.zeros((0, schema.n_classes))
        if schema.n_variables:
            totals = np.add.reduceat(raised, schema.offsets[:-1])
        return cls(raised, totals, prior.class_pseudocounts.copy())
