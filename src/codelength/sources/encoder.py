"""Codes of Arrow batches at the speed of the engine, without Python code per cell.

Order of reading: :class:`BatchEncoder` (all columns of a batch, and warnings about unknown values),
``_Coder`` (one variable: numbers that are cut, values that are looked up, dictionaries that are mapped once).

Depends on ``batch`` and ``cells`` (cells of Arrow arrays) and on :mod:`codelength.table.encode`, which gives
the same codes for a table in memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import SchemaMismatch
from ..table._messages import shown, suggestion
from ..table.coded import Coded, unchecked
from ..table.column import Column
from ..table.encode import UNKNOWN, HandleUnknown, cell_of, codes_of, places_of, unknown_class
from ..table.schema import Schema, smallest_code_type
from ..table.target import target_column
from ..table.unknown import Unknown, is_of_other_kind
from ..table.variable import Variable
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from .batch import Batch, arrow, mark_of, missing_in, raw_numbers
from .cells import Dictionaries, column_of, counts_of, kind_of, numbers_of, on_scale, scale_of

# Up to so many cut points, comparing all cells with each is faster than a search.
_FEW_CUTS = 24
_SMALL_RANGE = 1 << 16


class BatchEncoder:
    """Encoder of Arrow batches under a schema.

    Columns are matched by name; columns that the schema does not have are ignored. Results are the same as
    those of :func:`codelength.table.encode` for the same rows in memory.

    Parameters
    ----------
    schema : Schema
        The variables and their values.
    target : str, optional
        Column with the class of each row; None if classes are not read.
    handle_unknown : {"ignore", "error"}
        ``"ignore"``: a value that the schema does not list is marginalised like a missing cell. ``"error"``:
        raise.
    """

    def __init__(
        self, schema: Schema, *, target: str | None = None, handle_unknown: HandleUnknown = "ignore"
    ) -> None:
        self.schema = schema
        self.target = None if schema.target is None else target
        self.handle_unknown: HandleUnknown = handle_unknown
        self._told: set[str] = set()
        self._coders = [_Coder(variable) for variable in schema.variables]
        self._class_coder = None if schema.target is None else _Coder(schema.target)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        names = [variable.name for variable in self.schema.variables if variable.kind != "ignored"]
        return (*names, *(() if self.target is None else (self.target,)))

    def __call__(self, batch: Batch | Any, weights: FloatArray | None = None) -> Coded:
        """Return the codes of a batch; warn about unknown values once per column, as at prediction."""
        batch = batch if isinstance(batch, Batch) else Batch(batch)
        coded, unknown = self.encode(batch, weights)
        for name, found in unknown.items():
            if name not in self._told:
                variable = self.schema.variables[self.schema.position(name)]
                if found.tell(variable, training=False):
                    self._told.add(name)
        return coded

    def encode(self, batch: Batch, weights: FloatArray | None = None) -> tuple[Coded, dict[str, Unknown]]:
        """Return the codes of a batch, and the cells with values that the schema does not list.

        Parameters
        ----------
        batch : Batch
            The rows.
        weights : array of float, optional
            Weights of the rows.

        Returns
        -------
        coded : Coded
            The codes.
        unknown : dict of str to Unknown
            Unknown cells by column; columns without any are absent.
        """
        schema = self.schema
        codes = np.empty((batch.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        unknown: dict[str, Unknown] = {}
        for i, coder in enumerate(self._coders):
            if coder.variable.kind == "ignored":
                codes[:, i] = 0
                continue
            name = coder.variable.name
            array, column = self._column(batch, name)
            strange = coder.write(array, column, codes[:, i], batch.first_row)
            if strange is not None:
                unknown[name] = self._unknown(coder.variable, array, column, strange, batch)
        unseen = {name: found.n_cells for name, found in unknown.items()}
        return unchecked(schema, codes, self._class_codes(batch), weights, unseen=unseen), unknown

    def warn(self, unknown: Mapping[str, Unknown]) -> None:
        """Warn about values that were ignored in training, once per column."""
        for name, found in unknown.items():
            found.tell(self.schema.variables[self.schema.position(name)], training=True)

    def _column(self, batch: Batch, name: str) -> tuple[Any, Any]:
        names = batch.rows.schema.names
        if name not in names:
            absent = [wanted for wanted in self.columns if wanted not in names]
            raise SchemaMismatch(
                f"column {shown(name)} is absent ({len(absent)} of {len(self.columns)} are); add it, filled "
                f"with missing cells if it is unknown{suggestion(name, names)}"
            )
        return batch.column(name)

    def _unknown(
        self, variable: Variable, array: Any, column: Any, strange: BoolArray, batch: Batch
    ) -> Unknown:
        rows = np.flatnonzero(strange)
        cells = column_of(variable.name, array.take(arrow().array(rows)), column)
        number = batch.row_number(int(rows[0]))
        found = Unknown(
            len(rows),
            batch.n_rows - array.null_count,
            number,
            batch.position + number - batch.first_row,
            cell_of(cells, 0),
            is_of_other_kind(variable, cells, cells),
            batch.prefix,
        )
        if self.handle_unknown == "error":
            raise found.error(variable)
        return found

    def _class_codes(self, batch: Batch) -> CodeArray:
        n_classes = self.schema.n_classes
        kind = smallest_code_type(n_classes)
        if self._class_coder is None or self.target is None:
            return np.zeros(batch.n_rows, dtype=kind)
        array, column = self._column(batch, self.target)
        # A missing class, and one that is not listed, have the code after the last.
        codes = np.empty(batch.n_rows, dtype=smallest_code_type(n_classes + 1))
        self._class_coder.write(array, column, codes, batch.first_row)
        outside = codes >= n_classes
        if outside.any():
            row = int(np.argmax(outside))
            cells = column_of(self.target, array.slice(row, 1), column)
            # Raises if the class is missing or not a class at all; otherwise it is one that the schema does
            # not list.
            target_column(cells, first_row=batch.row_number(row))
            variable = replace(self._class_coder.variable, name=self.target)
            raise unknown_class(variable, batch.row_number(row), cell_of(cells, 0), batch.prefix)
        return codes.astype(kind, copy=False)


@dataclass(slots=True)
class _Coder:
    """Encoder of one variable."""

    variable: Variable
    _dictionaries: Dictionaries = field(default_factory=Dictionaries)
    _places: tuple[Any, NDArray[Any]] = (None, np.empty(0))
    _known: dict[Any, Any] = field(default_factory=dict)
    _look_up: tuple[int, NDArray[Any]] | None = None

    @property
    def missing(self) -> int:
        """Code of a missing cell."""
        return self.variable.n_values - int(self.variable.missing_is_value)

    def write(self, array: Any, column: Any, codes: NDArray[Any], first_row: int) -> BoolArray | None:
        """Write the codes of an array; return a mask of the cells that are not listed.

        Parameters
        ----------
        array : pyarrow.Array
            The cells.
        column : pyarrow.Field
            Their field.
        codes : array of shape (n_rows,)
            Receives the codes.
        first_row : int
            Number of the first row, for messages.

        Returns
        -------
        array of bool, or None
            Cells with values that the schema does not list.
        """
        variable, kind = self.variable, kind_of(column)
        # Special cases first. The last line can handle every column, but makes a column in memory of the
        # array.
        if arrow().types.is_dictionary(array.type):
            return self._write_places(array, column, codes)
        if kind == "nothing":
            codes[:] = self.missing
            return None
        if variable.kind == "interval":
            if kind == "number" and variable.scale == "number":
                numbers, missing = numbers_of(variable.name, array, first_row)
                self._write_intervals(numbers, missing, codes)
                return None
            if kind == "time" and variable.scale == scale_of(array.type):
                counts, missing = counts_of(array)
                self._write_intervals(on_scale(variable.name, counts, array.type), missing, codes)
                return None
        elif kind == "text":
            return self._write_texts(array, codes)
        elif kind == "number" and variable.kind == "category":
            numbers, missing = numbers_of(variable.name, array, first_row)
            if self._has_small_range() and numbers.dtype != np.uint64:
                return self._write_looked_up(numbers, missing, codes)
        return self._write_any(column_of(variable.name, array, column), codes)

    def _write_any(self, column: Column, codes: NDArray[Any]) -> BoolArray | None:
        found = codes_of(self.variable, column)
        return self._settle(found, codes)

    def _settle(self, found: IntArray, codes: NDArray[Any]) -> BoolArray | None:
        strange: BoolArray = found == UNKNOWN
        if not strange.any():
            codes[:] = found
            return None
        codes[:] = np.where(strange, self.variable.n_values, found)
        return strange

    def _write_places(self, array: Any, column: Any, codes: NDArray[Any]) -> BoolArray | None:
        """Write the codes of a dictionary array; its dictionary is looked up once."""
        values, of_cells = self._dictionaries.look_up(self.variable.name, array, mark_of(column))
        # Read and written in one step each, because several threads share a coder.
        known, places = self._places
        # Compared by identity: ``look_up`` returns the same tuple as long as the dictionary is the same.
        if known is not values:
            listed = np.array([*places_of(self.variable, values), -1], dtype=np.int64)
            places = listed if of_cells is None else listed[of_cells]
            places[places == -1] = self.missing
            self._places = (values, places)
        if not len(array):
            return None
        positions, missing = raw_numbers(array.indices), missing_in(array.indices)
        # A missing cell may hold any position.
        if (places == UNKNOWN).any():
            found = np.take(places, positions, mode="clip")
            if missing is not None:
                found[missing] = self.missing
            return self._settle(found, codes)
        np.take(places.astype(codes.dtype), positions, out=codes, mode="clip")
        if missing is not None:
            np.copyto(codes, self.missing, where=missing, casting="unsafe")
        return None

    def _write_texts(self, array: Any, codes: NDArray[Any]) -> BoolArray | None:
        pa = arrow()
        import pyarrow.compute as pc

        if pa.types.is_string_view(array.type):
            array = array.cast(pa.large_string())
        known = self._known.get(array.type)
        if known is None:
            texts = [value if isinstance(value, str) else None for value in self.variable.values]
            known = self._known[array.type] = pa.array(texts, array.type)
        places = pc.index_in(array, value_set=known, skip_nulls=True)
        # A text that is not listed has no index. As many gaps as missing cells mean that all are listed.
        if places.null_count == array.null_count == 0:
            codes[:] = places.to_numpy(zero_copy_only=False)
            return None
        if places.null_count == array.null_count:
            codes[:] = places.fill_null(self.missing).to_numpy(zero_copy_only=False)
            return None
        # Texts may still be times in another spelling, which only the general path knows.
        return self._write_any(
            column_of(self.variable.name, array, pa.field(self.variable.name, array.type)), codes
        )

    def _write_intervals(self, numbers: NDArray[Any], missing: BoolArray | None, codes: NDArray[Any]) -> None:
        cuts = self.variable.cuts
        floats = numbers if numbers.dtype.kind == "f" else numbers.astype(np.float64)
        if len(cuts) <= _FEW_CUTS:
            # A few comparisons of all cells are faster than a search for each.
            found = np.zeros(len(floats), dtype=np.uint8)
            for cut in cuts:
                found += floats >= cut
            codes[:] = found
        else:
            codes[:] = np.searchsorted(np.array(cuts), floats, side="right")
        if missing is not None:
            np.copyto(codes, self.missing, where=missing, casting="unsafe")

    def _has_small_range(self) -> bool:
        if self._look_up is None:
            numbers = [value for value in self.variable.values if type(value) is int]
            others = [value for value in self.variable.values if type(value) is not int and value is not None]
            low, high = (min(numbers), max(numbers)) if numbers else (0, -1)
            if others or not 0 <= high - low < _SMALL_RANGE or max(abs(low), abs(high)) > 2**31:
                self._look_up = (0, np.empty(0))
            else:
                # The first and the last place are for numbers out of range, which are clipped to them.
                places = np.full(high - low + 3, self.variable.n_values + 1, dtype=np.uint32)
                for code, value in enumerate(self.variable.values):
                    if value is not None:
                        places[int(value) - low + 1] = code
                self._look_up = (low - 1, places)
        return bool(len(self._look_up[1]))

    def _write_looked_up(
        self, numbers: NDArray[Any], missing: BoolArray | None, codes: NDArray[Any]
    ) -> BoolArray | None:
        assert self._look_up is not None
        low, places = self._look_up
        if numbers.dtype.kind == "f":
            whole = np.floor(numbers) == numbers
            # Fractions and missing cells are moved to the place of numbers that are not listed, because NaN
            # cannot be cast.
            numbers = np.where(whole if missing is None else whole & ~missing, numbers, low)
            numbers = np.clip(numbers, low, low + len(places) - 1)
        elif numbers.dtype.itemsize < 8:
            numbers = numbers.astype(np.int64)
        at = np.clip(numbers, low, low + len(places) - 1).astype(np.int64) - low
        found = places[at]
        if missing is not None:
            found[missing] = self.missing
        strange: BoolArray = found > self.variable.n_values
        if not strange.any():
            codes[:] = found
            return None
        codes[:] = np.where(strange, self.variable.n_values, found)
        return strange
