"""One member of an average alone, as a classifier."""

from typing import TYPE_CHECKING, Any

from ..averages.members.registry import MEMBERS
from ..errors import InvalidParameter
from ..table import Schema
from ..table.checks import check_choice
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ._fitted import Weighting
from ._fitted_member import FittedMember
from .classifier import TableClassifier
from .model_average import check_n_jobs
from .registry import register


@register
class MemberClassifier(TableClassifier):
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
    parents_ : dict of str to tuple of str
        Parents of each variable of the network.
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.ModelAverage`.

    Examples
    --------
    >>> from codelength import datasets
    >>> from codelength.research import MemberClassifier
    >>> lenses = datasets.load("lenses").table
    >>> MemberClassifier("best_tree").fit(lenses).parents_["tear_rate"]
    ('class', 'astigmatic')
    """

    _fitted_type = FittedMember

    if TYPE_CHECKING:

        @property
        def _fitted(self) -> FittedMember: ...

    def __init__(
        self,
        member: str = "best_tree",
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
        self.member = member
        self.weighting = weighting
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        check_n_jobs(self.n_jobs)
