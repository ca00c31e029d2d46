"""A classifier on a finite mixture whose clustering is chosen by how well it predicts the class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin

from .._display import nats_and_bits
from ..blocks import Block, Facts, Grid, Paragraph
from ..counts import Counts
from ..decisions import first_best, ranked
from ..errors import DataError, InvalidParameter
from ..mixture.candidates import METHODS, Candidate, candidate_clusterings, spread_sizes
from ..mixture.fixed_clustering import ClusterPredictor, FixedClustering
from ..mixture.parameters import with_components
from ..mixture.prediction import MixtureRule
from ..naive_bayes import Distributions, Predictor, PriorLike, normalised
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Question, answer_by_tables
from ..selection.clusterings import SELECTION_CRITERIA, selection_scores
from ..table import Coded, Schema
from ..table._messages import shown
from ..table.checks import (
    check_choice,
    check_flag,
    check_random_state,
    check_size,
    check_whole_weights,
    seed_of,
)
from ..table.coded import changed
from ..table.content import content_order
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ._candidate_table import candidate_weights, check_candidates
from ._hidden_clusters import HiddenClusters, with_classes
from ._queries import JointModel, Known
from .contract import Fitted, TableClassifier
from .registry import register
from .validation import check_coded

COMPARED = ("prequential", "leave_one_out", "evidence")
"""Criteria that are shown beside the one that chooses."""

SHOWN = 10
"""Candidates in the summary."""

OPTIMISTIC = (
    "The code lengths are optimistic: the rows they are of chose among the candidates. "
    "Cross-validation is honest: codelength evaluate --model mixture-classifier, or codelength.evaluate."
)
"""What a reader of the candidates has to know."""

MOST_CANDIDATES, MOST_COMPONENTS = 100_000, 100_000
"""Most of each that can be asked for."""


@dataclass(frozen=True, eq=False)
class FittedMixtureClassifier(Fitted):
    """The candidates, the best first, and the predictors of those that have a weight.

    Attributes
    ----------
    table : list of dict
        One row per distinct candidate.
    predictors : list of ClusterPredictor
        Those of the first candidates, as many as have a weight.
    hidden : HiddenClusters, optional
        What predicts in their place where a rule is given.
    """

    table: list[dict[str, Any]]
    predictors: list[ClusterPredictor]
    hidden: HiddenClusters | None = None


@register
class MixtureClassifier(ClassifierMixin, JointModel, TableClassifier):
    """A finite mixture over features and class, chosen by how well it predicts the class.

    Clusterings of the training rows are the models to choose among. Within a cluster the columns, the class
    among them, are independent; the class of a new row is predicted through its cluster, which is summed
    out. The criterion that chooses looks at the class alone, in contrast to the evidence, which rewards the
    description of all columns [1]_.

    The scores of the candidates are those of the rows that chose among them, and therefore optimistic, those
    by leave-one-out too. How well the model predicts other rows is what :func:`codelength.evaluate` says,
    which clusters and chooses anew without the rows that are predicted.

    Sample weights are whole numbers, because a clustering puts whole rows in an order and into clusters.

    Parameters
    ----------
    criterion : str
        The code length, in nats, that chooses. Of the classes given the other cells, predicted row after
        row: ``"prequential"`` (mean over random orderings), ``"prequential_best"`` (least over them), or
        along a greedy ordering ``"best_first"``, ``"worst_last"``, ``"best_last"``, ``"worst_first"`` (time
        quadratic in the number of rows); ``"leave_one_out"``; and of whole rows, for comparison,
        ``"evidence"`` (given the clustering) or ``"evidence_with_clustering"``.
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
    rule : {"map", "evidence", "stochastic_complexity"}, optional
        How to predict with the clusters of all rows hidden, taking no more than their number, and a place
        to start at, from the best candidate: by the most probable mixture, by averaging over all
        clusterings (exactly for few rows, otherwise by Gibbs chains), or by the best fit to the data and
        the new row. By default the clusterings that were chosen predict.
    missing, handle_unknown, numeric, identifiers, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Where the randomness comes from. A number gives the same model every time.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    candidates_ : list of dict
        One row per distinct candidate, the best first: its number (from 1), the ``method`` that made it,
        ``n_components``, every criterion computed in nats, its ``weight`` in the prediction, and
        ``optimistic``, which is True: the rows that the criteria score are those that chose.
    n_components_ : int
        Number of clusters of the best candidate.
    schema_ : Schema
        The variables, their values, and how they were settled.
    n_features_in_ : int
        Number of variables.
    feature_names_in_ : array of shape (n_variables,)
        Names of the variables, where the training table had names.

    References
    ----------
    .. [1] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.

    Examples
    --------
    >>> from codelength import MixtureClassifier
    >>> table = {"left": ["on", "on", "off", "off"] * 5, "right": ["on", "off", "on", "off"] * 5}
    >>> model = MixtureClassifier(candidates=4, n_components=(2, 5), random_state=0)
    >>> model = model.fit(table, ["same", "differ", "differ", "same"] * 5)
    >>> model.predict({"left": ["off"], "right": ["on"]}), model.n_components_
    (array(['differ'], dtype='<U6'), 4)
    """

    kind = "mixture-classifier"
    capabilities = frozenset({"classes", "query", "weights"})

    def __init__(
        self,
        criterion: str = "prequential",
        *,
        candidates: int = 40,
        n_components: int | tuple[int, int] = (3, 20),
        n_orderings: int = 10,
        average: bool = False,
        clustering: Literal["both", "kmeans", "em"] = "both",
        with_class: bool = True,
        prior: PriorLike = "uniform",
        rule: MixtureRule | None = None,
        missing: Missing = "ignore",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "auto",
        identifiers: Identifiers = "ignore",
        strict: bool = False,
        schema: Schema | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.criterion = criterion
        self.candidates = candidates
        self.n_components = n_components
        self.n_orderings = n_orderings
        self.average = average
        self.clustering = clustering
        self.with_class = with_class
        self.prior = prior
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Cluster the rows in several ways and keep the clusterings that predict the class best.

        The result does not depend on the order of the rows and columns, nor on the names of columns,
        values and classes, unless some of these are interchangeable.

        Parameters
        ----------
        X, y
            As in :class:`codelength.NaiveBayes`.
        sample_weight : array of shape (n_rows,), optional
            Whole numbers: a weight of 2 counts as two equal rows, 0 as none. Other weights are refused,
            because candidates are compared by predicting rows one by one.
        """
        return self._fit(X, y, sample_weight)

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        fitted = self._fitted
        check_coded(coded, fitted.schema)
        if fitted.hidden is not None:
            return fitted.hidden.log_probs(coded)
        probs = np.zeros((coded.n_rows, fitted.schema.n_classes))
        for row, predictor in zip(fitted.table, fitted.predictors, strict=False):
            probs += row["weight"] * predictor.probs(coded)
        # Classes that tie exactly go to the first, as everywhere.
        return normalised(np.log(probs))

    def _answer(self, question: Question, known: Known) -> Answer:
        fitted = self._fitted
        wide = fitted.schema.with_class_as_variable()
        rows = with_classes(known.coded, wide, known.classes)
        own = Question.of(wide, question.names)
        if fitted.hidden is not None:
            return fitted.hidden.answered(own, rows)
        if len(fitted.predictors) > 1:
            raise InvalidParameter(
                "average=True: several clusterings predict the class, and have no joint distribution; fit "
                'with average=False, or with rule="evidence", which averages over all clusterings'
            )
        predictor = Predictor.of(fitted.predictors[0].counts, "evidence", fitted.params["prior"])
        log_weights = predictor.log_weights(own.blanked(rows))
        return answer_by_tables(own, predictor.counts.schema, log_weights, predictor.tables.value_table)

    @property
    def _fitted(self) -> FittedMixtureClassifier:
        state: FittedMixtureClassifier = super()._fitted
        return state

    @property
    def candidates_(self) -> list[dict[str, Any]]:
        """One row per distinct candidate, the best first; all scores are optimistic."""
        return [{**row, "optimistic": True} for row in self._fitted.table]

    @property
    def n_components_(self) -> int:
        """Number of clusters of the best candidate."""
        return int(self._fitted.table[0]["n_components"])

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedMixtureClassifier:
        check_whole_weights(coded.weights, self.kind)
        if not coded.n_rows:
            raise DataError(f"{self.kind}: there are no rows to make clusterings of; give some")
        rows = coded.with_class_as_column().distinct()
        content = content_order(rows)
        training = changed(rows.take(content.rows), is_distinct=True)
        seed = seed_of(self.random_state)
        # The class is the last variable.
        columns = content.variables[content.variables < coded.schema.n_variables + self.with_class]
        found = self._found(content.arranged(rows, columns), [seed, 0])
        fixed = [FixedClustering.of(training, candidate.labels, prior=self.prior) for candidate in found]
        scored = [
            selection_scores(clustering, self.n_orderings, self.criterion, [seed, 1]) for clustering in fixed
        ]
        order, table = self._ranked(found, scored)
        predictors = [fixed[i].predictor for i, row in zip(order, table, strict=True) if row["weight"] > 0]
        hidden = None
        if self.rule is not None:
            hidden = HiddenClusters.of(training, found[order[0]].labels, self.rule, self.prior, seed)
        return FittedMixtureClassifier(**vars(fitted), table=table, predictors=predictors, hidden=hidden)

    def _found(self, rows: Coded, seed: list[int]) -> list[Candidate]:
        """Clusterings of the distinct rows."""
        methods = tuple(METHODS) if self.clustering == "both" else (self.clustering,)
        parts = [self.candidates // len(methods)] * len(methods)
        parts[0] += self.candidates - sum(parts)
        plan = [
            (method, int(size))
            for method, part in zip(methods, parts, strict=True)
            for size in spread_sizes(part, *self._range())
        ]
        return candidate_clusterings(rows, plan, seed)

    def _ranked(
        self, found: Sequence[Candidate], scored: Sequence[dict[str, float | None]]
    ) -> tuple[list[int], list[dict[str, Any]]]:
        """The candidates, the best first, and one row of the table for each."""
        lengths = np.array([scores[self.criterion] for scores in scored], dtype=np.float64)
        order = ranked(-lengths).tolist()
        weights = candidate_weights(lengths[order], self.average)
        table = [
            {
                "candidate": found[i].number,
                "method": found[i].method,
                "n_components": found[i].n_components,
                **scored[i],
                "weight": float(weight),
            }
            for i, weight in zip(order, weights, strict=True)
        ]
        return order, table

    def _range(self) -> tuple[int, int]:
        sizes = self.n_components
        return (sizes[0], sizes[1]) if isinstance(sizes, (tuple, list)) else (sizes, sizes)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("criterion", self.criterion, SELECTION_CRITERIA)
        check_choice("clustering", self.clustering, ("both", *METHODS))
        check_size("candidates", self.candidates, MOST_CANDIDATES)
        check_size("n_orderings", self.n_orderings)
        check_flag("average", self.average)
        check_flag("with_class", self.with_class)
        if self.rule is not None:
            check_choice("rule", self.rule, MixtureRule)
            if self.average:
                raise InvalidParameter(
                    f"rule={self.rule!r}: predicts with the clusters hidden, so there are no candidates to "
                    "average over; leave rule or average out"
                )
        check_random_state(self.random_state)
        sizes = self.n_components
        also = ", or the least and the largest one, such as (3, 20)"
        for size in sizes if isinstance(sizes, (tuple, list)) and len(sizes) == 2 else (sizes,):
            check_size("n_components", size, MOST_COMPONENTS, also=also)
        if self._range()[0] > self._range()[1]:
            raise InvalidParameter(
                f"n_components={shown(sizes)}: expected a whole number of at least 1{also}"
            )

    def _findings(self) -> list[Block]:
        fitted = self._fitted
        criterion, table = fitted.params["criterion"], fitted.table
        # Few enough for a narrow terminal; the document has them all.
        shown = list(dict.fromkeys((criterion, *COMPARED)))
        averaged = fitted.params["average"]
        rows = [
            [
                str(row["candidate"]),
                row["method"],
                str(row["n_components"]),
                *(f"{row[name]:.1f}" for name in shown),
                *([f"{row['weight']:.3f}"] if averaged else []),
            ]
            for row in table[:SHOWN]
        ]
        names = ["number", "method", "clusters", *map(_in_words, shown), *(["weight"] if averaged else [])]
        title = f"optimistic code lengths in nats (1.44 bits each), best by {_in_words(criterion)} first"
        classes = ", ".join(str(label) for label in fitted.schema.classes)
        return [
            Facts([("clusters", str(self.n_components_)), ("distinct candidates", str(len(table)))]),
            Facts([("classes", classes)]),
            Grid(title, names, rows, n_text=2),
            Facts([(f"shortest {_in_words(name)}", _least(table, name)) for name in shown]),
            Paragraph(OPTIMISTIC),
        ]

    def _findings_document(self) -> dict[str, Any]:
        return {"components": self.n_components_, "candidates": self.candidates_, "note": OPTIMISTIC}

    def _content(self) -> dict[str, Any]:
        fitted = self._fitted
        return {
            "candidates": fitted.table,
            "counts": [predictor.counts.to_json() for predictor in fitted.predictors],
            **({} if fitted.hidden is None else {"hidden": fitted.hidden.to_json()}),
        }

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedMixtureClassifier:
        table = [dict(row) for row in content["candidates"]]
        check_candidates(table, content["counts"], (fitted.params["criterion"], *COMPARED))
        wide = fitted.schema.with_class_as_variable()
        predictors = [
            ClusterPredictor.of(
                Counts.from_json(counts, with_components(wide, len(counts["class_counts"]))),
                fitted.params["prior"],
            )
            for counts in content["counts"]
        ]
        hidden, rule = None, fitted.params["rule"]
        if rule is not None:
            hidden = HiddenClusters.from_json(content["hidden"], wide, rule, fitted.params["prior"])
        return FittedMixtureClassifier(**vars(fitted), table=table, predictors=predictors, hidden=hidden)


def _in_words(criterion: str) -> str:
    return criterion.replace("_", " ")


def _least(table: Sequence[Mapping[str, Any]], criterion: str) -> str:
    """The candidate that a criterion would choose: the first of several."""
    row = table[first_best([-float(row[criterion]) for row in table])]
    return f"candidate {row['candidate']}, {nats_and_bits(row[criterion])}"
