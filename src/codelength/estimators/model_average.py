"""The best class probabilities for a table, automatically: an average over model classes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..averages.members.registry import MEMBERS
from ..errors import InvalidParameter
from ..table import Schema
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence, check_size
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ._fitted import Weighting
from ._fitted_average import FittedAverage
from .classifier import TableClassifier
from .registry import register


@register
class ModelAverage(TableClassifier):
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
    classes_ : array of shape (n_classes,)
        The classes. Those that were declared but never seen get their share of the class prior.
    members_ : list of dict
        The members: name, weight, temperature, and the held-out scores of each alone; then those of the class
        prior and of all together.
    member_weights_ : dict
        Weight of each member by name.
    prior_share_ : float
        Share of the class prior in the average.
    schema_ : Schema
        The variables, their values, and how they were settled.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array of shape (n_variables,)
        Names of the variables, if the training table had names.

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

    if TYPE_CHECKING:

        @property
        def _fitted(self) -> FittedAverage: ...

    def __init__(
        self,
        members: Sequence[str] | None = None,
        *,
        missing: Missing = "value",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "discretize",
        identifiers: Identifiers = "ignore",
        weighting: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.weighting = weighting
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.members = members

    @property
    def members_(self) -> list[dict[str, Any]]:
        """Members, their weights, and their scores alone."""
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
        check_n_jobs(self.n_jobs)
        if self.members is None:
            return
        # A name alone is an error, not a sequence of letters: check_sequence rejects text.
        names = check_sequence("members", self.members, of="names of members")
        for name in names:
            check_choice("members", name, MEMBERS)
        if not names or len(set(names)) < len(names):
            raise InvalidParameter(f"members={shown(self.members)}: expected at least one name, each once")


def check_n_jobs(n_jobs: int | None) -> None:
    """Raise InvalidParameter unless ``n_jobs`` is a number of threads, -1 or None."""
    # By type, because -1.0 equals -1.
    if n_jobs is not None and not (type(n_jobs) is int and n_jobs == -1):
        check_size("n_jobs", n_jobs, also=", -1 for all processors, or None for one thread")
