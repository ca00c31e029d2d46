"""Class probabilities for any table: an average over model classes, and its members alone.

In this order: options of both, :class:`ModelAverage`, :class:`MemberClassifier`. Depends on
``_fitted_average`` and ``_fitted_member``, which learn and predict.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..averages.members import MEMBERS
from ..errors import InvalidParameter
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence, check_size
from ..table.infer import Missing, Numeric
from ._fitted import Weighting
from ._fitted_average import FittedAverage
from ._fitted_member import FittedMember
from .classifier import TableClassifier
from .registry import register


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
