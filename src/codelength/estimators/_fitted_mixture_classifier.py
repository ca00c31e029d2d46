"""Fitted mixture classifier: candidate clusterings, their scores and predictors.

Order of reading: :class:`FittedMixtureClassifier`: learning, predictions, findings, files; then the plan of
candidates, their order and weights, and checks of files. Depends on :mod:`codelength.mixture`
(clusterings and predictions) and :mod:`codelength.selection.clusterings` (scores).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._display import nats_and_bits
from ..blocks import Block, Facts, Grid, Paragraph
from ..counts import Counts
from ..decisions import first_best, ranked
from ..errors import DataError, InvalidParameter
from ..mixture.candidates import METHODS, Candidate, candidate_clusterings, spread_sizes
from ..mixture.fixed_clustering import ClusterPredictor, FixedClustering
from ..mixture.parameters import with_components
from ..mixture.prediction.hidden_class import HiddenClusters, with_classes
from ..naive_bayes import Distributions, Predictor, normalised
from ..naive_bayes.query import Answer, Known, Question, answer_by_tables
from ..selection.clusterings import selection_scores
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_whole_weights, seed_of
from ..table.coded import changed
from ..table.content import content_order
from ..typing import FloatArray
from ._fitted import Fitted

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
        return [
            Facts(
                [("clusters", str(self.table[0]["n_components"])), ("distinct candidates", str(len(table)))]
            ),
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
        shared = (with_components(wide, len(counts["class_counts"])) for counts in content["counts"])
        predictors = [
            ClusterPredictor.of(Counts.from_json(counts, own), prior)
            for counts, own in zip(content["counts"], shared, strict=True)
        ]
        hidden = None
        if rule is not None:
            hidden = HiddenClusters.from_json(content["hidden"], wide, rule, prior)
        return cls(**known, table=table, predictors=predictors, hidden=hidden)


def range_of(n_components: Any) -> tuple[int, int]:
    """Return the least and the largest number of clusters."""
    if isinstance(n_components, (tuple, list)):
        return n_components[0], n_components[1]
    return n_components, n_components


def plan_of(params: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the method and the number of clusters of each candidate."""
    methods = tuple(METHODS) if params["clustering"] == "both" else (params["clustering"],)
    parts = [params["candidates"] // len(methods)] * len(methods)
    # An odd number gives the first method one candidate more.
    parts[0] += params["candidates"] - sum(parts)
    return [
        (method, int(size))
        for method, part in zip(methods, parts, strict=True)
        for size in spread_sizes(part, *range_of(params["n_components"]))
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
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(float(value)))


def _in_words(criterion: str) -> str:
    return criterion.replace("_", " ")


def _least(table: Sequence[Mapping[str, Any]], criterion: str) -> str:
    """Return the candidate that a criterion would choose, with its code length; ties go to the first."""
    row = table[first_best([-float(row[criterion]) for row in table])]
    return f"candidate {row['candidate']}, {nats_and_bits(row[criterion])}"
