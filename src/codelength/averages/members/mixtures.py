r"""Finite mixtures with fixed clusterings, averaged over clusterings.

A clustering of the training rows, with the class as one of their columns, is a model: within a cluster all
columns are independent, and the class of a new row is predicted through its cluster, which is summed out,

.. math:: P(c \mid u) = \sum_k P(k \mid u)\, P(c \mid k).

Clusterings are found by k-means and by EM. The number of clusters is doubled as long as predictions of the
class improve. Each method and number has a weight proportional to the probability of the classes of held-out
rows: predictions of the class count, not the description of all columns. Runs differ by chance only, so the
predictions of several runs are averaged.

Within a cluster each variable has one pseudocount and the class has a fifth, divided in proportion to the
frequencies in all rows.

Held-out predictions are by cross-validation: rows are dealt into five folds, and clustered without each. They
are a little pessimistic, since clusters are made from four fifths of the rows and runs are not averaged.
Leaving a row out of the cluster that it helped to form would be optimistic. If variables have to be selected,
they are selected without each fold, too.

Rows, columns, values and classes are clustered in canonical order (:mod:`codelength.averages.content`), so
that results do not depend on the order of the table.

Order of reading: :meth:`Mixtures.fit`, ``_Rows`` (rows to cluster), ``_kinds`` (methods and numbers of
clusters, with held-out scores), ``_shares`` (their weights), :meth:`Mixtures.log_probs`, then files. Depends
on :mod:`codelength.mixture.candidates` and :mod:`codelength.mixture.fixed_clustering`.

References
----------
Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in supervised learning
of mixture models. AISTATS.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..._packing import packed, unpacked
from ..._threads import check_interrupted
from ...counts import Counts
from ...decisions import is_better
from ...errors import DataError
from ...mixture.candidates import METHODS
from ...mixture.clusterings import clustering_counts
from ...mixture.fixed_clustering import ClusterPredictor
from ...mixture.parameters import with_components
from ...naive_bayes import Prior
from ...table import Coded, Schema
from ...table.coded import changed
from ...typing import FloatArray, IntArray
from ..content import arrange, shuffled
from ..draws import drawn
from ..factors import ranking_of
from ..folds import folds_of
from ..member import Learned, Member, normalised
from ..training import Training
from ..views import View, Views

SIZES = (4, 8, 16, 32, 64)
"""Numbers of clusters."""

VALUE_STRENGTH, CLASS_STRENGTH = 1.0, 0.2
"""Pseudocounts of each variable, and of the class, within a cluster."""

N_RUNS = 4
"""Number of runs that are averaged per kind of clustering."""

LEAST_WEIGHT = 0.03
"""Smallest weight of a kind of clustering relative to the best; others are left out."""

MOST_VARIABLES = 100
"""Largest number of variables; those with the most information about the class take part."""

MOST_ROWS, MOST_CELLS = 2_000, 60_000
"""Largest number of rows and of cells to cluster; if there are more, copies of rows are drawn at random."""


@dataclass(frozen=True, eq=False)
class Mixtures(Member):
    """Finite mixtures, averaged over clusterings; see the module for details.

    Attributes
    ----------
    views : Views
        Views of the table that the member uses.
    log_prior : array of shape (n_classes,)
        Log prior probability of each class.
    variables : array of int
        Variables of the views that take part, in the coarse view.
    weights : array of shape (n_clusterings,)
        Weight of each clustering.
    clusterings : tuple of Counts
        Counts of the values, and last of the classes, within the clusters of each clustering.
    """

    name: ClassVar[str] = "mixtures"
    title: ClassVar[str] = "finite mixtures, averaged over clusterings"

    views: Views
    log_prior: FloatArray
    variables: IntArray
    weights: FloatArray
    clusterings: tuple[Counts, ...]

    @classmethod
    def fit(cls, training: Training) -> Learned[Self]:
        """Cluster the training rows in several ways; see :class:`~codelength.averages.member.Member`."""
        n_variables = min(training.views.n_variables, MOST_VARIABLES)
        draw = drawn(training, cls.name, max(50, min(MOST_ROWS, MOST_CELLS // n_variables)))
        if len(draw.rows) == training.n_rows:
            return cls._clustered(training)
        # Variables are selected by the rows that are clustered, so that the others are held out completely.
        part = changed(training.rows.take(draw.rows), weights=draw.weights, is_distinct=True)
        learned = cls._clustered(replace(training, coded=part, sample=np.arange(part.n_rows)))
        member = replace(learned.member, log_prior=training.log_prior)
        new = member.log_probs(training.rows)
        return Learned(member, draw.held_out(training, learned.held_out, new))

    @classmethod
    def _clustered(cls, training: Training) -> Learned[Self]:
        """Cluster all rows of ``training``."""
        if training.views.n_variables <= MOST_VARIABLES:
            variables = np.arange(training.views.n_variables)
            in_folds = [variables] * len(folds_of(training))
        else:
            variables = np.sort(ranking_of(training)[:MOST_VARIABLES])
            in_folds = [np.sort(fold.ranking[:MOST_VARIABLES]) for fold in folds_of(training)]
        rows = _Rows.of(training, variables)
        kinds = list(_kinds(training, in_folds))
        shares = _shares(np.array([kind.score for kind in kinds]))
        weights, clusterings = [], []
        for share, kind in zip(shares.tolist(), kinds, strict=True):
            for run in range(N_RUNS if share > 0.0 else 0):
                weights.append(share / N_RUNS)
                clusterings.append(rows.clustered(kind.method, kind.size, run))
        member = cls(training.views, training.log_prior, variables, np.array(weights), tuple(clusterings))
        return Learned(member, _left_out(kinds, training))

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        codes = self.views.coarse(coded)[:, self.variables]
        rows = _coded(_schema(self.views, self.variables, len(self.log_prior)), codes)
        probs = np.zeros((coded.n_rows, len(self.log_prior)))
        for weight, counts in zip(self.weights.tolist(), self.clusterings, strict=True):
            probs += weight * _predictor(counts).probs(rows)
        return normalised(np.log(probs))

    def to_json(self) -> dict[str, Any]:
        """Return the content of the model file, without the views, as JSON types."""
        return {
            "variables": packed(self.variables.astype(np.int32)),
            "weights": packed(self.weights),
            "clusterings": [
                {"class_counts": packed(counts.class_counts), "value_counts": packed(counts.value_counts)}
                for counts in self.clusterings
            ],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any], views: Views, log_prior: FloatArray) -> Self:
        """Restore the member that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        variables = unpacked(document["variables"], (None,), low=0, high=views.n_variables - 1)
        if not len(variables) or (np.diff(variables) <= 0).any():
            raise DataError("the variables of a mixture are not in the order of the schema")
        schema = _schema(views, variables.astype(np.int64), len(log_prior))
        clusterings = tuple(_restored(part, schema) for part in document["clusterings"])
        weights = unpacked(document["weights"], (len(clusterings),), low=0.0, high=1.0).astype(np.float64)
        if not np.isclose(weights.sum(), 1.0):
            raise DataError("the weights of clusterings do not add up to 1")
        return cls(views, log_prior, variables.astype(np.int64), weights, clusterings)


