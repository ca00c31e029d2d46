"""Questions about several variables at once, for models that are Bayesian networks."""

from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Question
from ..networks.inference import joint_weights
from ..networks.look_ups import LookUps
from ..networks.network import Network
from ..table._messages import listed, shown
from ..typing import IntArray, Scalar
from ._exports import ExportedNetwork
from ._queries import JointModel, Known


class QueriedNetwork(ExportedNetwork, JointModel):
    """A classifier that is a Bayesian network, and answers questions as one.

    Values that the model sees as one, such as neighbouring intervals, are one value of an answer. A variable
    that is not known is summed out.
    """

    def question(self, variables: Any) -> Question:
        """The variables of a question, checked, and the values that the model tells apart."""
        schema, look_ups = self.schema_, self._look_ups()
        values = dict(_states(look_ups, Network.of(look_ups)))
        question = Question.of(schema, variables, values)
        for name, i in zip(question.names, question.positions, strict=True):
            if i < schema.n_variables and name not in values:
                raise InvalidParameter(
                    f"variables: {shown(name)} takes no part in the model, because it does not vary or says "
                    f"little about the class; ask about {listed(list(values))}"
                )
        return question

    def _answer(self, question: Question, known: Known) -> Answer:
        look_ups = self._look_ups()
        states = np.full((known.coded.n_rows, len(look_ups.variables) + 1), -1, dtype=np.int64)
        states[:, 0] = known.classes
        places = {variable.name: place for place, variable in enumerate(look_ups.variables, start=1)}
        for name, place in places.items():
            states[:, place] = _state_codes(look_ups, place - 1)[
                known.coded.codes[:, self.schema_.position(name)]
            ]
        asked = tuple(places[self.schema_.names[i]] for i in question.columns)
        weights = joint_weights(Network.of(look_ups), states, asked)
        return question.answer(weights.sum(axis=1) if question.class_axis is None else weights)


def _state_codes(look_ups: LookUps, place: int) -> IntArray:
    """For each code of a variable its state, -1 for those that say nothing."""
    groups = look_ups.groups[place]
    codes = np.arange(look_ups.variables[place].n_values + 1) if groups is None else groups
    return np.where(codes == codes[-1], -1, codes)


def _states(look_ups: LookUps, network: Network) -> list[tuple[str, tuple[Scalar | None, ...]]]:
    """The values of each variable as the network tells them apart."""
    found = []
    for place, (variable, node) in enumerate(zip(look_ups.variables, network.nodes[1:], strict=True)):
        codes = _state_codes(look_ups, place)
        values = []
        for state, label in enumerate(node.states):
            own = np.flatnonzero(codes == state)
            values.append(variable.values[own[0]] if len(own) == 1 else label)
        found.append((variable.name, tuple(values)))
    return found
