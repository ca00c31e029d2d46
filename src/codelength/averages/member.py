"""What every member of an average offers, whatever it is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from .._pickling import WithoutCaches
from ..table import Coded
from ..typing import FloatArray, IntArray
from .training import Training
from .views import Views

M = TypeVar("M", bound="Member")


@dataclass(frozen=True, eq=False)
class Learned(Generic[M]):
    """A fitted member, and what it says about rows that it was kept from seeing.

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


@dataclass(frozen=True, eq=False, slots=True)
class Sums:
    """Log weights of the classes as sums of look-ups: by single values, and by pairs of them.

    Variables go by their places in the schema.

    Attributes
    ----------
    class_table : array of shape (n_classes,)
        Log weight of each class before any variable is seen.
    value_tables : mapping of int to array of shape (n_values + 1, n_classes)
        What each value of a variable adds. The last row is for cells without a value, which add nothing.
    groups : mapping of int to array of shape (n_values + 1,)
        For variables whose values are seen in groups, what group each belongs to; the last group is for
        values that say nothing. What is looked up in pairs is groups.
    pair_tables : mapping of (int, int) to array of shape (n_groups, n_groups of the parent, n_classes)
        What the groups of a variable and of its parent add together. Parents make no ring.
    """

    class_table: FloatArray
    value_tables: Mapping[int, FloatArray]
    groups: Mapping[int, IntArray] = field(default_factory=dict)
    pair_tables: Mapping[tuple[int, int], FloatArray] = field(default_factory=dict)


class Member(WithoutCaches, ABC):
    """One model class, or an average over many, fitted to training rows.

    A new member is one file: a subclass that fills in what is abstract here, and its name in ``MEMBERS``.

    Attributes
    ----------
    name : str
        What the member is called in ``members=`` and in files.
    title : str
        What it is, in a few words for people.
    is_additive : bool
        Whether its log-odds are sums over variables; then it has :meth:`contributions`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    is_additive: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def fit(cls, training: Training) -> Learned[Self]:
        """Learn from training rows. At least two classes were seen, and at least one variable varies."""

    @abstractmethod
    def log_probs(self, coded: Coded) -> FloatArray:
        """Log probability of each class for each row, in nats, shape (n_rows, n_classes)."""

    def contributions(self, coded: Coded) -> FloatArray:
        """What each variable of the schema adds to the log weight of each class, relative to the class prior.

        Of shape (n_rows, n_variables, n_classes); for additive members. The log probability is the log prior
        plus the sum over variables, normalised.
        """
        raise NotImplementedError(f"{self.name} is not additive")

    def sums(self) -> Sums | None:
        """The log weights of the classes as sums of look-ups; None where they are none.

        Weights are up to a factor that is the same for all classes of a row.
        """
        return None

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """What a file keeps of the member beside the views, as JSON types."""

    @classmethod
    @abstractmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """The member that :meth:`to_json` wrote, checked: nothing in a file is taken on trust."""


def normalised(log_weights: FloatArray) -> FloatArray:
    """Log weights along the last axis as log probabilities."""
    shifted = log_weights - log_weights.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
