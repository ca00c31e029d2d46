"""Tables with a target: bundled ones by name, the user's own by path.

Order of reading: :func:`load` finds the table, :class:`Dataset` holds it, :func:`to_frame` makes frames of
columns. Depends on :mod:`codelength.sources` (files) and on ``registry`` (bundled tables).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, InvalidParameter
from ..sources.files.formats import SUFFIXES, as_file
from ..sources.readers import column_names, read_table
from ..table import Schema, Table, infer_schema
from ..table.checks import check_choice, check_instance, check_path
from ..table.column import Column, Factor
from ..table.values import in_natural_order
from . import registry

BACKENDS = ("pandas", "polars", "pyarrow", "columns")

_OWN_SUFFIXES = (".csv", ".parquet", ".arff")


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with a class to predict, and its description.

    Attributes
    ----------
    table : Table
        The table with its declared domains and its target, as an argument of estimators and scores.
    backend : str
        The library that :attr:`frame` and :attr:`target` are of.
    info : Entry, optional
        Description of a bundled table; None for the user's own.

    Examples
    --------
    >>> lenses = load("lenses", backend="columns")
    >>> lenses.table.names, lenses.target_name, lenses.domains["class"]
    (('age', 'prescription', 'astigmatic', 'tear_rate'), 'class', ('hard', 'none', 'soft'))
    """

    table: Table = field(repr=False)
    backend: str = "columns"
    info: registry.Entry | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Name of the data set, or of the file without its extension."""
        return self.table.name

    @property
    def target_name(self) -> str:
        """Name of the column to predict."""
        return self._target.name

    @cached_property
    def frame(self) -> Any:
        """Features: a frame of the backend, or a dict of arrays."""
        return to_frame(self.table.columns, self.backend)

    @cached_property
    def target(self) -> Any:
        """Column to predict: a series of the backend, or an array."""
        cells = to_frame([self._target], self.backend)[self.target_name]
        return cells.combine_chunks() if self.backend == "pyarrow" else cells

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """Declared values of each categorical column, in order, the target included.

        Bundled tables and ARFF files declare values.
        """
        return _domains((*self.table.columns, self._target))

    @property
    def differs(self) -> str:
        """Difference between a bundled table and the one the papers print; empty if there is none."""
        return self.info.differs if self.info else ""

    @property
    def schema(self) -> Schema:
        """Schema of the table: declared domains as they are, columns of numbers by the usual rule.

        Examples
        --------
        >>> schema = load("hepatitis").schema
        >>> schema.variables[0].kind, schema.variables[1].values, schema.classes
        ('interval', ('1', '2'), ('DIE', 'LIVE'))
        """
        return infer_schema(self.table)

    @property
    def _target(self) -> Column:
        assert self.table.target is not None
        return self.table.target


def load(
    name_or_path: str | os.PathLike[str], *, target: str | None = None, backend: str | None = None
) -> Dataset:
    """Load a bundled table by name, or a table of your own from a file.

    A bare name is first looked for as ``NAME.csv``, ``NAME.parquet`` or ``NAME.arff`` in the directory that
    the environment variable ``CODELENGTH_DATA`` gives, so a file there takes the place of a bundled table;
    then among the bundled tables and their aliases.

    Parameters
    ----------
    name_or_path
        A name, or a file that :func:`codelength.read_table` reads.
    target
        The column to predict; by default the last, which is the class in every bundled table.
    backend
        ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"columns"`` for a plain dict of arrays. By default the
        first that is installed. Columns with declared values become ``pd.Categorical``, ``pl.Enum`` or
        dictionary arrays.

    Raises
    ------
    DataError
        If there is no such data set, file or column, or the file is damaged.

    Examples
    --------
    >>> lenses = load("lenses", backend="columns")
    >>> list(lenses.frame)
    ['age', 'prescription', 'astigmatic', 'tear_rate']
    >>> lenses.schema.n_values.tolist()
    [3, 2, 2, 2]
    """
    check_path("name_or_path", name_or_path)
    check_instance("target", target, (str, type(None)), "the name of a column, or None")
    chosen = _installed(backend)
    path = _path_of(name_or_path)
    if path is None:
        entry = registry.describe(os.fspath(name_or_path))
        return Dataset(_bundled(entry, target), chosen, entry)
    with as_file(path) as file:
        names = column_names(file)
        if len(names) == 1:
            raise DataError(f"{path}: has the one column {names[0]!r}; a table needs a target and features")
        table = read_table(file, target=names[-1] if target is None else target)
    return Dataset(replace(table, name=_stem(path)), chosen)


def to_frame(columns: Sequence[Column], backend: str) -> Any:
    """Return columns as a frame of the backend; for ``"columns"`` a dict of arrays."""
    if backend == "columns":
        return {column.name: column.cells for column in columns}
    import pyarrow as pa

    table = pa.table({column.name: _arrow_array(column, backend) for column in columns})
    if backend == "pandas":
        return table.to_pandas()
    if backend == "polars":
        import polars as pl

        enums = {name: pl.Enum(domain) for name, domain in _domains(columns).items()}
        return pl.DataFrame(table, schema_overrides=enums)
    return table


def _arrow_array(column: Column, backend: str) -> Any:
    """Return a column as an Arrow array; one with a declared domain as a dictionary array."""
    import pyarrow as pa

    domain = _domains([column]).get(column.name)
    try:
        if domain is None or not isinstance(column, Factor):
            return pa.array(column.cells, from_pandas=True)
        # The mask makes positions of -1 null, which are not valid indices of a dictionary.
        codes = pa.array(column.positions.astype(np.int32), mask=column.missing)
        return pa.DictionaryArray.from_arrays(codes, pa.array(domain, pa.string()))
    except (OverflowError, TypeError, ValueError) as error:
        raise DataError(
            f'column {column.name!r}: {backend} cannot hold its values ({error}); pass backend="columns"'
        ) from error


def _domains(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    """Return the values of each column that declares texts, in order."""
    declared = [column for column in columns if isinstance(column, Factor) and column.declared]
    texts = {column.name: tuple(v for v in column.values if isinstance(v, str)) for column in declared}
    return {c.name: texts[c.name] for c in declared if len(texts[c.name]) == len(c.values)}


def _installed(backend: str | None) -> str:
    """Return the backend asked for, if it is installed, or the first that is."""
    if backend is None:
        return next(name for name in BACKENDS if find_spec(name) is not None)
    check_choice("backend", backend, BACKENDS)
    if backend != "columns" and find_spec(backend) is None:
        raise InvalidParameter(f'{backend} is not installed; install it, or pass backend="columns"')
    return backend


def _path_of(name_or_path: str | os.PathLike[str]) -> str | Path | None:
    """Return the file that is meant; None if a bundled table is."""
    given = os.fspath(name_or_path)
    path = Path(given)
    # A path separator or a known suffix means a file, even if a bundled table has the same name.
    looks_like_a_path = path.name != given or given.lower().endswith(SUFFIXES)
    if isinstance(name_or_path, Path) or looks_like_a_path or given == "-":
        return given
    # Before the bundled tables: a user's own copy of a table replaces the bundled one.
    if directory := os.environ.get("CODELENGTH_DATA"):
        for suffix in _OWN_SUFFIXES:
            own = Path(directory) / f"{given}{suffix}"
            if os.path.isfile(own):
                return own
    return path if registry.find(given) is None and os.path.isfile(path) else None


def _bundled(entry: registry.Entry, target: str | None) -> Table:
    table = read_table(registry.table_path(entry))
    columns = tuple(_declared(c) if isinstance(c, Factor) else c for c in table.columns)
    return replace(table, columns=columns, name=entry.name).with_target(target or table.names[-1])


def _declared(column: Factor) -> Factor:
    """Return the column with its values declared as its domain, in natural order."""
    domain = in_natural_order(str(value) for value in column.values)
    # The last entry maps position -1, which numpy reads from the end, to itself: missing stays missing.
    places = np.array([*(domain.index(str(value)) for value in column.values), -1], dtype=np.int64)
    return Factor(column.name, places[column.positions], domain, declared=True)


def _stem(path: str | Path) -> str:
    """Return the name of a file without its extensions."""
    return "standard input" if str(path) == "-" else Path(path).name.split(".", 1)[0] or str(path)
