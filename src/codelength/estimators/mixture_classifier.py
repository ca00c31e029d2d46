"""A classifier on a finite mixture whose clustering is chosen by how well it predicts the class.

Order of reading: :class:`FittedMixtureClassifier`: learning, predictions, findings, files;
:class:`MixtureClassifier`, its parameters; then the plan of candidates, their order and weights, and checks
of files. Depends on :mod:`codelength.mixture` (clusterings and predictions) and
:mod:`codelength.selection.clusterings` (scores).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np

from .._display import nats_and_bits
from ..blocks import Block, Facts, Grid, Paragraph
from ..counts import Counts
from ..decisions import first_best, ranked
from ..errors import DataError, InvalidParameter
from ..mixture.candidates import METHODS, Candidate, candidate_clusterings, spread_sizes
from ..mixture.fixed_clustering import ClusterPredictor, FixedClustering
from ..mixture.parameters import with_components
from ..mixture.prediction import MixtureRule
from ..mixture.prediction.predict import HiddenClusters, with_classes
from ..naive_bayes import Distributions, Predictor, PriorLike, normalised
from ..naive_bayes.query import Answer, Known, Question, answer_by_tables
from ..selection.clusterings import SELECTION_CRITERIA, selection_scores
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_choice, check_size, check_whole_weights, seed_of
from ..table.coded import changed
from ..table.content import content_order
from ..typing import FloatArray
from ._fitted import Fitted
from .classifier import TableClassifier
from .registry import register

MAX_CANDIDATES, MAX_COMPONENTS = 100_000, 100_000
"""Largest values of ``candidates`` and ``n_components``."""

LEAST_WEIGHT = 1e-12
"""Smallest weight of a candidate in an average, relative to all; files keep the counts of the others out."""

COMPARED = ("prequential", "leave_one_out", "evidence")
"""Criteria that summaries show in addition to the one that chooses."""

SHOWN = 10
"""Candidates in the summary."""

OPTIMISTIC = (
    "The code lengths are optimistic: the rows they are of chose among the candidates. "
    "Cross-validation is honest: codelength evaluate --model mixture-classifier, or codelength.evaluate."
)
"""Note for readers of the candidates."""


@dataclass(frozen=True, eq=False)
class FittedMixtureClassifier(Fitted):
    """Candidates, the best first, and predictors of those with a positive weight.

    Attributes
    ----------
    table : list of dict
        One row per distinct candidate.
    predictors : list of ClusterPredictor
        Predictors of the first candidates: those with a positive weight.
    hidden : HiddenClusters, optional
        Predictor with hidden clusters, used instead of these if a rule is given.
    """

    table: list[dict[str, Any]]
    predictors: list[ClusterPredictor]
    hidden: HiddenClusters | None = None

    kind = "mixture-classifier"

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        check_whole_weights(coded.weights, cls.kind)
        if not coded.n_rows:
            raise DataError(f"{cls.kind}: there are no rows to make clusterings of; give some")
        rows = coded.with_class_as_column().distinct()
        # Clusterings start from random rows: an order by content makes them independent of that of the table.
        content = content_order(rows)
        training = changed(rows.take(content.rows), is_distinct=True)
        seed, prior, rule = seed_of(params["random_state"]), params["prior"], params["rule"]
        # The class is the last variable, so with_class=False cuts it off.
        columns = content.variables[content.variables < coded.schema.n_variables + params["with_class"]]
        found = candidate_clusterings(content.arranged(rows, columns), plan_of(params), [seed, 0])
        fixed = [FixedClustering.of(training, candidate.labels, prior=prior) for candidate in found]
        # A stream of its own: more candidates do not change the orderings that all are scored on.
        options = params["n_orderings"], params["criterion"], [seed, 1]
        scored = [selection_scores(clustering, *options) for clustering in fixed]
        order, table = ranked_candidates(params, found, scored)
        predictors = [fixed[i].predictor for i, row in zip(order, table, strict=True) if row["weight"] > 0]
        hidden = None
        if rule is not None:
            hidden = HiddenClusters.of(training, found[order[0]].labels, rule, prior, seed)
        return cls(params, coded.schema, named, table=table, predictors=predictors, hidden=hidden)

    def log_probs(self, coded: Coded) -> Distributions:
        # A rule sums over clusterings itself, so the candidates give it no more than a start.
        if self.hidden is not None:
            return self.hidden.log_probs(coded)
        probs = np.zeros((coded.n_rows, self.schema.n_classes))
        for row, predictor in zip(self.table, self.predictors, strict=False):
            probs += row["weight"] * predictor.probs(coded)
        # Normalised in logs as in other models, so that ties go to the first class here too.
        return normalised(np.log(probs))

    def answer(self, question: Question, known: Known) -> Answer:
        """Answer a question about several variables."""
        wide = self.schema.with_class_as_variable()
        rows = with_classes(known.coded, wide, known.classes)
        own = Question.of(wide, question.names)
        if self.hidden is not None:
            return self.hidden.answered(own, rows)
        # Each clustering has a joint distribution, but the weights are those of predictions of the class.
        if len(self.predictors) > 1:
            raise InvalidParameter(
                "average=True: several clusterings predict the class, and have no joint distribution; fit "
                'with average=False, or with rule="evidence", which averages over all clusterings'
            )
        predictor = Predictor.of(self.predictors[0].counts, "evidence", self.params["prior"])
        log_weights = predictor.log_weights(own.blanked(rows))
        return answer_by_tables(own, predictor.counts.schema, log_weights, predictor.tables.value_table)

    def candidate_rows(self) -> list[dict[str, Any]]:
        """Return one row per distinct candidate, the best first; all scores are optimistic."""
        return [{**row, "optimistic": True} for row in self.table]

    def findings(self) -> list[Block]:
        criterion, table = self.params["criterion"], self.table
        # Few columns, for a narrow terminal; the document has all criteria.
        shown = list(dict.fromkeys((criterion, *COMPARED)))
        averaged = self.params["average"]
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
        classes = ", ".join(str(label) for label in self.schema.classes)
        sizes = [("clusters", str(table[0]["n_components"])), ("distinct candidates", str(len(table)))]
        return [
            Facts(sizes),
            Facts([("classes", classes)]),
            Grid(title, names, rows, n_text=2),
            Facts([(f"shortest {_in_words(name)}", _least(table, name)) for name in shown]),
            Paragraph(OPTIMISTIC),
        ]

    def findings_document(self) -> dict[str, Any]:
        return {
            "components": self.table[0]["n_components"],
            "candidates": self.candidate_rows(),
            "note": OPTIMISTIC,
        }

    def content(self) -> dict[str, Any]:
        return {
            "candidates": self.table,
            "counts": [predictor.counts.to_json() for predictor in self.predictors],
            **({} if self.hidden is None else {"hidden": self.hidden.to_json()}),
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        params, schema = known["params"], known["schema"]
        # Checked first: weights and predictors are paired by place below.
        table = [dict(row) for row in content["candidates"]]
        check_candidates(table, content["counts"], (params["criterion"], *COMPARED))
        wide, prior, rule = schema.with_class_as_variable(), params["prior"], params["rule"]
        schemas = [with_components(wide, row["n_components"]) for row in table]
        pairs = zip(content["counts"], schemas, strict=False)
        predictors = [ClusterPredictor.of(Counts.from_json(one, own), prior) for one, own in pairs]
        hidden = None if rule is None else HiddenClusters.from_json(content["hidden"], wide, rule, prior)
        return cls(**known, table=table, predictors=predictors, hidden=hidden)


@register
@dataclass(eq=False, repr=False)
class MixtureClassifier(TableClassifier):
    """A finite mixture over features and class, chosen by how well it predicts the class.

    Clusterings of the training rows are the models to choose among. Within a cluster the columns, the class
    among them, are independent; the class of a new row is predicted through its cluster, which is summed
    out. The criterion that chooses looks at the class alone, in contrast to the evidence, which rewards the
    description of all columns [1]_.

    The scores of the candidates are those of the rows that chose among them, and therefore optimistic, those
    by leave-one-out too. Use :func:`codelength.evaluate` to estimate how well the model predicts other rows:
    it clusters and chooses anew without the rows that are predicted.

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
        Number of clusterings to make.
    n_components : int or pair of int
        Least and largest number of clusters; candidates are spread over the range.
    n_orderings : int
        Random orderings, the same for all candidates; an even number is made of orderings and their
        reverses, whose mean varies less.
    average : bool
        Average over candidates, weighted by the criterion, instead of keeping the best.
    clustering : {"both", "kmeans", "em"}
        Method that makes candidates: k-means on indicator columns, EM, or both by turns.
    with_class : bool
        Use the class as a column of the clustering.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts of the clusters and of the values in each; the class is the last variable.
    rule : {"map", "evidence", "stochastic_complexity"}, optional
        Predict with the clusters of all rows hidden, given only their number and a start from the best
        candidate: by the most probable mixture, by averaging over all clusterings (exactly for few rows,
        otherwise by Gibbs chains), or by the best fit to the data and the new row. By default the clusterings
        that were chosen predict.
    missing, handle_unknown, numeric, identifiers, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Source of randomness. A number gives the same model every time.

    Attributes
    ----------
    candidates_, n_components_
        The clusterings that were compared; see the properties of these names.
    classes_, schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`.

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

    _fitted_type = FittedMixtureClassifier
    _fitted: ClassVar[FittedMixtureClassifier]

    criterion: str = "prequential"
    _: KW_ONLY
    candidates: int = 40
    n_components: int | tuple[int, int] = (3, 20)
    n_orderings: int = 10
    average: bool = False
    clustering: str = "both"
    with_class: bool = True
    prior: PriorLike = "uniform"
    rule: MixtureRule | None = None
    random_state: Any = 0

    @property
    def candidates_(self) -> list[dict[str, Any]]:
        """One row per distinct candidate, the best first.

        Its number (from 1), the ``method`` that made it, ``n_components``, every criterion computed in nats,
        its ``weight`` in the prediction, and ``optimistic``, which is True: the rows that the criteria score
        are those that chose.
        """
        return self._fitted.candidate_rows()

    @property
    def n_components_(self) -> int:
        """Number of clusters of the best candidate."""
        return int(self._fitted.table[0]["n_components"])

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("criterion", self.criterion, SELECTION_CRITERIA)
        check_choice("clustering", self.clustering, ("both", *METHODS))
        check_size("candidates", self.candidates, MAX_CANDIDATES)
        check_size("n_orderings", self.n_orderings)
        if self.rule is not None:
            # A rule sums over clusterings itself; candidates only give it a start.
            check_choice("rule", self.rule, MixtureRule)
            if self.average:
                raise InvalidParameter(
                    f"rule={self.rule!r}: predicts with the clusters hidden, so there are no candidates to "
                    "average over; leave rule or average out"
                )
        # Each bound by itself, and then their order, so that the message is about the one that is wrong.
        sizes = self.n_components
        also = ", or the least and the largest one, such as (3, 20)"
        for size in sizes if isinstance(sizes, (tuple, list)) and len(sizes) == 2 else (sizes,):
            check_size("n_components", size, MAX_COMPONENTS, also=also)
        if range_of(sizes)[0] > range_of(sizes)[1]:
            raise InvalidParameter(
                f"n_components={shown(sizes)}: expected a whole number of at least 1{also}"
            )


def range_of(n_components: Any) -> tuple[int, int]:
    """Return the least and the largest number of clusters."""
    if isinstance(n_components, (tuple, list)):
        return n_components[0], n_components[1]
    return n_components, n_components


def plan_of(params: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the method and the number of clusters of each candidate."""
    methods = tuple(METHODS) if params["clustering"] == "both" else (params["clustering"],)
    # An odd number gives the first method one candidate more.
    parts = np.array_split(np.arange(params["candidates"]), len(methods))
    return [
        (method, int(size))
        for method, part in zip(methods, parts, strict=True)
        for size in spread_sizes(len(part), *range_of(params["n_components"]))
    ]


def ranked_candidates(
    params: Mapping[str, Any], found: Sequence[Candidate], scored: Sequence[Mapping[str, float | None]]
) -> tuple[list[int], list[dict[str, Any]]]:
    """Return the places of the candidates, the best first, and one row of the table for each.

    ``scored`` has the code length of each candidate by criterion, in nats.
    """
    criterion = params["criterion"]
    lengths = np.array([scores[criterion] for scores in scored], dtype=np.float64)
    # Code lengths that differ by rounding only are ties, which keep the order of the candidates.
    order = ranked(-lengths).tolist()
    weights = candidate_weights(lengths[order], params["average"])
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


def candidate_weights(lengths: FloatArray, average: bool) -> FloatArray:
    """Return weights of candidates by their code lengths, the shortest first, or all on the first."""
    if not average:
        return np.asarray(np.eye(1, len(lengths))[0])
    # Relative to the shortest: exp of a code length of a thousand nats is zero.
    weights = np.exp(lengths[0] - lengths)
    # Exactly zero, because predictors are made for positive weights only.
    weights[weights < LEAST_WEIGHT * weights.sum()] = 0.0
    return np.asarray(weights / weights.sum())


def check_candidates(table: list[dict[str, Any]], counts: Sequence[Any], scores: Sequence[str]) -> None:
    """Raise DataError if a table of candidates from a file is not valid, or counts do not match it.

    Each row has all of ``scores``, and ``counts`` are those of the candidates with a positive weight.
    """
    for row in table:
        named = {name: row[name] for name in ("candidate", "n_components", *scores)}
        numbers = {name: value for name, value in row.items() if name not in ("method", "prequential_se")}
        if not all(map(_is_number, (named | numbers).values())) or row["method"] not in METHODS:
            raise DataError(f"candidate {shown(row['candidate'])}: is not what a fit leaves behind")
    weights = np.array([row["weight"] for row in table], dtype=np.float64)
    # Up to rounding: normalised weights do not add up to exactly 1.
    if not len(table) or (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise DataError("the weights of the candidates do not add up to 1")
    n_components = [row["n_components"] for row in table[: np.count_nonzero(weights)]]
    if n_components != [len(own["class_counts"]) for own in counts] or not weights[: len(counts)].all():
        raise DataError("the counts are not those of the candidates that have a weight")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and bool(np.isfinite(float(value)))


def _in_words(criterion: str) -> str:
    return criterion.replace("_", " ")


def _least(table: Sequence[Mapping[str, Any]], criterion: str) -> str:
    """Return the candidate that a criterion would choose, with its code length; ties go to the first."""
    row = table[first_best([-float(row[criterion]) for row in table])]
    return f"candidate {row['candidate']}, {nats_and_bits(row[criterion])}"
