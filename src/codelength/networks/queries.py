"""Questions about several variables at once.

:class:`JointRows` answers for any model that gives whole rows a probability, by adding up over all values of
cells that are not known; :func:`network_answer` answers for Bayesian networks, which sum them out themselves.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import Infeasible, InvalidParameter
from ..naive_bayes.query import Answer, Known, Question, with_known_classes
from ..table import Coded, Schema
from ..table._messages import listed, shown
from ..table.coded import unchecked
from ..typing import FloatArray, IntArray, Scalar
from .look_ups import LookUps
from .network import Network, joint_weights

AT_ONCE = 1 << 17
"""Whole rows whose probabilities are computed at a time."""

MAX_FILLED = 1 << 24
"""Largest number of whole rows for one question."""


class States(NamedTuple):
    """Values of a variable that a model tells apart.

    Attributes
    ----------
    values : tuple
        What each state is called.
    codes : array of shape (n_states,)
        A code that stands for each state.
    of_codes : array of shape (n_values + 1,)
        The state of each code; ``n_states`` for codes that say nothing.
    """

    values: tuple[Scalar | None, ...]
    codes: IntArray
    of_codes: IntArray


def all_states(schema: Schema, positions: Iterable[int]) -> dict[int, States]:
    """Return the states of models that tell all values apart, by the positions of variables."""
    found = {}
    for i in positions:
        values = schema.variables[i].values
        found[i] = States(values, np.arange(len(values)), np.arange(len(values) + 1))
    return found


def asked_about(schema: Schema, variables: Any, values: Mapping[int, tuple[Scalar | None, ...]]) -> Question:
    """Return the variables of a question, checked.

    Parameters
    ----------
    schema : Schema
        Schema of the model.
    variables : name or names
        Variables of the question.
    values : mapping of int to tuple
        Values that the model tells apart of each variable that takes part, by its position.
    """
    names = schema.names
    question = Question.of(schema, variables, {names[i]: own for i, own in values.items()})
    for i in question.columns:
        if i not in values:
            raise InvalidParameter(
                f"variables: {shown(names[i])} takes no part in the model, because it does not vary or says "
                f"little about the class; ask about {listed([names[i] for i in values])}"
            )
    return question


@dataclass(frozen=True, eq=False, slots=True)
class JointRows:
    """The joint probability of rows and classes under a model.

    Every combination of values asked about is put into the row, and so is every combination of values that
    are not known, unless the model sums them out by itself.

    Attributes
    ----------
    schema : Schema
        The variables and classes.
    log_joint : function
        Log probability of coded rows together with each class, in nats, shape (n_rows, n_classes).
    states : mapping of int to States
        What the model tells apart of each variable that takes part, by its position.
    sums_out : bool
        True if the model sums out missing cells exactly.
    """

    schema: Schema
    log_joint: Callable[[Coded], FloatArray]
    states: Mapping[int, States]
    sums_out: bool = False

    def question(self, variables: Any) -> Question:
        """Return the variables of a question, checked, and the values that the model tells apart."""
        return asked_about(self.schema, variables, {i: own.values for i, own in self.states.items()})

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        coded, schema = known.coded, self.schema
        logs = np.empty((coded.n_rows, schema.n_classes, self._n_ways(question.columns)))
        for rows, free in self._alike(question, coded):
            for part in _parts(rows, self._n_ways((*question.columns, *free))):
                logs[part] = self._summed(coded.take(part), question.columns, free)
        flat = np.moveaxis(logs, 1, 2).reshape(-1, schema.n_classes)
        flat = with_known_classes(flat, np.repeat(known.classes, logs.shape[2]))
        logs = np.moveaxis(flat.reshape(coded.n_rows, -1, schema.n_classes), 2, 1)
        highest = logs.max(axis=(1, 2), keepdims=True, initial=-np.inf)
        weights = np.exp(logs - np.where(np.isfinite(highest), highest, 0.0))
        return question.answer(weights.sum(axis=1) if question.class_axis is None else weights)

    def _alike(self, question: Question, coded: Coded) -> Iterator[tuple[IntArray, tuple[int, ...]]]:
        """Yield rows in which the same variables have to be filled in, and these variables."""
        if self.sums_out:
            yield np.arange(coded.n_rows), ()
            return
        others = [i for i in self.states if i not in question.columns]
        states = [self.states[i] for i in others]
        unknown = np.array(
            [
                own.of_codes[coded.codes[:, i]] == len(own.codes)
                for i, own in zip(others, states, strict=True)
            ],
            dtype=np.bool_,
        ).reshape(len(others), coded.n_rows)
        patterns, places = np.unique(unknown.T, axis=0, return_inverse=True)
        groups = [
            (np.flatnonzero(places.ravel() == j), tuple(itertools.compress(others, pattern)))
            for j, pattern in enumerate(patterns.tolist())
        ]
        n_filled = sum(
            float(len(rows)) * question.n_combinations * self._n_ways(free) for rows, free in groups
        )
        if n_filled > MAX_FILLED:
            raise Infeasible(
                f"the cells that are not known can be filled in {n_filled:.2g} ways, more than the "
                f"{MAX_FILLED:,} that are summed; give fewer rows, or rows with fewer missing cells"
            )
        yield from groups

    def _summed(self, coded: Coded, asked: tuple[int, ...], free: tuple[int, ...]) -> FloatArray:
        """Return log probabilities of rows with each combination asked about."""
        of_each = [self.states[i].codes.tolist() for i in (*asked, *free)]
        combinations = np.array(list(itertools.product(*of_each)), dtype=np.int64)
        codes = np.repeat(coded.codes, len(combinations), axis=0)
        codes[:, (*asked, *free)] = np.tile(combinations, (coded.n_rows, 1)).astype(codes.dtype)
        whole = unchecked(coded.schema, np.asfortranarray(codes), np.zeros(len(codes), dtype=np.uint8))
        shape = coded.n_rows, self._n_ways(asked), -1, self.schema.n_classes
        logs = self.log_joint(whole).reshape(shape)
        return np.moveaxis(np.logaddexp.reduce(logs, axis=2), 2, 1)

    def _n_ways(self, variables: tuple[int, ...]) -> int:
        """Return the number of combinations of some variables."""
        return math.prod(len(self.states[i].codes) for i in variables)


def _parts(rows: IntArray, n_each: int) -> Iterator[IntArray]:
    """Yield some rows at a time."""
    step = max(1, AT_ONCE // max(n_each, 1))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def network_question(look_ups: LookUps, schema: Schema, variables: Any) -> Question:
    """Return the variables of a question, checked, and the values that the network tells apart.

    Values that the model sees as one, such as neighbouring intervals, are one value of an answer.
    """
    values: dict[int, tuple[Scalar | None, ...]] = {}
    for i, node in zip(sorted(look_ups.tables), Network.of(look_ups).nodes[1:], strict=True):
        of_codes, listed_values = _states_of_codes(look_ups, i), look_ups.schema.variables[i].values
        places = [np.flatnonzero(of_codes == state) for state in range(len(node.states))]
        values[i] = tuple(
            listed_values[own[0]] if len(own) == 1 else label
            for own, label in zip(places, node.states, strict=True)
        )
    return asked_about(schema, variables, values)


def network_answer(look_ups: LookUps, question: Question, known: Known) -> Answer:
    """Answer a question about several variables; a variable that is not known is summed out."""
    positions = sorted(look_ups.tables)
    columns = [_states_of_codes(look_ups, i)[known.coded.codes[:, i]] for i in positions]
    states = np.stack([known.classes, *columns], axis=1)
    asked = tuple(1 + positions.index(i) for i in question.columns)
    weights = joint_weights(Network.of(look_ups), states, asked)
    return question.answer(weights.sum(axis=1) if question.class_axis is None else weights)


def _states_of_codes(look_ups: LookUps, position: int) -> IntArray:
    """Return the state of each code of a variable, -1 for those that say nothing."""
    n_values = look_ups.schema.variables[position].n_values
    codes = look_ups.groupings.get(position, np.arange(n_values + 1))
    return np.where(codes == codes[-1], -1, codes)
