"""The table that a command line names."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter, SchemaMismatch

if TYPE_CHECKING:
    from ..table import Table, Variable
    from ..table.files.readers import ColumnDict


@dataclass(frozen=True, slots=True)
class Source:
    """A table as the command line names it, and which of its columns are meant.

    Attributes
    ----------
    data : str
        A file, the name of a bundled table, or ``"-"`` for standard input.
    target : str, optional
        The column to predict.
    weights : str, optional
        The column that says how many rows each row stands for.
    drop, keep : tuple of str
        Columns to leave out, or the only ones to take.
    na : tuple of str
        Texts that mean missing.
    """

    data: str
    target: str | None = None
    weights: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    na: tuple[str, ...] = ()

    @property
    def is_bundled(self) -> bool:
        """Whether the name is that of a bundled table."""
        from .. import datasets

        return self.data in datasets.names()

    @property
    def files(self) -> tuple[str, ...]:
        """Files that are read, which no output may replace."""
        return () if self.is_bundled else (self.data,)

    def read(self, *, needs_target: bool) -> "Table":
        """Read the whole table; without a target where none is needed."""
        from ..table import as_table
        from ..table.files.readers import read_columns

        if self.is_bundled:
            table = as_table(read_columns(self._path()))
            target = self.target or table.names[-1]
            table = table.with_target(target)
            if not needs_target:
                table = replace(table, target=None)
            if self.drop:
                table = table.drop(self.drop)
            return table.keep(self.keep) if self.keep else table
        if needs_target and self.target is None:
            raise InvalidParameter("--target is missing: name the column to predict")
        table = as_table(read_columns(self.data, na=self.na or ("NA", "?")))
        if self.weights is not None:
            w = table.column(self.weights)
            table = table.drop([self.weights]).with_weights(w.numbers)
        if needs_target:
            table = table.with_target(self.target)
        if self.drop:
            table = table.drop(self.drop)
        return table.keep(self.keep) if self.keep else table

    def batches(
        self, variables: "Sequence[Variable]", carried: "Sequence[str]", batch_rows: int
    ) -> "Generator[ColumnDict]":
        """Read the variables of a model, and the columns to carry over, some rows at a time."""
        from ..table._messages import suggestion
        from ..table.files.readers import as_file, column_names, read_batches

        with as_file(self._path()) as path:
            present = column_names(path)
            wanted = list(dict.fromkeys([*(variable.name for variable in variables), *carried]))
            for name in wanted:
                if name not in present:
                    raise SchemaMismatch(f"{self.data}: has no column {name!r}{suggestion(name, present)}")
            kinds: Any = {variable.name: _kind(variable) for variable in variables}
            yield from read_batches(path, batch_rows, kinds=kinds, columns=wanted, na=self.na or ("NA", "?"))

    def _path(self) -> "str | Path":
        from ..datasets import describe
        from ..datasets.registry import table_path

        return table_path(describe(self.data)) if self.is_bundled else self.data


def _kind(variable: "Variable") -> str:
    """How the cells of a variable are to be read so that they mean the same as in training."""
    known = [value for value in variable.values if value is not None]
    if variable.kind != "category":
        return "number"
    if all(isinstance(value, bool) for value in known):
        return "boolean"
    return "text" if any(isinstance(value, str) for value in known) else "number"