class _Kind(NamedTuple):
    """A method and a number of clusters, with their held-out predictions."""

    method: str
    size: int
    held_out: FloatArray
    score: float


class _Rows(NamedTuple):
    """Rows to cluster, the class as the last column.

    Attributes
    ----------
    training : Training
        Training rows.
    variables : array of int
        Variables that take part.
    coded : Coded
        The rows in an order that depends on their content only.
    canonical : Coded
        The same with columns, values and classes in canonical order; these rows are clustered.
    """

    training: Training
    variables: IntArray
    coded: Coded
    canonical: Coded

    @classmethod
    def of(cls, training: Training, variables: IntArray) -> "_Rows":
        """Arrange training rows for clustering."""
        views = training.views
        order = shuffled(training, Mixtures.name)
        codes, labels = training.coarse[order], training.labels[order]
        weights = training.weights[order]
        coded = _coded(_schema(views, variables, training.n_classes), codes[:, variables], labels)
        arranged = arrange(training)
        for j, fine_order in enumerate(arranged.values):
            codes[:, j] = _coarse_places(views.columns[j], fine_order)[codes[:, j]]
        # Only the canonical table is clustered; counts are then taken from the original columns.
        in_order = arranged.variables[np.isin(arranged.variables, variables)]
        schema = _schema(views, in_order, training.n_classes)
        canonical = _coded(schema, codes[:, in_order], _places(arranged.classes)[labels])
        return cls(training, variables, changed(coded, weights=weights), changed(canonical, weights=weights))

    def clustered(self, method: str, size: int, run: int) -> Counts:
        """Return counts within the clusters of one run."""
        check_interrupted()
        name = f"{Mixtures.name} {method} {size} {run}"
        seed = np.random.SeedSequence(int(self.training.generator(name).integers(2**63)))
        found = METHODS[method](self.canonical)(min(size, self.coded.n_rows), seed)
        # Empty clusters are dropped.
        used, labels = np.unique(found, return_inverse=True)
        return clustering_counts(with_components(self.coded, len(used)), labels)


