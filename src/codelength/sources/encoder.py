"""Codes of Arrow batches at the speed of the engine, without Python code per cell.

An estimator or a count makes one :class:`BatchEncoder` per stream and calls it for every batch, possibly from
several threads or, pickled, in other processes. Numbers are looked up in the cut points or values of their
variable. Text is looked up once per distinct value: the dictionary of a batch becomes codes, and the
positions of the cells in it choose among them. The result is one matrix in column order, because columns are
filled one by one.

A value that the schema does not list has the code ``UNKNOWN`` until the column is complete. It is then
marginalised, and reported as :class:`~codelength.table.unknown.Unknown`, or raised. A class that the schema
does not list is always an error.

Depends on ``cells`` (cells of Arrow arrays as numbers, or as positions in their dictionary) and on
:mod:`codelength.table.encode`, which looks up numbers and values for tables in memory, too.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..table._messages import absent_column
from ..table.coded import Coded, unchecked
from ..table.column import Factor, Positions
from ..table.encode import UNKNOWN, HandleUnknown, cell_of, codes_of, codes_of_numbers, unknown_class
from ..table.schema import Schema, smallest_code_type
from ..table.target import target_column
from ..table.unknown import Unknown, is_of_other_kind
from ..table.variable import Variable
from ..typing import BoolArray, CodeArray, FloatArray
from .batch import Batch, arrow, mark_of
from .cells import Dictionaries, column_of, counts_of, kind_of, numbers_of, on_scale, scale_of, texts_of


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

    Examples
    --------
    >>> from codelength.sources import as_batches
    >>> from codelength.table import infer_schema
    >>> encoder = BatchEncoder(infer_schema({"colour": ["red", "blue"], "size": [1, 2]}))
    >>> batches = as_batches({"size": [2, 1], "shop": ["a", "b"], "colour": ["blue", None]})
    >>> [encoder(batch).codes.tolist() for batch in batches.read(encoder.columns)]
    [[[0, 1], [2, 0]]]
    """

    def __init__(
        self, schema: Schema, *, target: str | None = None, handle_unknown: HandleUnknown = "ignore"
    ) -> None:
        self.schema = schema
        self.target = None if schema.target is None else target
        self.handle_unknown: HandleUnknown = handle_unknown
        self._told: set[str] = set()
        self._dictionaries: dict[str, Dictionaries] = defaultdict(Dictionaries)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that are read."""
        names = [variable.name for variable in self.schema.variables if variable.kind != "ignored"]
        return (*names, *(() if self.target is None else (self.target,)))

    def __call__(self, batch: Batch | Any, weights: FloatArray | None = None) -> Coded:
        """Return the codes of a batch; warn about unknown values once per column, as at prediction.

        Weights belong to the rows of the batch, after those of weight zero were dropped.
        """
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
            Unknown cells by column; columns without any are absent. They can be merged over batches, and
            :meth:`warn` takes the result.

        Raises
        ------
        SchemaMismatch
            If the batch lacks a column of the schema.
        DataError
            If a cell cannot be used, a class is missing or unknown, or a value is unknown and
            ``handle_unknown="error"``.
        """
        schema = self.schema
        codes = np.empty((batch.n_rows, schema.n_variables), dtype=schema.code_type, order="F")
        unknown: dict[str, Unknown] = {}
        for i, variable in enumerate(schema.variables):
            if variable.kind == "ignored":
                codes[:, i] = 0
                continue
            array, column = self._column(batch, variable.name)
            found = self._codes(variable, array, column, batch.first_row)
            strange = found == UNKNOWN
            if strange.any():
                unknown[variable.name] = self._unknown(variable, array, column, strange, batch)
                found[strange] = variable.n_values
            codes[:, i] = found
        unseen = {name: found.n_cells for name, found in unknown.items()}
        return unchecked(schema, codes, self._class_codes(batch), weights, unseen=unseen), unknown

    def warn(self, unknown: Mapping[str, Unknown]) -> None:
        """Warn about values that were ignored in training, once per column."""
        for name, found in unknown.items():
            found.tell(self.schema.variables[self.schema.position(name)], training=True)

    def _codes(self, variable: Variable, array: Any, column: Any, first_row: int) -> Positions:
        """Return the codes of an array."""
        name, type_, kind = column.name, array.type, kind_of(column)
        if kind == "number":
            return codes_of_numbers(variable, *numbers_of(name, array, first_row))
        if kind == "time" and variable.kind == "interval":
            counts, missing = counts_of(array)
            return codes_of_numbers(variable, on_scale(name, counts, type_), missing, scale_of(type_))
        if kind == "text" or arrow().types.is_dictionary(type_):
            values, positions = self._dictionaries[name].of(name, texts_of(array), mark_of(column))
            return codes_of(variable, Factor(name, positions, values))
        return codes_of(variable, column_of(name, array, column))

    def _column(self, batch: Batch, name: str) -> tuple[Any, Any]:
        names = batch.rows.schema.names
        if name not in names:
            absent = [wanted for wanted in self.columns if wanted not in names]
            raise absent_column(absent, len(self.columns), names)
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
        if self.schema.target is None or self.target is None:
            return np.zeros(batch.n_rows, dtype=kind)
        array, column = self._column(batch, self.target)
        codes = self._codes(self.schema.target, array, column, batch.first_row)
        outside = (codes == UNKNOWN) | (codes >= n_classes)
        if outside.any():
            row = int(np.argmax(outside))
            cells = column_of(self.target, array.slice(row, 1), column)
            # Raises if the class is missing or not a class at all; otherwise it is one that the schema does
            # not list.
            target_column(cells, first_row=batch.row_number(row))
            variable = replace(self.schema.target, name=self.target)
            raise unknown_class(variable, batch.row_number(row), cell_of(cells, 0), batch.prefix)
        return codes.astype(kind, copy=False)
