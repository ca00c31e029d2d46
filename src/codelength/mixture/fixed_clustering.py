"""A finite mixture whose clustering is fixed: the clustering is the model.

The class is one of the columns. It is predicted through the cluster, which is summed out for the row at
hand; then the row enters the history with its own cluster.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..counts import Counts, count
from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..prequential.layout import sequence_tables
from ..prequential.sequence import SequentialModel
from ..rules import Pseudocounts, Rule, Scorer, evidence_rule, log_tables
from ..scores.evidence import conditional_code_length, evidence_code_length
from ..scores.leave_one_out import leave_one_out
from ..scores.predictions import Predictions
from ..table import Coded, Schema
from ..typing import CodeArray, FloatArray, IntArray
from .clusterings import completed
from .parameters import with_components


def class_as_column(schema: Schema, coded: Coded) -> tuple[Schema, CodeArray]:
    """The schema of a table whose last column is the class, and its codes.

    Examples
    --------
    >>> from codelength.table import encode
    >>> schema = Schema.from_sizes([3], n_classes=2)
    >>> wider, codes = class_as_column(schema, encode(schema, np.array([[2], [0]]), [0, 1]))
    >>> wider.names, codes.tolist()
    (('x0', 'class'), [[2, 0], [0, 1]])
    """
    if schema.target is None:
        raise InvalidParameter("the schema has no target, so there is no class to make a column of")
    wider = Schema((*schema.variables, schema.target))
    codes = np.empty((coded.n_rows, wider.n_variables), dtype=wider.code_type, order="F")
    codes[:, :-1], codes[:, -1] = coded.codes, coded.classes
    return wider, codes


@dataclass(frozen=True, eq=False)
class FixedClustering:
    """A table, the cluster of each of its rows, and the column to predict.

    Made by :meth:`of`, which checks what it is given.

    Attributes
    ----------
    schema : Schema
        The schema of the columns, the class among them; its target is the component.
    rows : Coded
        The rows, with their clusters as classes.
    class_column : int
        Position of the column to predict.
    prior : Pseudocounts
        Pseudocounts of the components and of the values.
    """

    schema: Schema
    rows: Coded
    class_column: int
    prior: Pseudocounts

    @classmethod
    def of(
        cls,
        schema: Schema,
        codes: CodeArray,
        clustering: Any,
        class_column: int | str = -1,
        prior: PriorLike = "uniform",
        *,
        n_components: int | None = None,
    ) -> "FixedClustering":
        """A clustering of coded rows.

        Parameters
        ----------
        schema : Schema
            The schema of the codes; its target plays no part.
        codes : array of shape (n_rows, n_columns)
            The coded rows.
        clustering : array of shape (n_rows,)
            The component of each row.
        class_column : int or str
            The column to predict, by position or by name; by default the last.
        prior : prior or its name
            Pseudocounts of the components and of the values.
        n_components : int, optional
            How many components there are; by default as many as the clustering names.
        """
        position = _position(schema, class_column)
        full = with_components(schema, _n_named(clustering) if n_components is None else n_components)
        missing = codes[:, position] == schema.n_values[position]
        if missing.any():
            raise DataError(
                f"column {schema.names[position]!r}, row {int(np.argmax(missing))}: the class is missing, so "
                "it cannot be predicted; leave such rows out"
            )
        return cls(full, completed(full, codes, clustering), position, pseudocounts(prior, full))

    @property
    def n_class_values(self) -> int:
        """How many values the class has."""
        return int(self.schema.n_values[self.class_column])

    @cached_property
    def counts(self) -> Counts:
        """Counts of the table completed by the clustering."""
        return count(self.schema, self.rows)

    def sequence(self) -> SequentialModel:
        """The model that predicts the class of each row from the rows before it: equation (6).

        Examples
        --------
        >>> schema, codes = Schema.from_sizes([2, 2]), np.array([[0, 0], [1, 1], [0, 0]], dtype=np.uint8)
        >>> np.exp(-FixedClustering.of(schema, codes, [0, 1, 0]).sequence().terms()).round(4)
        array([0.5   , 0.4048, 0.5556])
        """
        start, stop = self._cells
        rule = evidence_rule(self.counts, self.prior)
        of_others = Rule(
            rule.name,
            rule.class_offsets,
            np.delete(rule.value_offsets, np.s_[start : stop + 1], 1),
            rule.growth,
        )
        tables = sequence_tables(
            np.delete(self.rows.codes, self.class_column, axis=1),
            np.asarray(self.rows.classes, dtype=np.int64),
            np.asarray(self.rows.codes[:, self.class_column], dtype=np.int64),
            np.delete(self.schema.n_values, self.class_column),
            of_others,
            np.ascontiguousarray(rule.value_offsets[:, start:stop].T),
        )
        return SequentialModel(tables, group_total=float(rule.class_offsets.sum()))

    def code_length(self, *, with_clustering: bool = False) -> float:
        """The unsupervised criterion, in nats: -log P(D | z), or with the clustering -log P(D, z)."""
        length = evidence_code_length if with_clustering else conditional_code_length
        return length(self.counts, self.prior)

    def predict_log_probs(self, codes: CodeArray) -> FloatArray:
        """Log probability of each class for new rows, shape (n_rows, n_class_values).

        All the rows are the history; the cells of the class column are not looked at.
        """
        rule = evidence_rule(self.counts, self.prior)
        scorer = Scorer.of(self.schema, log_tables(self.counts, rule))
        log_shares, _ = scorer.log_probs(self._without_class(codes))
        return np.asarray(np.log(np.exp(log_shares) @ self._class_probs()))

    def leave_one_out(self) -> Predictions:
        """The class distribution of each row, predicted from the other rows with their clusters."""
        rule = evidence_rule(self.counts, self.prior)
        labels, at = np.asarray(self.rows.classes, dtype=np.int64), np.arange(self.rows.n_rows)
        classes = self.rows.codes[:, self.class_column]
        without = Coded(self._without_class(self.rows.codes), self.rows.classes)
        shares = np.exp(leave_one_out(self.counts, without, rule).log_probs)
        # The row's own cluster lacks the row, so its class distribution is another one.
        own = shares[at, labels, None] * self._own_class_probs(labels, classes)
        shares[at, labels] = 0.0
        log_probs = np.log(shares @ self._class_probs() + own)
        return Predictions(log_probs, classes, np.zeros(len(labels), dtype=np.bool_))

    @property
    def _cells(self) -> tuple[int, int]:
        offsets = self.schema.offsets
        return int(offsets[self.class_column]), int(offsets[self.class_column + 1]) - 1

    def _raised(self) -> FloatArray:
        start, stop = self._cells
        return self.counts.of(self.class_column) + self.prior.value_pseudocounts[:, start:stop]

    def _class_probs(self) -> FloatArray:
        raised = self._raised()
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def _own_class_probs(self, labels: IntArray, classes: CodeArray) -> FloatArray:
        raised = self._raised()[labels]
        raised[np.arange(len(labels)), np.asarray(classes, dtype=np.int64)] -= 1
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def _without_class(self, codes: CodeArray) -> CodeArray:
        hidden = np.array(codes, order="F")
        hidden[:, self.class_column] = self.n_class_values
        return hidden


def _n_named(clustering: Any) -> int:
    labels = np.asarray(clustering)
    return int(labels.max(initial=0)) + 1 if labels.dtype.kind in "iu" else 1


def _position(schema: Schema, column: int | str) -> int:
    if isinstance(column, str):
        return schema.position(column)
    if not -schema.n_variables <= column < schema.n_variables:
        raise SchemaMismatch(
            f"class_column={column}: the table has {schema.n_variables} columns; give the position or the "
            "name of one of them"
        )
    return column % schema.n_variables
