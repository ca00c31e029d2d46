"""A table as codes, with its schema and the weights of its rows.

Everything below the estimators works on such tables.

Order of reading: :class:`Coded`, whose constructor checks everything; then :func:`unchecked` and
:func:`changed`, which make tables of arrays that are known to be right. Depends on ``schema`` and ``checks``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._display import Shown, counted, first_rows
from ..blocks import Block
from ..errors import DataError, Infeasible, SchemaMismatch
from ..typing import CodeArray, FloatArray, IntArray
from ._messages import shown
from .checks import (
    as_array,
    check_flag,
    check_instance,
    check_rows,
    check_sequence,
    check_weights,
    check_whole_weights,
)
from .schema import Schema, smallest_code_type

MAX_SINGLE_ROWS = 10**8
"""Weights that stand for more rows than this cannot be expanded to single rows."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Coded(Shown):
    """A table as codes.

    Made by :func:`codelength.table.encode`, or from codes of another source. The constructor checks every
    code and every weight against the schema, because compiled loops use codes as positions in memory.

    Parameters
    ----------
    schema : Schema
        The schema that the codes fit.
    codes : array of shape (n_rows, n_variables)
        Codes of the cells, column by column in memory; ``n_values`` of the variable if missing.
    class_codes : array of shape (n_rows,), optional
        Codes of the classes; all zero if the table has no class.
    weights : array of shape (n_rows,), optional
        How many rows each row stands for; None if each stands for itself.
    is_distinct : bool
        True if all rows are known to be different.
    unseen : mapping of str to int
        Number of cells per column with values that are not in the schema, which encoding turned into missing
        cells. Columns without such cells are absent.

    Examples
    --------
    >>> Coded(Schema.from_sizes([2, 3]), [[0, 2], [1, 3]]).codes
    array([[0, 2],
           [1, 3]], dtype=uint8)
    """

    schema: Schema
    codes: CodeArray
    class_codes: CodeArray = None  # type: ignore[assignment]
    weights: FloatArray | None = None
    is_distinct: bool = False
    unseen: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check codes and weights, and convert the arrays to the types that compiled loops expect."""
        schema = self.schema
        check_instance("schema", schema, Schema, "a Schema")
        codes = _as_codes("codes", self.codes)
        if codes.ndim != 2 or codes.shape[1] != schema.n_variables:
            raise SchemaMismatch(
                f"codes of shape {codes.shape}: the schema has {schema.n_variables} variables; give one "
                "column of codes per variable"
            )
        _check_range("codes", codes, schema.n_values)
        check_instance("unseen", self.unseen, Mapping, "a mapping of names to numbers of cells")
        check_flag("is_distinct", self.is_distinct)
        # Column by column, because counting reads one variable of all rows at a time.
        object.__setattr__(self, "codes", np.asfortranarray(codes, dtype=schema.code_type))
        object.__setattr__(self, "class_codes", _checked_classes(schema, self.class_codes, len(codes)))
        object.__setattr__(self, "weights", check_weights(self.weights, len(codes), positive=False))
        if self.is_distinct and len(self.groups()[0]) < len(codes):
            raise DataError("is_distinct=True, but some rows are equal; leave it out, or use distinct()")

    @classmethod
    def of(cls, schema: Schema, codes: Any, class_codes: Any = None, weights: Any = None) -> "Coded":
        """Return a table from codes of another source; the same as the constructor.

        Examples
        --------
        >>> Coded.of(Schema.from_sizes([2, 3]), [[0, 2], [1, 3]]).n_rows
        2
        """
        return cls(schema, codes, class_codes, weights)

    @property
    def n_rows(self) -> int:
        """Number of rows, whatever their weights."""
        return int(self.codes.shape[0])

    @property
    def total_weight(self) -> float:
        """Number of rows that the table stands for."""
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def row_weights(self) -> FloatArray:
        """Weight of each row: 1 for all if the table has no weights."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    def relative(self) -> "Coded":
        """Return the table with weights scaled to add up to the number of rows with a positive weight.

        Examples
        --------
        >>> Coded.of(Schema.from_sizes([2]), [[0], [1], [1]], weights=[300, 100, 0]).relative().weights
        array([1.5, 0.5, 0. ])
        """
        return self if self.weights is None else changed(self, weights=self.weights / self.mean_weight)

    @property
    def mean_weight(self) -> float:
        """Mean weight of the rows with a positive weight; 1 if there are none."""
        if self.weights is None or not self.weights.any():
            return 1.0
        # Of weights divided by the largest, so that equal weights have exactly their own mean.
        largest = self.weights.max()
        return float(largest * np.mean(self.weights[self.weights > 0] / largest))

    def take(self, rows: Any) -> "Coded":
        """Return the table at some rows: their positions, or a mask.

        Examples
        --------
        >>> Coded.of(Schema.from_sizes([3]), [[0], [1], [2]]).take([True, False, True]).codes.ravel()
        array([0, 2], dtype=uint8)
        """
        rows = check_rows(rows, self.n_rows)
        weights = None if self.weights is None else self.weights[rows]
        return unchecked(self.schema, np.asfortranarray(self.codes[rows]), self.class_codes[rows], weights)

    def select(self, variables: Sequence[int]) -> "Coded":
        """Return the table with some of its variables, given by position."""
        chosen = [self.schema.position(i) for i in check_sequence("variables", variables, of="positions")]
        return changed(
            self,
            schema=self.schema.select(chosen),
            codes=np.asfortranarray(self.codes[:, chosen]),
            is_distinct=False,
        )

    def relabelled(self, schema: Schema, class_codes: Any = None) -> "Coded":
        """Return the same cells under a schema with another target, with the codes of its classes.

        Codes and weights are shared with this table. By default all rows are of the first class.
        """
        check_instance("schema", schema, Schema, "a Schema")
        if schema is not self.schema and not np.array_equal(schema.n_values, self.schema.n_values):
            raise SchemaMismatch(
                "the schema has other variables than the table; pass one that differs in its target alone"
            )
        return unchecked(schema, self.codes, _checked_classes(schema, class_codes, self.n_rows), self.weights)

    def with_class_as_column(self) -> "Coded":
        """Return the table whose last column is the class, and which has no class to predict.

        Examples
        --------
        >>> Coded.of(Schema.from_sizes([3], n_classes=2), [[2], [0]], [0, 1]).with_class_as_column().codes
        array([[2, 0],
               [0, 1]], dtype=uint8)
        """
        schema = self.schema.with_class_as_variable()
        codes = np.empty((self.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        codes[:, :-1], codes[:, -1] = self.codes, self.class_codes
        return unchecked(schema, codes, np.zeros(self.n_rows, np.uint8), self.weights, self.is_distinct)

    def distinct(self) -> "Coded":
        """Return equal rows merged into one with their summed weight, in an order independent of theirs.

        Rows of weight zero are dropped. Rows are equal if all cells and the class are.
        """
        return self.merged()[0]

    def merged(self) -> "tuple[Coded, IntArray]":
        """Return the :meth:`distinct` rows, and the position of each row among them.

        Returns
        -------
        coded : Coded
            The distinct rows.
        positions : array of shape (n_rows,)
            Position of each row of this table among them; -1 for a row of weight zero.

        Examples
        --------
        >>> coded, positions = Coded.of(Schema.from_sizes([2]), [[1], [0], [1]]).merged()
        >>> coded.codes.ravel(), coded.weights, positions
        (array([0, 1], dtype=uint8), array([1., 2.]), array([1, 0, 1]))
        """
        if self.is_distinct:
            return self, np.arange(self.n_rows)
        first, places = self.groups()
        totals = np.bincount(places, self.weights, len(first)).astype(np.float64)
        kept = totals > 0
        merged = changed(self, weights=None).take(first[kept])
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        return changed(merged, weights=totals[kept], is_distinct=True), numbers[places]

    def groups(self) -> tuple[IntArray, IntArray]:
        """Return the first row of each set of equal rows, and the number of the set of each row."""
        by_class = self.schema.target is not None
        rows = np.empty(
            (self.n_rows, self.codes.shape[1] + by_class),
            dtype=np.promote_types(self.codes.dtype, self.class_codes.dtype if by_class else np.uint8),
        )
        rows[:, : self.codes.shape[1]] = self.codes
        if by_class:
            rows[:, -1] = self.class_codes
        # Rows without cells are all equal, but a type of zero bytes cannot be viewed.
        if not rows.shape[1]:
            return np.zeros(min(1, self.n_rows), dtype=np.int64), np.zeros(self.n_rows, dtype=np.int64)
        # As strings of bytes, rows sort many times faster than column by column.
        as_bytes = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, places = np.unique(as_bytes, return_index=True, return_inverse=True)
        return first.astype(np.int64), places.ravel().astype(np.int64)

    def repeated(self) -> "Coded":
        """Return the rows one by one; raise if weights are not whole numbers, or too large.

        Examples
        --------
        >>> Coded.of(Schema.from_sizes([2]), [[0], [1]], weights=[1, 2]).repeated().codes.ravel()
        array([0, 1, 1], dtype=uint8)
        """
        if self.weights is None:
            return self
        check_whole_weights(self.weights, "this criterion")
        if self.total_weight > MAX_SINGLE_ROWS:
            raise Infeasible(
                f"the weights stand for {self.total_weight:,.0f} rows, more than the {MAX_SINGLE_ROWS:,} "
                "that can be laid out one by one; divide the weights, or use a criterion that takes weights"
            )
        times = self.weights.astype(np.int64)
        return changed(self, weights=None).take(np.repeat(np.arange(self.n_rows), times))

    def _title(self) -> str:
        weighted = "" if self.weights is None else f" that stand for {self.total_weight:g}"
        variables = counted(self.schema.n_variables, "variable")
        return f"Coded: {counted(self.n_rows, 'row')}{weighted}, {variables}"

    def _blocks(self) -> list[Block]:
        """Return a grid of the first rows, as codes."""
        sizes, last = self.schema.n_values, []
        if self.schema.target is not None:
            last.append((self.schema.target.name, lambda row: str(self.class_codes[row])))
        if (weights := self.weights) is not None:
            last.append(("weight", lambda row: f"{weights[row]:g}"))

        def cell_of(i: int) -> Callable[[int], str]:
            return lambda row: "" if self.codes[row, i] == sizes[i] else str(self.codes[row, i])

        columns = [(name, cell_of(i)) for i, name in enumerate(self.schema.names)]
        return [first_rows([*columns, *last], self.n_rows, len(last))]


def unchecked(
    schema: Schema,
    codes: CodeArray,
    class_codes: CodeArray,
    weights: FloatArray | None = None,
    is_distinct: bool = False,
    unseen: Mapping[str, int] | None = None,
) -> Coded:
    """Return a table from arrays that are known to fit the schema and have its types, without a scan.

    Parameters
    ----------
    schema, codes, class_codes, weights, is_distinct, unseen
        See :class:`Coded`. The arrays are neither checked nor converted nor copied.

    Returns
    -------
    Coded
        A view of the arrays.
    """
    # Past the constructor, which scans all codes: callers have just made them by the same schema.
    made = object.__new__(Coded)
    put = object.__setattr__
    put(made, "schema", schema)
    put(made, "codes", codes)
    put(made, "class_codes", class_codes)
    put(made, "weights", weights)
    put(made, "is_distinct", is_distinct)
    put(made, "unseen", {} if unseen is None else unseen)
    return made


def changed(coded: Coded, **parts: Any) -> Coded:
    """Return a table with some parts replaced, without a scan; the parts must fit, see :func:`unchecked`."""
    return unchecked(**({name: getattr(coded, name) for name in _FIELDS} | parts))


_FIELDS = tuple(part.name for part in fields(Coded))


def _as_codes(name: str, codes: Any) -> NDArray[Any]:
    array = as_array(codes)
    if array.shape == (0, 0, 0):
        raise DataError(f"{name}={shown(codes)}: parts of different lengths, or none; give whole numbers")
    return array


def _checked_classes(schema: Schema, class_codes: Any, n_rows: int) -> CodeArray:
    kind = smallest_code_type(schema.n_classes)
    if class_codes is None:
        return np.zeros(n_rows, dtype=kind)
    classes = _as_codes("class_codes", class_codes)
    if classes.shape != (n_rows,):
        raise DataError(f"{n_rows} rows and class codes of shape {classes.shape}; give one per row")
    _check_range("class_codes", classes[:, None], np.array([schema.n_classes - 1]))
    return classes.astype(kind, copy=False)


def _check_range(name: str, codes: NDArray[Any], largest: IntArray) -> None:
    if not codes.size:
        return
    if codes.dtype.kind not in "iu":
        raise DataError(f"{name} of type {codes.dtype}: expected whole numbers")
    # One pass for the common case. The offending cell is looked for only if there is one.
    if (codes.max(axis=0) <= largest).all() and (codes.dtype.kind == "u" or codes.min() >= 0):
        return
    row, column = (int(place) for place in np.argwhere((codes < 0) | (codes > largest))[0])
    raise SchemaMismatch(
        f"{name}, row {row}, column {column}: {codes[row, column]} is not a code of the schema, which "
        f"has 0 to {largest[column]}"
    )
