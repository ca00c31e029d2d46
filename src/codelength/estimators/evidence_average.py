"""An average over a list of models, each weighted by how probable it makes the whole table."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from ..errors import InvalidParameter
from ..table.checks import check_sequence
from ._fitted import Weighting
from ._fitted_evidence import FittedEvidence, named_models, prior_probs_of
from .classifier import TableClassifier
from .described import check_describes
from .registry import register


@register
@dataclass(eq=False, repr=False)
class EvidenceAverage(TableClassifier):
    r"""An average over a list of models, each weighted by how probable it makes the whole table.

    .. math:: P(d \mid D) = \sum_k P(d \mid D, M_k)\, P(M_k \mid D), \quad
              P(M_k \mid D) \propto P(D \mid M_k)\, P(M_k)

    Equation (4) of [1]_ as it stands: d is a whole row, class included, and the class is predicted from it.
    The weights reward the description of everything, not only of the class, and with many rows nearly all
    weight is on one model. :class:`codelength.ModelAverage` weighs its members by how well they predict the
    class instead; ``docs/explanation/theory/averages.md`` compares the two.

    Parameters
    ----------
    models : sequence of models, or mapping of names to models, optional
        The models to average: :class:`codelength.NaiveBayes` under a rule that averages,
        :class:`codelength.IndifferentTrees`, :class:`codelength.FiniteMixture` (the class is one of its
        variables), and :class:`codelength.research.OnVariables` of these. By default naive Bayes,
        the class alone, and trees: the best, and all. Mixtures have no closed form: they are weighted by
        their ``criterion``, and predict with rows shared out over the components. Options about columns and
        cells are those of the average, so that all models describe the same values.
    prior : sequence of float, optional
        Prior probabilities of the models, as relative numbers; by default all are equal.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    models_ : list of dict
        Each model: its ``name``, the ``code_length`` of the training table in nats, and its ``weight``.
    member_weights_ : dict
        Weight of each model by name.
    code_length_ : float
        Code length of the training table under the average, in nats.
    schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.

    Examples
    --------
    >>> from codelength import EvidenceAverage, NaiveBayes
    >>> from codelength.research import OnVariables
    >>> table = {"coin": ["a", "b"] * 10, "sky": ["sun", "sun", "rain", "rain"] * 5}
    >>> models = {
    ...     "sky": OnVariables(NaiveBayes(), ("sky",)),
    ...     "coin": OnVariables(NaiveBayes(), ("coin",)),
    ...     "both": NaiveBayes(),
    ... }
    >>> average = EvidenceAverage(models).fit(table, ["out", "out", "in", "in"] * 5)
    >>> {name: round(weight, 3) for name, weight in average.member_weights_.items()}
    {'sky': 0.664, 'coin': 0.0, 'both': 0.336}
    """

    _fitted_type = FittedEvidence
    _fitted: ClassVar[FittedEvidence]

    models: Sequence[Any] | Mapping[str, Any] | None = None
    _: KW_ONLY
    prior: Sequence[float] | None = None
    weighting: Weighting = "counts"

    @property
    def models_(self) -> list[dict[str, Any]]:
        """Each model: its name, the code length of the training table in nats, and its weight."""
        return self._fitted.model_rows()

    @property
    def member_weights_(self) -> dict[str, float]:
        """Weight of each model by name."""
        return {row["name"]: row["weight"] for row in self.models_}

    @property
    def code_length_(self) -> float:
        """Code length of the training table under the average, in nats."""
        return self._fitted.code_length

    def _check_params(self) -> None:
        super()._check_params()
        if self.models is not None:
            if isinstance(self.models, Mapping):
                # check_sequence rejects mappings, so their values are taken first.
                models: Sequence[Any] = list(self.models.values())
                if not all(isinstance(name, str) and name for name in self.models):
                    raise InvalidParameter("models: expected names that are text, and not empty")
            else:
                models = check_sequence("models", self.models, of="models, or a mapping of names to models")
            if not models:
                raise InvalidParameter("models: there is none; give at least one")
            for model in models:
                check_describes(model)
        # The prior last: the number of models is that of a valid list.
        prior_probs_of(self.prior, len(named_models(self.models)))
