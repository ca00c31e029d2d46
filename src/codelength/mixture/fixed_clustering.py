"""Finite mixture with a fixed clustering: the clustering is the model.

The class is one of the columns. It is predicted through the cluster, which is summed out for the row at
hand; then the row enters the history with its own cluster.

Order of reading: :class:`ClusterPredictor` (predictions from the counts of a clustered table, the cluster
summed out), :class:`FixedClustering` (a table and its clustering: code length, leave-one-out, the prequential
sequence).

Depends on ``clusterings``, on the rules of :mod:`codelength.naive_bayes` and on
:mod:`codelength.prequential`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..counts import Counts, count
from ..errors import DataError, SchemaMismatch
from ..naive_bayes import Distributions, Predictor, PriorLike, Pseudocounts, pseudocounts, rule_of
from ..naive_bayes.scoring import normalised
from ..prequential import SequentialModel
from ..prequential.layout import lay_out
from ..scores import Predictions, evidence_code_length
from ..table import Coded
from ..typing import FloatArray
from .clusterings import completed
from .parameters import with_components


@dataclass(frozen=True, eq=False)
class ClusterPredictor:
    r"""Prediction of the class through the cluster, from the counts of a clustered table.

    .. math:: P(c \mid u) = \sum_k P(k \mid u)\, P(c \mid k)

    Equation (6) of [1]_, with all the counted rows as the history: the evidence rule weighs the clusters by
    the other columns ``u``, and predicts the class within each.

    Attributes
    ----------
    counts : Counts
        Counts of the columns, the class among them, within the clusters.
    class_column : int
        Position of the class.
    clusters : Predictor
        Probability of each cluster, given the columns other than the class.
    pseudocounts : array of shape (n_components, n_class_values)
        Pseudocounts of the class in each cluster.

    References
    ----------
    .. [1] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.
    """

    counts: Counts
    class_column: int
    clusters: Predictor
    pseudocounts: FloatArray

    @classmethod
    def of(
        cls, counts: Counts, prior: PriorLike = "uniform", class_column: int | str = -1
    ) -> "ClusterPredictor":
        """Build the predictor of some counts.

        Parameters
        ----------
        counts : Counts
            Counts of the columns within the clusters.
        prior : prior or its name
            Pseudocounts of the clusters and of the values in each.
        class_column : int or str
            The column to predict, by position or by name; by default the last.

        Examples
        --------
        >>> from codelength.table import Schema
        >>> schema = with_components(Schema.from_sizes([2, 2]), 2)
        >>> counts = count(Coded.of(schema, [[0, 0], [1, 1], [0, 0]], [0, 1, 0]))
        >>> predictor = ClusterPredictor.of(counts)
        >>> predictor.probs(Coded.of(Schema.from_sizes([2]), [[0], [1]])).round(4)
        array([[0.6548, 0.3452],
               [0.4833, 0.5167]])
        """
        schema, spread = counts.schema, pseudocounts(prior, counts.schema)
        position = schema.position(class_column)
        # The prior is split like the columns: the class is not among those that weigh the clusters.
        own = np.s_[schema.offsets[position] : schema.offsets[position + 1]]
        of_others = np.delete(spread.value_pseudocounts, own, axis=1)
        others = np.delete(np.arange(schema.n_variables), position).tolist()
        clusters = Predictor.of(
            counts.select(others), "evidence", Pseudocounts(spread.class_pseudocounts, of_others)
        )
        return cls(counts, position, clusters, spread.value_pseudocounts[:, own][:, :-1])

    @cached_property
    def class_probs(self) -> FloatArray:
        """Probability of each class in each cluster, shape (n_components, n_class_values)."""
        raised = self.counts.of(self.class_column) + self.pseudocounts
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def probs(self, coded: Coded) -> FloatArray:
        """Compute the probability of each class for new rows, shape (n_rows, n_class_values).

        The rows may have the column of the class or not; its cells are ignored.
        """
        shares = np.exp(self.clusters.log_probs(self._without_class(coded)).log_probs)
        return _summed(shares, self.class_probs)

    def log_probs(self, coded: Coded) -> Distributions:
        """Compute the log probability of each class for new rows, in nats; the rows as in :meth:`probs`."""
        return _distributions(self.probs(coded))

    def leave_one_out(self, rows: Coded) -> Distributions:
        """Compute the log probability of each class for the counted rows, each predicted from the others.

        Parameters
        ----------
        rows : Coded
            The single rows that were counted, with their classes in the class column and their clusters as
            class codes.
        """
        labels, at = np.asarray(rows.class_codes, dtype=np.int64), np.arange(rows.n_rows)
        classes = np.asarray(rows.codes[:, self.class_column], dtype=np.int64)
        shares = np.exp(self.clusters.leave_one_out(self._without_class(rows)).log_probs)
        # The row's own cluster lacks the row, so its class distribution is another one. The row is subtracted
        # from the count before anything is added: next to a count, a tiny pseudocount would be lost.
        fewer = self.counts.of(self.class_column)[labels]
        fewer[at, classes] -= 1
        raised = fewer + self.pseudocounts[labels]
        own = shares[at, labels, None] * (raised / raised.sum(axis=1, keepdims=True))
        shares[at, labels] = 0.0
        return _distributions(_summed(shares, self.class_probs) + own)

    def _without_class(self, coded: Coded) -> Coded:
        n_variables = self.counts.schema.n_variables
        if coded.schema.n_variables < n_variables:
            return coded
        return coded.select(np.delete(np.arange(n_variables), self.class_column).tolist())


@dataclass(frozen=True, eq=False)
class FixedClustering:
    """A table, the cluster of each of its rows, and the column to predict; made by :meth:`of`.

    Attributes
    ----------
    rows : Coded
        The rows one by one, with their clusters as classes.
    class_column : int
        Position of the column to predict.
    prior : Pseudocounts
        Pseudocounts of the components and of the values.
    """

    rows: Coded
    class_column: int
    prior: Pseudocounts

    @classmethod
    def of(
        cls,
        coded: Coded,
        clustering: Any,
        class_column: int | str = -1,
        prior: PriorLike = "uniform",
        *,
        n_components: int | None = None,
    ) -> "FixedClustering":
        """Build a fixed clustering of coded rows.

        Parameters
        ----------
        coded : Coded
            The rows, the class among their columns; one of weight 3 is taken for three rows. The target of
            their schema is ignored.
        clustering : array of shape (n_rows,)
            The component of each row.
        class_column : int or str
            The column to predict, by position or by name; by default the last.
        prior : prior or its name
            Pseudocounts of the components and of the values.
        n_components : int, optional
            Number of components; by default the largest label plus one.

        Raises
        ------
        DataError
            If the class of a row is missing, or its cluster is not one of the components.
        """
        schema = coded.schema
        if not isinstance(class_column, str) and not -schema.n_variables <= class_column < schema.n_variables:
            raise SchemaMismatch(
                f"class_column={class_column}: the table has {schema.n_variables} columns; give the position "
                "or the name of one of them"
            )
        position = schema.position(class_column)
        missing = coded.codes[:, position] == schema.n_values[position]
        if missing.any():
            raise DataError(
                f"column {schema.names[position]!r}, row {int(np.argmax(missing))}: the class is missing, so "
                "it cannot be predicted; leave such rows out"
            )
        if n_components is None:
            labels = np.asarray(clustering)
            n_components = int(labels.max(initial=0)) + 1 if labels.dtype.kind in "iu" else 1
        rows = completed(with_components(coded, n_components), clustering).repeated()
        return cls(rows, position, pseudocounts(prior, rows.schema))

    @cached_property
    def counts(self) -> Counts:
        """Counts of the table completed by the clustering."""
        return count(self.rows)

    @cached_property
    def predictor(self) -> ClusterPredictor:
        """Predictor of the class from all the rows."""
        return ClusterPredictor.of(self.counts, self.prior, self.class_column)

    def sequence(self) -> SequentialModel:
        """Build the model that predicts the class of each row from the rows before it: equation (6).

        Examples
        --------
        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2, 2]), [[0, 0], [1, 1], [0, 0]])
        >>> np.exp(-FixedClustering.of(coded, [0, 1, 0]).sequence().terms()).round(4)
        array([0.5   , 0.4048, 0.5556])
        """
        rule = rule_of("evidence")
        offsets = rule.offsets(self.prior, self.rows.schema)
        layout = lay_out(self.rows, rule, offsets, self.class_column)
        # The evidence rule is a distribution over whole rows, so joint terms are defined.
        return SequentialModel(layout, group_total=float(offsets.class_offsets.sum()))

    def code_length(self, *, with_clustering: bool = False) -> float:
        """Compute the unsupervised criterion, in nats: -log P(D | z), or with the clustering -log P(D, z)."""
        return evidence_code_length(self.counts, self.prior, given_classes=not with_clustering)

    def predict_log_probs(self, coded: Coded) -> FloatArray:
        """Compute the log probability of each class for new rows, by :attr:`predictor`."""
        return self.predictor.log_probs(coded).log_probs

    def leave_one_out(self) -> Predictions:
        """Predict the class of each row from the other rows with their clusters."""
        classes = self.rows.codes[:, self.class_column]
        return Predictions(*self.predictor.leave_one_out(self.rows), classes)


def _summed(shares: FloatArray, class_probs: FloatArray) -> FloatArray:
    """Sum out the clusters."""
    probs = np.zeros((len(shares), class_probs.shape[1]))
    # Cluster by cluster rather than by a matrix product, whose rounding depends on the number of rows.
    for share, of_cluster in zip(shares.T, class_probs, strict=True):
        probs += share[:, None] * of_cluster
    return probs


def _distributions(probs: FloatArray) -> Distributions:
    """Convert sums over clusters to log probabilities; classes that tie exactly are made equal."""
    with np.errstate(divide="ignore"):
        return normalised(np.log(probs))
