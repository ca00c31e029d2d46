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
    └── IgnoredValues                       training cells outside the schema were treated as missing

Every message says where, what, and what to do about it.
"""


class CodelengthError(Exception):
    """Base of every error that codelength raises on purpose."""


class DataError(CodelengthError, ValueError):
    """The table handed in cannot be used."""


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


class UndefinedPrediction(CodelengthWarning):
    """A predictive distribution is 0/0 by definition, and the uniform one stands in for it."""


class IgnoredValues(CodelengthWarning):
    """Training cells outside the schema were treated as missing."""
