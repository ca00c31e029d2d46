"""The interface that every member of an average implements."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from .._codec import Savable
from .._pickling import WithoutCaches
from ..networks.look_ups import LookUps
from ..table import Coded
from ..typing import FloatArray
from .training import Training
from .views import Views

M = TypeVar("M", bound="Member")


@dataclass(frozen=True, eq=False)
class FittedMember(Generic[M]):
    """A fitted member and its predictions of held-out rows.

    Attributes
    ----------
    member : Member
        The member, fitted on all rows.
    held_out : array of shape (n_rows, n_classes)
        Log probability of each class for each row of :attr:`Training.sample`, in nats, without one copy of
        the row.
    """

    member: M
    held_out: FloatArray


@dataclass(frozen=True, eq=False)
class Member(WithoutCaches, Savable, ABC):
    """One model class, or an average over many, fitted to training rows.

    To add a member, implement the abstract methods in a subclass, in one file, and list it in ``MEMBERS``.
    Its fields are annotated for files (:class:`codelength._codec.Saved`).

    Attributes
    ----------
    name : str
        Name of the member in ``members=`` and in files.
    title : str
        Short description for readers.
    views : Views
        Views of the table that the member uses.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    views: Views
    log_prior: FloatArray

    @classmethod
    @abstractmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Fit the member to training rows with at least two classes and at least one variable that varies."""

    @abstractmethod
    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""

    def look_ups(self) -> LookUps | None:
        """Return the log weights of the classes as sums of look-ups, or None if they are not such sums."""
        return None

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """Restore the member that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        return cls.restored(document, views=views, log_prior=log_prior, n_classes=len(log_prior))


class AdditiveMember(Member):
    """A member whose log weights are sums over variables."""

    @property
    def log_classes(self) -> FloatArray:
        """Terms of the classes relative to their prior."""
        return np.zeros(len(self.log_prior))

    @property
    @abstractmethod
    def value_tables(self) -> dict[int, FloatArray]:
        """Terms of the values of variables, shape (n_values + 1, n_classes), by position in the schema."""

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        log_weights = np.tile(self.log_prior + self.log_classes, (coded.n_rows, 1))
        for position, table in self.value_tables.items():
            log_weights += table[coded.codes[:, position]]
        return normalised(log_weights)

    def contributions(self, coded: Coded) -> FloatArray:
        """Return the term of each variable of the schema in the log weight of each class.

        Terms are relative to the class prior, shape (n_rows, n_variables, n_classes). Those of the classes
        are shared equally by the variables that take part.
        """
        found = np.zeros((coded.n_rows, self.views.schema.n_variables, len(self.log_prior)))
        shared = self.log_classes / max(len(self.value_tables), 1)
        for position, table in self.value_tables.items():
            found[:, position] = table[coded.codes[:, position]] + shared
        return found

    def look_ups(self) -> LookUps:
        """Return the log weights of the classes as sums of look-ups."""
        return LookUps(self.views.schema, self.log_prior + self.log_classes, self.value_tables)


def normalised(log_weights: FloatArray) -> FloatArray:
    """Normalise log weights along the last axis to log probabilities."""
    # Subtract the largest weight first, so that at least one exponential does not underflow.
    shifted = log_weights - log_weights.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
