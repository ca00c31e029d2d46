"""Each member of an average alone, as a classifier."""

from typing import Any, ClassVar

import numpy as np

from ..averages.pool import Pool
from ..averages.training import Training
from ..table import Schema
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..typing import FloatArray
from ._averaging import AveragingClassifier
from ._exports import ExportedAverage
from ._fitted_average import TOGETHER
from ._network_queries import QueriedNetwork
from .contract import Weighting, register


class MemberClassifier(AveragingClassifier):
    """One member of :class:`codelength.ModelAverage` alone, neither tempered nor pooled.

    Parameters
    ----------
    missing, handle_unknown, numeric, identifiers, weights, strict, schema, random_state, n_jobs
        As in :class:`codelength.ModelAverage`.

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
        weights: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            missing, handle_unknown, numeric, identifiers, weights, strict, schema, random_state, n_jobs
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

    See :mod:`codelength.averages.trees`; parameters and attributes are those of :class:`MemberClassifier`.
    """

    kind = "trees"
    member = "trees"


@register
class LogRatiosClassifier(MemberClassifier, ExportedAverage):
    """Logistic regression on the log ratios of single variables, and on the variables themselves.

    See :mod:`codelength.averages.log_ratios`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "log-ratios"
    member = "log_ratios"


@register
class KernelClassifier(MemberClassifier):
    """Kernel regression on class indicators, averaged over kernels.

    See :mod:`codelength.averages.kernel`; parameters and attributes are those of :class:`MemberClassifier`.
    """

    kind = "kernel"
    member = "kernel"


@register
class ForestsClassifier(MemberClassifier):
    """Tree-augmented naive Bayes, averaged over all forests.

    See :mod:`codelength.averages.forests`; parameters and attributes are those of :class:`MemberClassifier`.
    """

    kind = "forests"
    member = "forests"


@register
class TreeAugmentedClassifier(MemberClassifier, ExportedAverage, QueriedNetwork):
    """Tree-augmented naive Bayes (TAN) with the one forest that is most probable.

    See :mod:`codelength.averages.best_tree`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "best-tree"
    member = "best_tree"
    capabilities = ExportedAverage.capabilities | {"network", "query"}


@register
class SubsetsClassifier(MemberClassifier, ExportedAverage):
    """Naive Bayes, averaged over all subsets of variables.

    See :mod:`codelength.averages.subsets`; parameters and attributes are those of :class:`MemberClassifier`.
    """

    kind = "subsets"
    member = "subsets"


@register
class OneDependenceClassifier(MemberClassifier):
    """One-dependence estimators with hierarchical back-off, averaged.

    See :mod:`codelength.averages.one_dependence`; parameters and attributes are those of
    :class:`MemberClassifier`.
    """

    kind = "one-dependence"
    member = "one_dependence"


@register
class MixturesClassifier(MemberClassifier):
    """Finite mixtures, averaged over numbers of clusters and clusterings.

    See :mod:`codelength.averages.mixtures`; parameters and attributes are those of :class:`MemberClassifier`.
    """

    kind = "mixtures"
    member = "mixtures"
