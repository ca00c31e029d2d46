"""Tables with a target: bundled ones by name, the user's own by path."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError, SchemaMismatch
from ..table import Schema, Variable, infer_schema
from ..table.files.arff import read_arff
from ..table.files.readers import SUFFIXES, ColumnDict, as_file, read_columns, suggestion
from ..table.target import target_column
from . import frames, registry

__all__ = ["Dataset", "load"]

_OWN_SUFFIXES = (".csv", ".parquet", ".arff")
_Domains = dict[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table split into features and target.

    Attributes
    ----------
    name
        The name of the data set, or of the file without its extension.
    frame
        The features: a frame of the backend, or a dict of arrays.
    target
        The column to predict: a series of the backend, or an array.
    target_name
        Its name.
    info
        What is known about a bundled table; None for the user's own.
    domains
        The values that each categorical column can take, in order, where they are declared: in bundled
        tables and ARFF files. The target has its own here too.
    schema
        The variables with their values, and the classes.
    differs
        How a bundled table differs from what the papers print; empty when it does not.
    """

    name: str
    frame: Any = field(repr=False)
    target: Any = field(repr=False)
    target_name: str
    info: registry.Entry | None = field(default=None, repr=False)
    domains: _Domains = field(default_factory=dict, repr=False)
    differs: str = ""

    @property
    def schema(self) -> Schema:
        """The schema of the table: declared domains as they are, columns of numbers by the usual rule.

        Examples
        --------
        >>> schema = load("hepatitis").schema
        >>> schema.variables[0].kind, schema.variables[1].values, schema.classes
        ('interval', ('1', '2'), ('DIE', 'LIVE'))
        """
        seen = infer_schema(self.frame, target_column(self.target, self.target_name))
        variables = tuple(self._declared(variable) for variable in seen.variables)
        return Schema(variables, None if seen.target is None else self._declared(seen.target))

    def _declared(self, variable: Variable) -> Variable:
        if variable.name not in self.domains:
            return variable
        return Variable(variable.name, self.domains[variable.name], origin="declared domain")


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
        A name, or a file that :func:`codelength.table.files.readers.read_columns` reads.
    target
        The column to predict; by default the last, which is the class in every bundled table.
    backend
        ``"pandas"``, ``"polars"``, ``"pyarrow"``, or ``"columns"`` for a plain dict of arrays. By default the
        first of them that is installed. Columns with declared values become ``pd.Categorical``,
        ``pl.Enum`` or dictionary arrays.

    Returns
    -------
    Dataset

    Raises
    ------
    DataError
        When there is no such data set or file, or it is damaged.
    SchemaMismatch
        When there is no column ``target``.

    Examples
    --------
    >>> lenses = load("lenses", backend="columns")
    >>> lenses.domains["class"]
    ('hard', 'none', 'soft')
    >>> list(lenses.frame)
    ['age', 'prescription', 'astigmatic', 'tear_rate']
    """
    backend = frames.choose_backend(backend)
    path = _path_of(name_or_path)
    if path is None:
        entry = registry.describe(os.fspath(name_or_path))
        columns, domains = _read_bundled(entry)
        return _split(entry.name, columns, domains, target, backend, entry)
    with as_file(path) as file:
        if file.suffix.lower() == ".arff" and file.is_file():
            columns, domains = read_arff(file)
        else:
            columns, domains = read_columns(file), {}
    return _split(_stem(path), columns, domains, target, backend, None)


def _path_of(name_or_path: str | os.PathLike[str]) -> str | Path | None:
    """Return the file that is meant; None when a bundled table is."""
    given = os.fspath(name_or_path)
    path = Path(given)
    looks_like_a_path = path.name != given or given.lower().endswith(SUFFIXES)
    if isinstance(name_or_path, Path) or looks_like_a_path or given == "-":
        return given
    if directory := os.environ.get("CODELENGTH_DATA"):
        for suffix in _OWN_SUFFIXES:
            own = Path(directory) / f"{given}{suffix}"
            if own.is_file():
                return own
    return path if registry.find(given) is None and path.is_file() else None


def _read_bundled(entry: registry.Entry) -> tuple[ColumnDict, _Domains]:
    columns = read_columns(registry.table_path(entry))
    declared = [name for name in columns if name not in entry.numeric]
    return columns, {
        name: frames.in_natural_order(cell for cell in columns[name] if cell is not None) for name in declared
    }


def _split(
    name: str,
    columns: ColumnDict,
    domains: _Domains,
    target: str | None,
    backend: str,
    info: registry.Entry | None,
) -> Dataset:
    target_name = list(columns)[-1] if target is None else target
    if target_name not in columns:
        near = suggestion(target_name, columns)
        raise SchemaMismatch(f"{name}: has no column {target_name!r} for the target{near}")
    if len(columns) == 1:
        raise DataError(f"{name}: has the one column {target_name!r}; a table needs a target and features")
    features = {column: array for column, array in columns.items() if column != target_name}
    return Dataset(
        name=name,
        frame=frames.to_frame(features, domains, backend),
        target=frames.to_series(target_name, columns[target_name], domains.get(target_name), backend),
        target_name=target_name,
        info=info,
        domains=domains,
        differs=info.differs if info else "",
    )


def _stem(path: str | Path) -> str:
    """Return the name of a file without its extensions."""
    return "standard input" if str(path) == "-" else Path(path).name.split(".", 1)[0] or str(path)
