"""Fitted single member of an average."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..averages.held_out import TOGETHER
from ..averages.members.forests import Forests, ForestsAtGrain
from ..averages.pool import Pool
from ..averages.training import Training
from ..errors import InvalidParameter
from ..naive_bayes.query import Answer, Known, Question
from ..networks.network import OTHERS, Network
from ..networks.queries import JointRows, States, network_answer, network_question
from ..typing import FloatArray
from ._fitted import Capability
from ._fitted_average import FittedAverage

NETWORK = "best_tree"
"""Name of the member that is a Bayesian network."""


@dataclass(frozen=True, eq=False)
class FittedMember(FittedAverage):
    """An average of one member, neither tempered nor pooled with the class prior."""

    kind = "member"

    @classmethod
    def name(cls, params: Mapping[str, Any]) -> str:
        return str(params["member"]).replace("_", "-")

    @classmethod
    def members_of(cls, params: Mapping[str, Any]) -> tuple[str, ...]:
        return (params["member"],)

    @classmethod
    def pooled(cls, training: Training, held_outs: FloatArray) -> tuple[Pool, FloatArray]:
        # No weights to learn, so the held-out predictions of the member are those of the whole.
        return Pool(np.ones(1), np.ones(1), 0.0), held_outs[0]

    @classmethod
    def capabilities(cls, params: Mapping[str, Any]) -> frozenset[Capability]:
        found = super().capabilities(params)
        # "forests" can answer queries after some fits only (see _one_view), which is not a capability.
        return found if params["member"] == NETWORK else found - {"network", "query"}

    def score_rows(self) -> list[dict[str, Any]]:
        # The average is the member itself, with weight and temperature 1.
        return [
            {name: value for name, value in row.items() if name not in ("weight", "temperature")}
            for row in super().score_rows()
            if row["name"] != TOGETHER
        ]

    def settings(self) -> dict[str, Any]:
        # The name of the model is that of its member, and stands above the settings.
        return {name: value for name, value in super().settings().items() if name != "member"}

    def network(self) -> Network:
        """Return the Bayesian network."""
        self._check_member("Bayesian network", NETWORK)
        return Network.of(self.look_ups())

    def question(self, variables: Any) -> Question:
        self._check_member("joint distribution of its variables", NETWORK, Forests.name)
        if self.params["member"] == NETWORK:
            return network_question(self.look_ups(), self.schema, variables)
        return self._rows.question(variables)

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        if self.params["member"] == NETWORK:
            return network_answer(self.look_ups(), question, known)
        return self._rows.answer(question, known)

    def _check_member(self, what: str, *able: str) -> None:
        """Raise InvalidParameter unless the member is one of those that have ``what``."""
        if self.params["member"] not in able:
            raise InvalidParameter(
                f"{self.name(self.params)} has no {what}; fit naive Bayes, or member="
                f"{' or '.join(map(repr, able))}"
            )

    @property
    def _rows(self) -> JointRows:
        """The joint probability of rows and classes, up to a constant."""
        view = self._one_view()
        positions = [view.views.columns[j].position for j in view.counts.variables.tolist()]
        return JointRows(self.schema, view.log_joint, {i: self._states(view, i) for i in positions})

    def _one_view(self) -> ForestsAtGrain:
        """Return the only view of forests; raise InvalidParameter if there are several, or unseen classes."""
        # An average over ways to cut a column has no single set of states for it.
        views = self.members[0].grains if self.members and isinstance(self.members[0], Forests) else ()
        if len(views) != 1 or len(self.seen) < self.schema.n_classes:
            raise InvalidParameter(
                "the model has no joint distribution: it averages over ways to cut ordered columns, or there "
                'are classes without rows; fit it with numeric="category", or fit best-tree'
            )
        return views[0]

    def _states(self, forests: ForestsAtGrain, position: int) -> States:
        """Return the states that the forests distinguish of the variable at a position of the schema."""
        # Values that the view merges are one state, named together; any of them stands for it in codes.
        view = next(view for view in forests.views.columns if view.position == position)
        variable, n_states = self.schema.variables[position], view.n_coarse
        members = [np.flatnonzero(view.coarse[:-1] == state) for state in range(n_states)]
        values = tuple(variable.values[own[0]] if len(own) == 1 else OTHERS for own in members)
        of_codes = np.where(view.coarse < 0, n_states, view.coarse)
        return States(values, np.array([own[0] for own in members]), of_codes)
