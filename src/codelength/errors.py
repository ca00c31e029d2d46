"""The exceptions and warnings of the package.

::

    CodelengthError
    ├── DataError (also a ValueError)       the table handed in cannot be used
    │   ├── SchemaMismatch                  its columns are not those of the schema
    │   └── UnknownValue                    a cell holds a value that the schema does not list
    ├── InvalidParameter (also a ValueError)  an option does not exist or does not fit the others
    ├── InvalidModelFile (also a ValueError)  a saved model is damaged, foreign or too new
    └── Infeasible (also a ValueError)      the computation asked for would take too much time or memory

    CodelengthWarning (a UserWarning)
    ├── UndefinedPrediction                 the definition gives 0/0; the uniform distribution stands in
    ├── IgnoredValues                       cells outside the schema were treated as missing
    ├── IgnoredColumn                       a column of identifiers or free text was left out
    ├── CollectedRows                       a table that was not in memory was read into it as a whole
    ├── OneClass                            there is only one class, so that there is nothing to predict
    └── DoubtfulFit                         a model was fitted, and there is reason not to trust it

Every message says where, what, and what to do about it, on one line of at most 2,000 characters, whatever
names and values the data has.
"""

__all__ = [
    "CodelengthError",
    "CodelengthWarning",
    "CollectedRows",
    "DataError",
    "DoubtfulFit",
    "IgnoredColumn",
    "IgnoredValues",
    "Infeasible",
    "InvalidModelFile",
    "InvalidParameter",
    "OneClass",
    "SchemaMismatch",
    "UndefinedPrediction",
    "UnknownValue",
]

_MAX_LENGTH, _MAX_END = 2000, 600


class CodelengthError(Exception):
    """Base of every error that codelength raises on purpose."""

    def __str__(self) -> str:
        return _one_line(super().__str__())


class DataError(CodelengthError, ValueError):
    """The table given cannot be used."""


class SchemaMismatch(DataError):
    """The columns of a table are not those of the schema."""


class UnknownValue(DataError):
    """A cell holds a value that the schema does not list."""


class InvalidParameter(CodelengthError, ValueError):
    """An option does not exist, or does not fit the other options."""


class InvalidModelFile(CodelengthError, ValueError):
    """A saved model is damaged, foreign or written by a newer version."""


class Infeasible(CodelengthError, ValueError):
    """The computation asked for would take too much time or memory."""


class CodelengthWarning(UserWarning):
    """Base of every warning that codelength gives."""

    def __str__(self) -> str:
        return _one_line(super().__str__())


class UndefinedPrediction(CodelengthWarning):
    """A predictive distribution is 0/0 by definition; the uniform distribution is used instead."""


class IgnoredValues(CodelengthWarning):
    """Cells outside the schema were treated as missing: some of the training rows, or most of a column."""


class IgnoredColumn(CodelengthWarning):
    """A column of identifiers or free text was left out."""


class CollectedRows(CodelengthWarning):
    """A table that was not in memory was read into it as a whole."""


class OneClass(CodelengthWarning):
    """All rows have the same class, so that there is nothing to predict."""


class DoubtfulFit(CodelengthWarning):
    """A model was fitted, but there is a reason not to trust it."""


def _one_line(message: str) -> str:
    """Return a message on one line, shortened in the middle if it is too long."""
    flat = " ".join(message.splitlines())
    if len(flat) <= _MAX_LENGTH:
        return flat
    # The remedy is at the end of a message, so that the end is kept as well as the beginning.
    return f"{flat[: _MAX_LENGTH - _MAX_END - 5]} ... {flat[-_MAX_END:]}"