def _kinds(training: Training, in_folds: Sequence[IntArray]) -> Iterator[_Kind]:
    """Yield kinds of clusterings; numbers of clusters are doubled until the class is predicted worse.

    Parameters
    ----------
    training : Training
        Rows of the table.
    in_folds : sequence of array of int
        Variables that take part without each fold.
    """
    folds = folds_of(training)
    others = [_Rows.of(fold.others, variables) for fold, variables in zip(folds, in_folds, strict=True)]
    for method in METHODS:
        best = -np.inf
        for size in SIZES:
            held_out = np.zeros((training.n_rows, training.n_classes))
            for k, (fold, rows) in enumerate(zip(folds, others, strict=True)):
                # Runs from N_RUNS on: seeds of the folds differ from those of the runs on all rows.
                predictor = _predictor(rows.clustered(method, size, N_RUNS + k))
                new = _coded(rows.coded.schema, training.coarse[np.ix_(fold.rows, rows.variables)])
                held_out[fold.rows] += fold.shares[fold.rows, None] * predictor.probs(new)
            score = training.log_score(np.log(held_out))
            yield _Kind(method, size, held_out, score)
            # Worse by more than rounding; a tie continues with more clusters.
            if is_better(best, score):
                break
            best = score


def _shares(scores: FloatArray) -> FloatArray:
    """Return weights of kinds from their scores, along the first axis."""
    shares = np.exp(scores - scores.max(axis=0))
    shares = np.where(shares < LEAST_WEIGHT, 0.0, shares)
    return np.asarray(shares / shares.sum(axis=0))


def _left_out(kinds: Sequence[_Kind], training: Training) -> FloatArray:
    """Return held-out predictions of the average, with weights without the score of the row itself."""
    held_out = np.array([kind.held_out for kind in kinds])
    own = np.log(held_out[:, np.arange(training.n_rows), training.labels])
    scores = np.array([kind.score for kind in kinds])[:, None] - training.copy_weights * own
    return normalised(np.log(np.einsum("kn,knc->nc", _shares(scores), held_out)))


def _places(order: IntArray) -> IntArray:
    """Return the rank of each integer by its first place in ``order``; -1 remains -1."""
    _, firsts = np.unique(order, return_index=True)
    return np.append(np.argsort(np.argsort(firsts)), -1)


def _coarse_places(view: View, fine_order: IntArray) -> IntArray:
    """Return ranks of the coarse values of a variable, from an order of the fine ones; -1 remains -1."""
    coarse = np.zeros(view.n_fine, dtype=np.int64)
    known = view.fine >= 0
    coarse[view.fine[known]] = view.coarse[known]
    return _places(coarse[fine_order])


def _predictor(counts: Counts) -> ClusterPredictor:
    """Return the predictor of a clustering, with pseudocounts in proportion to the frequencies."""
    schema, spread = counts.schema, []
    totals = counts.value_counts.sum(axis=0)
    for i in range(schema.n_variables):
        # Pseudocounts in proportion to overall frequencies; one half keeps unseen values possible.
        seen = totals[schema.offsets[i] : schema.offsets[i + 1] - 1] + 0.5
        strength = CLASS_STRENGTH if i == schema.n_variables - 1 else VALUE_STRENGTH
        spread.append((strength * seen / seen.sum()).tolist())
    return ClusterPredictor.of(counts, Prior(1.0, spread))


def _schema(views: Views, variables: IntArray, n_classes: int) -> Schema:
    """Return the schema of the rows to cluster, with the class as last variable."""
    return Schema.from_sizes([*views.n_coarse[variables].tolist(), n_classes])


def _coded(schema: Schema, codes: IntArray, labels: IntArray | None = None) -> Coded:
    """Return coded rows with the class as last column."""
    n_values = schema.n_values
    # Codes without information are missing, and so are the classes of new rows.
    classes = np.full(len(codes), n_values[-1]) if labels is None else labels
    return Coded.of(schema, np.column_stack([np.where(codes < 0, n_values[:-1], codes), classes]))


def _restored(document: Mapping[str, Any], schema: Schema) -> Counts:
    """Restore the counts of a clustering; raise DataError if they are not valid."""
    class_counts = unpacked(document["class_counts"], (None,), low=0.0)
    if not 1 <= len(class_counts) <= SIZES[-1]:
        raise DataError(f"{len(class_counts)} clusters are not as many as a fit makes")
    value_counts = unpacked(document["value_counts"], (len(class_counts), None), low=0.0)
    counts = {"class_counts": class_counts, "value_counts": value_counts}
    return Counts.from_json(counts, with_components(schema, len(class_counts)))
