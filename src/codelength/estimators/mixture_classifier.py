"""A classifier on a finite mixture whose clustering is chosen by how well it predicts the class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..mixture.candidates import (
    SELECTION,
    Candidate,
    MethodName,
    SelectionName,
    candidate_clusterings,
    selection_scores,
    spread_sizes,
)
from ..mixture.fixed_clustering import FixedClustering, class_as_column
from ..mixture.parameters import with_components
from ..rules import PriorLike, Scorer, evidence_rule, log_tables, pseudocounts
from ..table import Schema, encode
from ..table.target import target_column
from ..typing import CodeArray, FloatArray
from .base import TableEstimator
from .criteria import Training
from .validation import check_not_empty, class_array

LEAST_WEIGHT = 1e-12
"""Candidates that weigh less than this are left out of an average."""


@dataclass(frozen=True, eq=False, slots=True)
class ClassPredictor:
    """The class predicted through the cluster, from the counts of a clustered table.

    Attributes
    ----------
    counts : Counts
        Counts of the columns, the class last, within the clusters.
    scorer : Scorer
        Log probabilities of the clusters.
    class_probs : array of shape (n_components, n_classes)
        Probability of each class in each cluster.
    """

    counts: Counts
    scorer: Scorer
    class_probs: FloatArray

    @classmethod
    def of(cls, counts: Counts, prior: PriorLike) -> "ClassPredictor":
        """The predictor of some counts under a prior."""
        schema, spread = counts.schema, pseudocounts(prior, counts.schema)
        scorer = Scorer.of(schema, log_tables(counts, evidence_rule(counts, spread)))
        raised = (
            counts.of(schema.n_variables - 1)
            + spread.value_pseudocounts[:, schema.offsets[-2] : schema.offsets[-1] - 1]
        )
        return cls(counts, scorer, raised / raised.sum(axis=1, keepdims=True))

    def probs(self, codes: CodeArray) -> FloatArray:
        """Probability of each class for rows whose last cell is missing: equation (6)."""
        shares = np.exp(self.scorer.log_probs(codes)[0])
        probs = np.zeros((len(codes), self.class_probs.shape[1]))
        # Cluster by cluster, so that a row's figures do not depend on the rows beside it.
        for share, class_probs in zip(shares.T, self.class_probs, strict=True):
            probs += share[:, None] * class_probs
        return probs


class MixtureClassifier(ClassifierMixin, TableEstimator):
    """A finite mixture over features and class, chosen by how well it predicts the class.

    Clusterings of the training rows are the models to choose among. Within a cluster the columns, the class
    among them, are independent; the class of a new row is predicted through its cluster, which is summed
    out. The criterion that chooses looks at the class alone, in contrast to the evidence, which rewards the
    description of all columns [1]_.

    Sample weights are not supported, because a clustering puts whole rows in an order and into clusters.

    Parameters
    ----------
    criterion : str
        The code length, in nats, that chooses. Of the classes given the other cells, predicted row after
        row: ``"prequential"`` (mean over random orderings), ``"prequential_best"`` (least over them), or
        along a greedy ordering ``"best_first"``, ``"worst_last"``, ``"best_last"``, ``"worst_first"``, or one
        searched for, ``"best_ordering"`` (time quadratic in the number of rows); ``"leave_one_out"``; and of
        whole rows, for comparison, ``"evidence"`` (given the clustering) or ``"evidence_with_clustering"``.
    candidates : int
        How many clusterings to make.
    n_components : int or pair of int
        Least and largest number of clusters; candidates are spread over the range.
    n_orderings : int
        Random orderings, the same for all candidates; an even number is made of orderings and their
        reverses, whose mean varies less.
    average : bool
        Whether to average over candidates, weighted by the criterion, instead of keeping the best.
    clustering : {"both", "kmeans", "em"}
        How candidates are made: k-means on indicator columns, EM, or by turns.
    with_class : bool
        Whether the class takes part in the clustering as a column.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts of the clusters and of the values in each; the class is the last variable.
    missing, handle_unknown, numeric, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, RandomState or None
        Where the randomness comes from.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    selection_table_ : list of dict
        A row for each distinct candidate, the best first: its number, the ``method`` that made it,
        ``n_components``, every criterion computed in nats, and its ``weight`` in the prediction.
    n_components_ : int
        Number of clusters of the best candidate.
    schema_ : Schema
        The variables, their values, and how they were settled.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array of shape (n_features_in_,)
        Names of the variables, where the training table had names.

    References
    ----------
    .. [1] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.

    Examples
    --------
    >>> from codelength.estimators.mixture_classifier import MixtureClassifier
    >>> table = {"left": ["on", "on", "off", "off"] * 5, "right": ["on", "off", "on", "off"] * 5}
    >>> model = MixtureClassifier(candidates=4, n_components=(2, 5), random_state=0)
    >>> model = model.fit(table, ["same", "differ", "differ", "same"] * 5)
    >>> model.predict({"left": ["off"], "right": ["on"]}), model.n_components_
    (array(['differ'], dtype='<U6'), 4)
    """

    classes_: NDArray[Any]
    schema_: Schema
    selection_table_: list[dict[str, Any]]
    n_features_in_: int

    def __init__(
        self,
        criterion: SelectionName = "prequential",
        *,
        candidates: int = 40,
        n_components: int | tuple[int, int] = (3, 20),
        n_orderings: int = 10,
        average: bool = False,
        clustering: Literal["both", "kmeans", "em"] = "both",
        with_class: bool = True,
        prior: PriorLike = "uniform",
        missing: Literal["ignore", "value"] = "ignore",
        handle_unknown: Literal["ignore", "error"] = "ignore",
        numeric: Literal["auto", "discretize", "category", "error"] = "auto",
        schema: Schema | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.candidates = candidates
        self.n_components = n_components
        self.n_orderings = n_orderings
        self.average = average
        self.clustering = clustering
        self.with_class = with_class
        self.prior = prior
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.numeric = numeric
        self.schema = schema
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Cluster the rows in several ways and keep the clusterings that predict the class best.

        The result does not depend on the order of the rows.

        Parameters
        ----------
        X : data frame, array, or mapping of names to columns
            The rows.
        y : series or array
            The class of each row.
        """
        self._check_params()
        columns = as_columns(X)
        check_not_empty(columns)
        target = target_column(y)
        schema = self._settled_schema(columns, target)
        ready = X if isinstance(X, np.ndarray) else columns
        coded = encode(
            schema, ready, target, handle_unknown=self.handle_unknown, training=True, by_name=columns.named
        )
        wide, codes = class_as_column(_with_class_named(schema), coded)
        training = Training.of(codes, None)
        stream = self._stream()
        found = self._candidates(wide, training, [*stream, 0])
        scored = self._scored(wide, training, found, [*stream, 1])
        self._settle(schema, *self._chosen(found, scored), named=columns.named)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of several equally probable ones."""
        most_probable = np.argmax(self._probs(X), axis=1)
        return np.asarray(self.classes_[most_probable])

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class for each row, shape (n_rows, n_classes)."""
        return self._probs(X)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Log probability of each class for each row, in nats."""
        return np.asarray(np.log(self._probs(X)))

    @property
    def n_components_(self) -> int:
        """Number of clusters of the best candidate."""
        check_is_fitted(self, "selection_table_")
        return int(self.selection_table_[0]["n_components"])

    def _candidates(self, wide: Schema, training: Training, seed: list[int]) -> list[Candidate]:
        """Clusterings of the distinct rows, repeated as often as these occur."""
        methods: Sequence[MethodName] = ("kmeans", "em") if self.clustering == "both" else (self.clustering,)
        parts = [self.candidates // len(methods)] * len(methods)
        parts[0] += self.candidates - sum(parts)
        plan: list[tuple[MethodName, int]] = [
            (method, int(size))
            for method, part in zip(methods, parts, strict=True)
            for size in spread_sizes(part, *self._range())
        ]
        schema, codes = Schema(wide.variables), training.codes
        if not self.with_class:
            schema, codes = Schema(wide.variables[:-1]), np.asfortranarray(codes[:, :-1])
        found = candidate_clusterings(schema, codes, training.weights, plan, seed)
        times = training.weights.astype(np.int64)
        return [replace(candidate, labels=np.repeat(candidate.labels, times)) for candidate in found]

    def _scored(
        self, wide: Schema, training: Training, found: Sequence[Candidate], seed: list[int]
    ) -> list[tuple[dict[str, float | None], Counts]]:
        """Every candidate under the criteria, and its counts."""
        codes = training.repeated()
        scored = []
        for candidate in found:
            fixed = FixedClustering.of(wide, codes, candidate.labels, prior=self.prior)
            scores = selection_scores(fixed, self.n_orderings, self.criterion, seed)
            scored.append((scores, fixed.counts))
        return scored

    def _chosen(
        self, found: Sequence[Candidate], scored: Sequence[tuple[dict[str, float | None], Counts]]
    ) -> tuple[list[dict[str, Any]], list[Counts]]:
        """The table of candidates, the best first, and the counts of those that predict."""
        lengths = np.array([scores[self.criterion] for scores, _ in scored], dtype=np.float64)
        order = np.argsort(lengths, kind="stable")
        weights = _weights(lengths[order], self.average)
        table = [
            {
                "candidate": found[i].number,
                "method": found[i].method,
                "n_components": found[i].n_components,
                **scored[i][0],
                "weight": float(weight),
            }
            for i, weight in zip(order, weights, strict=True)
        ]
        return table, [scored[i][1] for i, weight in zip(order, weights, strict=True) if weight > 0]

    def _settle(
        self, schema: Schema, table: list[dict[str, Any]], kept: Sequence[Counts], named: bool
    ) -> Self:
        """Keep what was chosen and all that follows from it."""
        self._set_schema(schema, named)
        self.selection_table_ = table
        self.classes_ = class_array(schema.classes)
        weights = [row["weight"] for row in table if row["weight"] > 0]
        predictors = [ClassPredictor.of(counts, self.prior) for counts in kept]
        self._predictors = list(zip(weights, predictors, strict=True))
        return self

    def _probs(self, X: Any) -> FloatArray:
        own = self._encoded(X).codes
        schema = self._predictors[0][1].counts.schema
        codes = np.empty((len(own), schema.n_variables), dtype=schema.code_type, order="F")
        codes[:, :-1], codes[:, -1] = own, self.schema_.n_classes
        probs = np.zeros((len(own), self.schema_.n_classes))
        for weight, predictor in self._predictors:
            probs += weight * predictor.probs(codes)
        return np.asarray(probs / probs.sum(axis=1, keepdims=True))

    def _stream(self) -> list[int]:
        """Where the random streams begin: a number that stays, or one drawn afresh for every fit."""
        state = self.random_state
        if isinstance(state, (int, np.integer)) and state >= 0:
            return [int(state)]
        try:
            return [int(check_random_state(state).randint(2**31))]
        except ValueError:
            raise InvalidParameter(
                f"random_state={state!r}: expected a whole number of at least 0, a RandomState or None"
            ) from None

    def _range(self) -> tuple[int, int]:
        sizes = self.n_components
        return (sizes, sizes) if isinstance(sizes, (int, np.integer)) else (sizes[0], sizes[1])

    def _check_params(self) -> None:
        self._check_table_options()
        for name, known in (("criterion", SELECTION), ("clustering", ("both", "kmeans", "em"))):
            if getattr(self, name) not in known:
                raise InvalidParameter(
                    f"{name}={getattr(self, name)!r}: expected one of {', '.join(map(repr, known))}"
                )
        for name in ("candidates", "n_orderings"):
            if not _is_whole(getattr(self, name)):
                raise InvalidParameter(
                    f"{name}={getattr(self, name)!r}: expected a whole number of at least 1"
                )
        sizes = self.n_components
        pair = isinstance(sizes, (tuple, list)) and len(sizes) == 2 and all(map(_is_whole, sizes))
        if not (_is_whole(sizes) or pair) or self._range()[0] > self._range()[1]:
            raise InvalidParameter(
                f"n_components={sizes!r}: expected a whole number of at least 1, or the least and the "
                "largest one, such as (3, 20)"
            )

    def _content(self) -> dict[str, Any]:
        """What a model file keeps beside the parameters of the estimator."""
        return {
            "schema": self.schema_.to_json(),
            "selection": self.selection_table_,
            "counts": [predictor.counts.to_json() for _, predictor in self._predictors],
        }

    def _restore(self, content: Mapping[str, Any], named: bool) -> Self:
        """Take over what :meth:`_content` kept."""
        schema = Schema.from_json(content["schema"])
        table = [dict(row) for row in content["selection"]]
        _check_table(table)
        self._check_params()
        named_schema = _with_class_named(schema)
        if named_schema.target is None:
            raise DataError("the schema has no classes")
        wide = Schema((*schema.variables, named_schema.target))
        kept = [
            Counts.from_json(counts, with_components(wide, row["n_components"]))
            for row, counts in zip(table, content["counts"], strict=False)
        ]
        return self._settle(schema, table, kept, named)


def _weights(lengths: FloatArray, average: bool) -> FloatArray:
    """Weights of candidates sorted by their code lengths: those of the criterion, or all on the first."""
    if not average:
        return np.asarray(np.eye(1, len(lengths))[0])
    weights = np.exp(lengths[0] - lengths)
    weights[weights < LEAST_WEIGHT * weights.sum()] = 0.0
    return np.asarray(weights / weights.sum())


def _with_class_named(schema: Schema) -> Schema:
    """The schema with a name for the class that no variable has."""
    if schema.target is None or schema.target.name not in schema.names:
        return schema
    name = f"class of {schema.target.name}"
    while name in schema.names:
        name = f"class of {name}"
    return replace(schema, target=replace(schema.target, name=name))


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 1)


def _check_table(table: list[dict[str, Any]]) -> None:
    weights = np.array([row["weight"] for row in table], dtype=np.float64)
    if not len(table) or not (np.isfinite(weights).all() and (weights >= 0).all() and weights[0] > 0):
        raise DataError("the weights of the candidates are not what a fit leaves behind")
    if not np.isclose(weights.sum(), 1.0):
        raise DataError("the weights of the candidates do not add up to 1")
