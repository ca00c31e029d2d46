"""Each member of an average alone, as a classifier."""

from typing import Any, ClassVar

import numpy as np

from ..averages.members.forests import Forests, ForestsAtGrain
from ..averages.pool import Pool
from ..averages.training import Training
from ..errors import InvalidParameter
from ..networks.network import OTHERS
from ..table import Coded, Schema
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..typing import FloatArray
from ._averaging import AveragingClassifier
from ._enumerated_queries import EnumeratedJoint, States
from ._exported_average import ExportedAverage
from ._fitted_average import TOGETHER
from ._network_queries import QueriedNetwork
from .contract import Weighting
from .registry import register


class MemberClassifier(AveragingClassifier):
    """One member of :class:`codelength.ModelAverage` alone, neither tempered nor pooled.

    Parameters
    ----------
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema, random_state, n_jobs
        As in :class:`codelength.ModelAverage`, whose defaults of ``missing`` and ``numeric`` differ from
        those of other models, because members learn what a missing cell says about the class, and can use
        the order of numbers.

    Attributes
    ----------
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.ModelAverage`.
    """

    member: ClassVar[str]

    def __init__(
        self,
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
        super().__init__(
            missing, handle_unknown, numeric, identifiers, weighting, strict, schema, random_state, n_jobs
        )

    def _names(self) -> tuple[str, ...]:
        return (self.member,)

    def _scores(self) -> list[dict[str, Any]]:
        """The member and the class prior; all together are the member once more, and nothing is weighed."""
        return [
            {name: value for name, value in row.items() if name not in ("weight", "temperature")}
            for row in super()._scores()
            if row["name"] != TOGETHER
        ]

    def _pooled(self, training: Training, held_outs: FloatArray) -> tuple[Pool, FloatArray]:
        return Pool(np.ones(1), np.ones(1), 0.0), held_outs[0]


@register
class TreesClassifier(MemberClassifier):
    """Decision trees on random parts of the table, each averaged over all its prunings.

    See :mod:`codelength.averages.members.trees`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "trees"
    member = "trees"


@register
class LogRatiosClassifier(MemberClassifier, ExportedAverage):
    """Logistic regression on the log ratios of single variables, and on the variables themselves.

    See :mod:`codelength.averages.members.log_ratios`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "log-ratios"
    member = "log_ratios"


@register
class KernelClassifier(MemberClassifier):
    """Kernel regression on class indicators, averaged over kernels.

    See :mod:`codelength.averages.members.kernel`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "kernel"
    member = "kernel"


@register
class ForestsClassifier(EnumeratedJoint, MemberClassifier):
    """Tree-augmented naive Bayes, averaged over all forests.

    See :mod:`codelength.averages.members.forests`; parameters and attributes are those of
    :class:`MemberClassifier`. Where no column is ordered, :meth:`query` answers questions about several
    variables.
    """

    kind = "forests"
    member = "forests"

    def log_joint_of(self, coded: Coded) -> FloatArray:
        """Log probability of coded rows together with each class, in nats and up to a constant."""
        return self._one_view().log_joint(coded)

    def _one_view(self) -> ForestsAtGrain:
        fitted = self._fitted
        views = fitted.members[0].grains if fitted.members and isinstance(fitted.members[0], Forests) else ()
        if len(views) != 1 or len(fitted.seen) < fitted.schema.n_classes:
            raise InvalidParameter(
                "the model has no joint distribution: it averages over ways to cut ordered columns, or there "
                'are classes without rows; fit it with numeric="category", or fit best-tree'
            )
        return views[0]

    def _taking_part(self) -> list[int]:
        view = self._one_view()
        return [view.views.columns[j].position for j in view.counts.variables.tolist()]

    def _sums_out(self) -> bool:
        return False

    def _states(self, position: int) -> States:
        view = next(view for view in self._one_view().views.columns if view.position == position)
        variable, n_states = self.schema_.variables[position], view.n_coarse
        members = [np.flatnonzero(view.coarse[:-1] == state) for state in range(n_states)]
        values = tuple(variable.values[own[0]] if len(own) == 1 else OTHERS for own in members)
        of_codes = np.where(view.coarse < 0, n_states, view.coarse)
        return States(values, np.array([own[0] for own in members]), of_codes)


@register
class TreeAugmentedClassifier(MemberClassifier, ExportedAverage, QueriedNetwork):
    """Tree-augmented naive Bayes (TAN) with the one forest that is most probable.

    See :mod:`codelength.averages.members.best_tree`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "best-tree"
    member = "best_tree"
    capabilities = ExportedAverage.capabilities | {"network", "query"}


@register
class SubsetsClassifier(MemberClassifier, ExportedAverage):
    """Naive Bayes, averaged over all subsets of variables.

    See :mod:`codelength.averages.members.subsets`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "subsets"
    member = "subsets"
