"""Interface of opponents: from a table of training rows to class probabilities of other rows."""

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
from .fairness import class_prior, fair
from .rows import Rows

Predict: TypeAlias = Callable[[Rows], FloatArray]
"""Function from rows to probabilities of classes, shape (n_rows, n_classes)."""


@dataclass(frozen=True, slots=True)
class Opponent(ABC):
    """A classifier of another library, with the preparation of data that a careful user would add.

    A new opponent is one module: a subclass that implements the abstract methods, and its name in
    ``OPPONENTS``.

    Attributes
    ----------
    kind : str
        Name on the command line.
    title : str
        Name in results.
    library : str
        The module that it needs.
    random_state : int
        Seed of its random numbers.
    missing, numeric, identifiers : str
        How columns are read, as for :class:`codelength.NaiveBayes`. Columns that would be cut into intervals
        are taken as numbers. The defaults are those of :class:`codelength.ModelAverage`, the default model
        that opponents are compared with.
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
        """Return whether the library is installed."""
        return importlib.util.find_spec(cls.library) is not None

    def check_installed(self) -> None:
        """Raise ``InvalidParameter`` if the library is not installed."""
        if not self.is_installed():
            raise InvalidParameter(f"{self.kind} needs {self.library}; install it, or leave {self.kind} out")

    def schema_for(self, table: Table) -> Schema:
        """Return the schema that columns are read by."""
        return infer_schema(table, missing=self.missing, numeric=self.numeric, identifiers=self.identifiers)

    def fit(self, table: Table, schema: Schema | None = None) -> "FittedOpponent":
        """Fit to the rows of a table with a target.

        Parameters
        ----------
        table : Table
            The training rows.
        schema : Schema, optional
            Kinds of the columns, and all classes; by default inferred from these rows. Cut points are
            ignored.

        Returns
        -------
        FittedOpponent
            Predictor; the class prior alone if there is one class or no column that varies.
        """
        self.check_installed()
        settled = self.schema_for(table) if schema is None else schema
        rows = Rows.of(settled, table)
        weights = rows.class_weights
        # Most libraries raise for one class or constant columns; the class prior is all there is to learn.
        if np.count_nonzero(weights) < 2 or not rows.vary:
            return FittedOpponent(settled, lambda others: np.tile(class_prior(weights), (others.n_rows, 1)))
        with _contained():
            predict = self._learned(rows)
        return FittedOpponent(settled, lambda others: fair(predict(others), weights))

    @abstractmethod
    def _learned(self, rows: Rows) -> Predict:
        """Learn from rows of several classes; return a function to the probabilities of the classes seen."""


@dataclass(frozen=True, slots=True)
class FittedOpponent:
    """A fitted opponent.

    Attributes
    ----------
    schema : Schema
        The variables and the classes.
    predict : function
        Function from rows to probabilities.
    """

    schema: Schema
    predict: Predict

    def probabilities(self, table: Table) -> FloatArray:
        """Return the probability of each class of the schema for each row.

        Parameters
        ----------
        table : Table
            Rows with the columns of the training rows.

        Returns
        -------
        array of shape (n_rows, n_classes)
            Rows sum to 1.
        """
        with _contained():
            return self.predict(Rows.of(self.schema, table))


@contextmanager
def _contained() -> Iterator[None]:
    """Run with one thread and without warnings.

    One thread is fastest on small tables. The warnings are about searches that ended early and many classes.
    """
    from threadpoolctl import threadpool_limits

    # Limits of numerical libraries apply to the whole process, hence only within the block.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        yield
