"""Questions about several variables at once, for models that are Bayesian networks."""

from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Known, Question
from ..table import Schema
from ..table._messages import listed, shown
from ..typing import IntArray, Scalar
from .look_ups import LookUps
from .network import Network, joint_weights


def network_question(look_ups: LookUps, schema: Schema, variables: Any) -> Question:
    """Return the variables of a question, checked, and the values that the network tells apart.

    Values that the model sees as one, such as neighbouring intervals, are one value of an answer.
    """
    values = dict(_states(look_ups, Network.of(look_ups)))
    question = Question.of(schema, variables, values)
    for name, i in zip(question.names, question.positions, strict=True):
        if i < schema.n_variables and name not in values:
            raise InvalidParameter(
                f"variables: {shown(name)} takes no part in the model, because it does not vary or says "
                f"little about the class; ask about {listed(list(values))}"
            )
    return question


def network_answer(look_ups: LookUps, question: Question, known: Known) -> Answer:
    """Answer a question about several variables; a variable that is not known is summed out."""
    schema = known.coded.schema
    states = np.full((known.coded.n_rows, len(look_ups.variables) + 1), -1, dtype=np.int64)
    states[:, 0] = known.classes
    places = {variable.name: place for place, variable in enumerate(look_ups.variables, start=1)}
    for name, place in places.items():
        codes = known.coded.codes[:, schema.position(name)]
        states[:, place] = _state_codes(look_ups, place - 1)[codes]
    asked = tuple(places[schema.names[i]] for i in question.columns)
    weights = joint_weights(Network.of(look_ups), states, asked)
    return question.answer(weights.sum(axis=1) if question.class_axis is None else weights)


def _state_codes(look_ups: LookUps, place: int) -> IntArray:
    """Return the state of each code of a variable, -1 for those that say nothing."""
    groups = look_ups.groups[place]
    codes = np.arange(look_ups.variables[place].n_values + 1) if groups is None else groups
    return np.where(codes == codes[-1], -1, codes)


def _states(look_ups: LookUps, network: Network) -> list[tuple[str, tuple[Scalar | None, ...]]]:
    """Return the values of each variable as the network tells them apart."""
    found = []
    for place, (variable, node) in enumerate(zip(look_ups.variables, network.nodes[1:], strict=True)):
        codes = _state_codes(look_ups, place)
        values = []
        for state, label in enumerate(node.states):
            own = np.flatnonzero(codes == state)
            values.append(variable.values[own[0]] if len(own) == 1 else label)
        found.append((variable.name, tuple(values)))
    return found
