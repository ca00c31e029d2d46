"""Class probabilities for any table: an average over model classes, and its members alone.

In this order: options of both; :class:`ModelAverage`; :class:`FittedMember` and :class:`MemberClassifier`.
Depends on ``_fitted_average``, which learns and predicts, and on :mod:`codelength.networks` for queries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..averages.held_out import TOGETHER
from ..averages.members import MEMBERS
from ..averages.members.forests import Forests, ForestsAtGrain
from ..averages.pool import Pool
from ..averages.training import Training
from ..errors import InvalidParameter
from ..naive_bayes.query import Answer, Known, Question
from ..networks.network import OTHERS, Network
from ..networks.queries import JointRows, States, network_answer, network_question
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence, check_size
from ..table.infer import Missing, Numeric
from ..typing import FloatArray
from ._fitted import Capability, Weighting
from ._fitted_average import FittedAverage
from .classifier import TableClassifier
from .registry import register

NETWORK = "best_tree"
"""Name of the member that is a Bayesian network."""


@dataclass(eq=False, repr=False, kw_only=True)
class _OptionsOfAverages(TableClassifier):
    """Options of averages and their members.

    Defaults of ``missing`` and ``numeric`` differ from those of other models, because members learn what a
    missing cell says about the class, and can use the order of numbers, however few there are.
    """

    missing: Missing = "value"
    numeric: Numeric = "discretize"
    weighting: Weighting = "counts"
    random_state: Any = 0
    n_jobs: int | None = None

    def _check_params(self) -> None:
        super()._check_params()
        # By type, because -1.0 equals -1.
        if self.n_jobs is not None and not (type(self.n_jobs) is int and self.n_jobs == -1):
            check_size("n_jobs", self.n_jobs, also=", -1 for all processors, or None for one thread")


@register
@dataclass(eq=False, repr=False)
class ModelAverage(_OptionsOfAverages):
    """Class probabilities for any table, averaged over model classes; nothing to tune.

    Several model classes, each an average itself, learn from the table [1]_. Each is weighed by how well it
    predicts the class of rows that it has not seen [2]_. The class prior takes part, so that a table without
    information gives the class prior. ``docs/explanation/averaging.md`` explains the method.

    Tables may have text, categories, truth values, numbers, dates and times (which are ordered), missing
    cells and values that were not in training. Columns that do not vary are ignored, and so are columns of
    identifiers.

    Parameters
    ----------
    members : sequence of str, optional
        Members of the average; by default ``("trees", "log_ratios", "kernel", "forests")``. There are

        - ``"trees"``: decision trees, each averaged over all its prunings;
        - ``"log_ratios"``: logistic regression on the log ratios of single variables;
        - ``"kernel"``: kernel regression on class indicators;
        - ``"forests"``: tree-augmented naive Bayes, averaged over all forests; ``"best_tree"``: the best one;
        - ``"subsets"``: naive Bayes, averaged over all subsets of variables.
    missing : {"value", "ignore"}
        Treat missing cells as a value of their own in the columns that have missing cells in training, or
        ignore them. Unlike other models, an average treats them as a value by default, because its members
        learn what a missing cell says about the class.
    handle_unknown : {"ignore", "error"}
        Ignore a value that was not in training, or raise an error.
    numeric : {"discretize", "auto", "category", "error"}
        Treatment of columns of numbers, dates and times: ordered; categories if there are few whole numbers,
        ordered otherwise; categories; or an error. The default differs from that of other models, because
        members can use the order of numbers, however few there are.
    identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Source of the randomness of trees and folds. A number gives the same model every time.
    n_jobs : int, optional
        Number of threads to fit members in; -1 for all processors. The result is the same for any number.

    Attributes
    ----------
    members_, member_weights_, prior_share_
        The members with their weights and scores; see the properties of these names.
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`. Declared classes that were never seen get their share of the
        class prior.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
    .. [2] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.

    Examples
    --------
    >>> from codelength import ModelAverage
    >>> table = {"outlook": ["sun", "rain", "sun", "rain"] * 10, "degrees": [21.5, 14.0, 9.5, 18.0] * 10}
    >>> model = ModelAverage().fit(table, ["out", "in", "in", "out"] * 10)
    >>> model.predict({"outlook": ["sun", "sun"], "degrees": [22.0, 8.0]})
    array(['out', 'in'], dtype='<U3')
    >>> model.leave_one_out().accuracy
    1.0
    """

    _fitted_type = FittedAverage
    _fitted: ClassVar[FittedAverage]

    members: Sequence[str] | None = None

    @property
    def members_(self) -> list[dict[str, Any]]:
        """Name, weight, temperature and held-out scores of each member, the class prior, and all together."""
        return self._fitted.score_rows()

    @property
    def member_weights_(self) -> dict[str, float]:
        """Weight of each member."""
        # The pool has no names; its weights are in the order of the members.
        fitted = self._fitted
        names = (member.name for member in fitted.members)
        return dict(zip(names, fitted.pool.weights.tolist(), strict=True))

    @property
    def prior_share_(self) -> float:
        """Share of the class prior in the average."""
        return self._fitted.pool.share

    def _check_params(self) -> None:
        super()._check_params()
        if self.members is None:
            return
        # A name alone is an error, not a sequence of letters: check_sequence rejects text.
        names = check_sequence("members", self.members, of="names of members")
        for name in names:
            check_choice("members", name, MEMBERS)
        if not names or len(set(names)) < len(names):
            raise InvalidParameter(f"members={shown(self.members)}: expected at least one name, each once")


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


@register
@dataclass(eq=False, repr=False)
class MemberClassifier(_OptionsOfAverages):
    """One member of :class:`codelength.ModelAverage` alone, neither tempered nor pooled.

    Parameters
    ----------
    member : str
        The member. There are

        - ``"trees"``: decision trees on random parts of the table, each averaged over all its prunings;
        - ``"log_ratios"``: logistic regression on the log ratios of single variables;
        - ``"kernel"``: kernel regression on class indicators, averaged over kernels;
        - ``"forests"``: tree-augmented naive Bayes, averaged over all forests;
        - ``"best_tree"``: tree-augmented naive Bayes (TAN) with the one forest that is most probable;
        - ``"subsets"``: naive Bayes, averaged over all subsets of variables.

        ``"log_ratios"``, ``"best_tree"`` and ``"subsets"`` can be exported; ``"best_tree"`` is a Bayesian
        network. :meth:`query` is for ``"best_tree"``, and for ``"forests"`` if no column is ordered.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema, random_state, n_jobs
        As in :class:`codelength.ModelAverage`, whose defaults of ``missing`` and ``numeric`` differ from
        those of other models, because members learn what a missing cell says about the class, and can use
        the order of numbers.

    Attributes
    ----------
    parents_, classes_, schema_, n_features_in_, feature_names_in_
        Parents of each variable of the network; the others as in :class:`codelength.NaiveBayes`.

    Examples
    --------
    >>> from codelength import datasets
    >>> from codelength.research import MemberClassifier
    >>> lenses = datasets.load("lenses").table
    >>> MemberClassifier("best_tree").fit(lenses).parents_["tear_rate"]
    ('class', 'astigmatic')
    """

    _fitted_type = FittedMember
    _fitted: ClassVar[FittedMember]

    member: str = "best_tree"

    @property
    def parents_(self) -> dict[str, tuple[str, ...]]:
        """Parents of each variable of the network.

        :func:`codelength.code_lengths.network_code_length` takes them. Variables that take no part in the
        model are left out.
        """
        fitted = self._fitted
        try:
            _, *variables = nodes = fitted.network().nodes
        except InvalidParameter as error:
            # An attribute that a model does not have: hasattr is False, as in scikit-learn.
            raise AttributeError(f"parents_: {error}") from None
        target = fitted.schema.target
        names = [nodes[0].name if target is None else target.name, *(node.name for node in variables)]
        return {node.name: tuple(names[place] for place in node.parents) for node in variables}

    def _check_params(self) -> None:
        # The member first: messages about other parameters name the model by it.
        check_choice("member", self.member, MEMBERS)
        super()._check_params()
