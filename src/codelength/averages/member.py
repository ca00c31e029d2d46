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


class Member(WithoutCaches, Savable, ABC):
    """One model class, or an average over many, fitted to training rows.

    To add a member, implement the abstract methods in a subclass, in one file, and list it in ``MEMBERS``.
    Fields other than ``views`` and ``log_prior`` are annotated for files (:class:`codelength._codec.Saved`).

    Attributes
    ----------
    name : str
        Name of the member in ``members=`` and in files.
    title : str
        Short description for readers.
    is_additive : bool
        True if its log-odds are sums over variables; then it implements :meth:`contributions`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    is_additive: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Fit the member to training rows with at least two classes and at least one variable that varies."""

    @abstractmethod
    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""

    def contributions(self, coded: Coded) -> FloatArray:
        """Return the term of each variable of the schema in the log weight of each class.

        Only additive members implement it. The log probability is the log prior plus the sum over variables,
        normalised.

        Returns
        -------
        array of shape (n_rows, n_variables, n_classes)
            Terms relative to the class prior, in nats.
        """
        raise NotImplementedError(f"{self.name} is not additive")

    def look_ups(self) -> LookUps | None:
        """Return the log weights of the classes as sums of look-ups, or None if they are not such sums."""
        return None

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """Restore the member that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        return cls.restored(document, views=views, log_prior=log_prior, n_classes=len(log_prior))


def normalised(log_weights: FloatArray) -> FloatArray:
    """Normalise log weights along the last axis to log probabilities."""
    # Subtract the largest weight first, so that at least one exponential does not underflow.
    shifted = log_weights - log_weights.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
