"""Models that start from what was known before, and are what was known before to others."""

from typing import Any, Self

from ..errors import InvalidParameter
from ..naive_bayes import Posterior, Predictor, PriorLike, as_knowledge
from ..table import Schema
from .contract import TableClassifier


class KnowsBefore(TableClassifier):
    """A model with a ``prior``, which may be earlier cases or another such model that was fitted on them."""

    prior: "PriorLike | KnowsBefore"

    @property
    def posterior_(self) -> Posterior:
        """What the model knows, as a prior for another: the prior it had and the rows it has counted."""
        fitted = self._fitted
        if fitted.params["numeric"] == "average":
            raise InvalidParameter(
                'prior: a model with numeric="average" weighs partitions too, and is no prior for another; '
                'fit it with numeric="discretize"'
            )
        return Posterior.of(Predictor.of(fitted.counts, fitted.params["rule"], fitted.params["prior"]))

    def _params(self) -> dict[str, Any]:
        return super()._params() | {"prior": self._known_prior}

    @property
    def _known_prior(self) -> PriorLike:
        """The prior, in which a fitted model is what it knows."""
        if not isinstance(self.prior, KnowsBefore):
            return self.prior
        if not self.prior.__sklearn_is_fitted__():
            raise InvalidParameter(
                "prior: the model knows nothing, because it is not fitted yet; fit it first"
            )
        return self.prior.posterior_

    @property
    def _known_schema(self) -> Schema | None:
        knowledge = as_knowledge(self._known_prior)
        return self.schema if self.schema is not None or knowledge is None else knowledge.schema

    def _settings(self) -> dict[str, Any]:
        knowledge = as_knowledge(self._fitted.params["prior"])
        return super()._settings() | ({} if knowledge is None else {"prior": repr(knowledge)})

    def __sklearn_clone__(self) -> Self:
        """A model without what it has learned; one that is a prior keeps it, since it is a parameter here."""
        cloned: Self = super().__sklearn_clone__()
        cloned.prior = self.prior
        return cloned
