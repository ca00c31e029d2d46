"""What every opponent offers: from a table of training rows to class probabilities of other rows."""

import importlib.util
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from ...errors import InvalidParameter
from ...table import Schema, Table, infer_schema
from ...table.infer import Identifiers, Missing, Numeric
from ...typing import FloatArray
from .fairness import class_prior
from .rows import Rows

Predict: TypeAlias = Callable[[Rows], FloatArray]
"""From rows to probabilities of all classes."""


@dataclass(frozen=True, slots=True)
class Opponent(ABC):
    """A classifier of another library, with what a careful user would do around it.

    A new opponent is one file: a subclass that fills in what is abstract here, and its name in
    ``OPPONENTS``.

    Attributes
    ----------
    kind : str
        Name on the command line.
    title : str
        What people know it by.
    library : str
        The module that it needs.
    random_state : int
        Where its random numbers start.
    missing, numeric, identifiers : str
        How columns are read, as for :class:`codelength.NaiveBayes`. Columns that would be cut into intervals
        are taken as numbers.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    library: ClassVar[str] = "sklearn"
    capabilities: ClassVar[frozenset[str]] = frozenset({"classes", "weights"})

    random_state: int = 0
    missing: Missing = "value"
    numeric: Numeric = "discretize"
    identifiers: Identifiers = "ignore"

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the library is there."""
        return importlib.util.find_spec(cls.library) is not None

    def check_installed(self) -> None:
        """Refuse to go on where the library is not there."""
        if not self.is_installed():
            raise InvalidParameter(f"{self.kind} needs {self.library}; install it, or leave {self.kind} out")

    def schema_for(self, table: Table) -> Schema:
        """What the columns of a table are taken for."""
        return infer_schema(table, missing=self.missing, numeric=self.numeric, identifiers=self.identifiers)

    def fit(self, table: Table, schema: Schema | None = None) -> "FittedOpponent":
        """Learn from the rows of a table with a target.

        Parameters
        ----------
        table : Table
            The training rows.
        schema : Schema, optional
            What the columns are taken for, and all classes there are; by default what these rows say. Cut
            points in it play no part.
        """
        self.check_installed()
        settled = self.schema_for(table) if schema is None else schema
        rows = Rows.of(settled, table)
        weights = rows.class_weights
        if np.count_nonzero(weights) < 2 or not rows.vary:
            return FittedOpponent(settled, lambda others: np.tile(class_prior(weights), (others.n_rows, 1)))
        with _contained():
            return FittedOpponent(settled, self._learned(rows))

    @abstractmethod
    def _learned(self, rows: Rows) -> Predict:
        """Learn from rows of at least two classes, in which at least one column varies."""


@dataclass(frozen=True, slots=True)
class FittedOpponent:
    """What an opponent learned.

    Attributes
    ----------
    schema : Schema
        The variables and the classes.
    predict : function
        From rows to probabilities.
    """

    schema: Schema
    predict: Predict

    def probabilities(self, table: Table) -> FloatArray:
        """Probability of each class of the schema for each row of a table with the same columns."""
        with _contained():
            return self.predict(Rows.of(self.schema, table))


@contextmanager
def _contained() -> Iterator[None]:
    """One thread, on which small tables are fastest, and no warnings that a search ended early or that
    classes are many."""
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        yield
