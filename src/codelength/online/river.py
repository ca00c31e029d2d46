"""Naive Bayes on streams as a classifier of river (extra ``river``).

A thin layer: river passes names of any type and expects ``None`` from ``learn_one``, and its models are built
from the parameters of the constructor, which are therefore kept as they were given.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidParameter
from ..naive_bayes import PriorLike
from ..table import Schema
from ..table.checks import check_flag
from ..typing import Scalar
from .naive_bayes import Domains, OnlineNaiveBayes

_Classifier: Any
try:
    from river.base import Classifier as _Classifier
except ImportError:
    _Classifier = object


@dataclass(eq=False, repr=False)
class RiverNaiveBayes(_Classifier):
    """:class:`codelength.OnlineNaiveBayes` for the pipelines and metrics of river.

    Names of features may be of any type; they are converted to text. Numbers are categories, unless the
    schema declares intervals: use the schema of a model fitted to some rows, as in
    ``NaiveBayes().fit(X, y).schema_``.

    Parameters
    ----------
    schema, rule, prior, domains, half_life, window
        As in :class:`codelength.OnlineNaiveBayes`. By default domains grow.
    keep_score : bool
        Predict each row in :meth:`learn_one` before it is learned, and update :attr:`code_length` and
        :attr:`log_score`.

    Attributes
    ----------
    model : OnlineNaiveBayes
        The underlying model, with its counts, its schema and its code lengths.

    Examples
    --------
    >>> from codelength.online import RiverNaiveBayes
    >>> model = RiverNaiveBayes()
    >>> for outlook, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
    ...     model.learn_one({"outlook": outlook}, play)
    >>> {play: round(p, 3) for play, p in model.predict_proba_one({"outlook": "sun"}).items()}
    {'yes': 0.779, 'no': 0.221}
    >>> round(model.log_score, 3)
    -0.685
    """

    schema: Schema | None = None
    rule: str = "evidence"
    prior: PriorLike = "uniform"
    domains: Domains = "growing"
    half_life: float | None = None
    window: int | None = None
    keep_score: bool = True

    def __post_init__(self) -> None:
        if _Classifier is object:
            raise InvalidParameter('river is not installed; pip install "codelength[river]"')
        check_flag("keep_score", self.keep_score)
        options = {name: getattr(self, name) for name in ("rule", "prior", "domains", "half_life", "window")}
        self.model = OnlineNaiveBayes(self.schema, **options)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """Yield the parameters of river's own checks."""
        yield {}
        yield {"window": 50, "keep_score": False}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Scalar) -> None:
        """Count a row; with ``keep_score``, predict it first."""
        learn = self.model.score_one if self.keep_score else self.model.learn_one
        learn(_with_text_names(x), y)

    def unlearn_one(self, x: Mapping[Any, Any], y: Scalar) -> None:
        """Remove a row that was learned; :attr:`code_length` keeps its prediction."""
        self.model.unlearn_one(_with_text_names(x), y)

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Scalar, float]:
        """Return the probability of each class of a row; empty before the first class was met."""
        return self.model.predict_proba_one(_with_text_names(x))

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Scalar | None:
        """Return the most probable class of a row; None before the first class was met."""
        return self.model.predict_one(_with_text_names(x))

    @property
    def n_scored(self) -> int:
        """Number of rows that were predicted before they were learned."""
        return self.model.n_scored

    @property
    def code_length(self) -> float:
        """Code length of the classes of these rows, each predicted from the rows before it, in nats."""
        return self.model.code_length

    @property
    def log_score(self) -> float:
        """Mean log probability of the classes of these rows, in nats; NaN before the first."""
        return self.model.log_score


def _with_text_names(row: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Return a row with names as text."""
    if not isinstance(row, Mapping) or all(type(name) is str for name in row):
        return row  # anything else is rejected by the model
    return {str(name): cell for name, cell in row.items()}
