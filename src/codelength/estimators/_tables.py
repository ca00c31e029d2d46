"""Predictions for tables of any size, which are read as streams of Arrow batches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..counts.stream import fold, map_batches, with_target
from ..decisions import first_best_of_rows
from ..errors import InvalidParameter, SchemaMismatch
from ..scores import Predictions, Scores
from ..scores.totals import Together
from ..sources import BATCH_ROWS, Batch, BatchEncoder, Batches, as_batches
from ..sources.batch import arrow, mark_of, values_in
from ..sources.roles import Roles
from ..table import Coded, Schema
from ..table._messages import shown, suggestion
from ..table.checks import check_flag, check_instance, check_names
from ..typing import FloatArray, Scalar

if TYPE_CHECKING:
    import pyarrow

    from ..naive_bayes import Distributions

Progress = Callable[[int], object]
"""Called with the number of rows of each batch that was read."""


class PredictsTables:
    """Predictions of any model for a table of any size."""

    if TYPE_CHECKING:

        @property
        def _fitted(self) -> Any: ...

        @property
        def outcome_names(self) -> tuple[Scalar, ...]: ...

        def outcome_columns(self, carried: Sequence[str] = (), name: str | None = None) -> list[str]: ...

    def predict_table(
        self,
        source: Any,
        *,
        keep: Iterable[str] = (),
        name: str | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> "Iterator[pyarrow.RecordBatch]":
        """Predict the rows of a table of any size, batch after batch.

        Columns are matched by name. The rows stay where they are: of a Dask or Spark data frame the result is
        another one, which is computed when it is asked for.

        Parameters
        ----------
        source : table of any kind
            Files, queries, or frames of any library; see :func:`codelength.as_batches`.
        keep : list of str
            Columns of the table that go along.
        name : str, optional
            Name of the column of the outcome; by default ``"class"`` or ``"component"``.
        na : list of str, optional
            Texts that mean missing in files.
        batch_rows : int
            Most rows per batch.
        progress : function, optional
            Called with the number of rows of each batch.

        Returns
        -------
        iterator of pyarrow.RecordBatch
            The columns that were kept, the most probable outcome, and the probability of each. Of a Dask or
            Spark data frame, a data frame with these columns.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"colour": ["red", "blue"]}, ["ripe", "raw"])
        >>> [rows] = model.predict_table({"id": [7], "colour": ["red"]}, keep=["id"])
        >>> rows.schema.names, rows.column("class").to_pylist()
        (['id', 'class', 'p_raw', 'p_ripe'], ['ripe'])
        """
        kept = tuple(dict.fromkeys(check_names("keep", keep)))
        names = self.outcome_columns(kept, name)
        schema, params = self._fitted.schema, self._fitted.params
        encoder = BatchEncoder(schema, handle_unknown=params["handle_unknown"])
        batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=schema)
        columns = _present([*encoder.columns, *kept], batches)
        carry = getattr(batches, "carry", None)
        if carry is not None:
            carry(kept)
            # Any column says how many rows there are.
            columns = tuple(encoder.columns) or columns[:1] or batches.names[:1]
        if params["strict"]:
            _check_surplus(schema, [name for name in batches.names if name not in kept])
        work = _Predicting(self, encoder, kept, tuple(names))
        spread = getattr(batches, "map", None)
        if spread is not None:
            frame: Iterator[pyarrow.RecordBatch] = spread(work, columns)
            return frame
        return _predicted(work, batches, columns, progress)

    def _probs_of(self, coded: Coded) -> tuple[FloatArray, int]:
        """Probability of each outcome for coded rows, and how many rows are undefined (0/0)."""
        raise NotImplementedError

    def _tell_undefined(self, n_undefined: int, n_rows: int) -> None:
        """Say in how many rows the definition gives 0/0."""


class ScoresTables(PredictsTables):
    """Scores of any classifier on a table of any size."""

    kind: ClassVar[str]
    capabilities: ClassVar[frozenset[Any]]

    if TYPE_CHECKING:

        def log_probs_of(self, coded: Coded) -> Distributions: ...

    def evaluate_table(
        self,
        source: Any,
        target: str | None = None,
        *,
        leave_one_out: bool,
        weights: str | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        progress: Progress | None = None,
    ) -> Scores:
        """Score predictions for a table of any size, in one pass.

        Parameters
        ----------
        source : table of any kind
            See :func:`codelength.as_batches`.
        target : str, optional
            The column that holds the class of each row; by default the one that was learned.
        leave_one_out : bool
            True for the rows that the model learned from, of which each is predicted from all the others;
            False for rows that it has not seen.
        weights : str, optional
            The column that says how many rows each row stands for.
        na : list of str, optional
            Texts that mean missing in files.
        batch_rows : int
            Most rows per batch.
        progress : function, optional
            Called with the number of rows of each batch.

        Returns
        -------
        Scores
            Log score, accuracy, Brier score and calibration error.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"colour": ["red", "red", "blue", "blue"], "state": ["ripe", "ripe", "raw", "raw"]}
        >>> NaiveBayes().fit_table(table, "state").evaluate_table(table, leave_one_out=True).accuracy
        1.0
        """
        read: dict[str, Any] = {"na": na, "batch_rows": batch_rows, "progress": progress}
        found = evaluate_together(
            (self,), source, target, leave_one_out=leave_one_out, weights=weights, **read
        )
        return Scores.empty() if found is None else found.scores[0]

    def _probs_of(self, coded: Coded) -> tuple[FloatArray, int]:
        log_probs, undefined = self.log_probs_of(coded)
        return np.exp(log_probs), int(np.count_nonzero(undefined))

    def _batch_left_out(self, coded: Coded) -> Predictions:
        """Predict each training row of a batch from all the others, those of other batches included."""
        raise NotImplementedError

    def _check_left_out(self, *, weighted: bool) -> None:
        """Refuse to leave rows out where one pass over them is not enough."""
        if not {"leave_one_out", "fit_table"} <= self.capabilities:
            raise InvalidParameter(
                f"leave_one_out=True: {self.kind} does not leave rows out one batch after the other; pass "
                "leave_one_out=False to score rows that it has not seen"
            )


def evaluate_together(
    models: "Sequence[ScoresTables]",
    source: Any,
    target: str | None = None,
    *,
    leave_one_out: bool,
    weights: str | None = None,
    na: Iterable[str] | None = None,
    batch_rows: int = BATCH_ROWS,
    progress: Progress | None = None,
) -> Together | None:
    """Score several models with one schema on a table of any size, in one pass; None if it has no rows.

    Parameters are those of :meth:`ScoresTables.evaluate_table`; all models treat unknown values and surplus
    columns as the first one does.
    """
    check_flag("leave_one_out", leave_one_out)
    schema, params = models[0]._fitted.schema, models[0]._fitted.params
    if leave_one_out:
        for model in models:
            model._check_left_out(weighted=weights is not None)
    column = schema.target.name if target is None else target
    check_instance("target", column, str, "the name of a column")
    encoder = BatchEncoder(schema, target=column, handle_unknown=params["handle_unknown"])
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=with_target(schema, column))
    try:
        columns = _present([*encoder.columns, *([] if weights is None else [weights])], batches)
        if params["strict"]:
            _check_surplus(schema, [name for name in batches.names if name not in (column, weights)])
        variables = tuple(name for name in encoder.columns if name != column)
        work = _Scoring(tuple(models), encoder, Roles(variables, column, weights), leave_one_out)
        return fold(work, batches, columns, Together.merge, progress=progress)
    finally:
        batches.close()


@dataclass(eq=False, slots=True)
class _Predicting:
    """Makes predictions of a batch; can be sent to other processes."""

    model: Any
    encoder: BatchEncoder
    kept: tuple[str, ...]
    names: tuple[str, ...]
    undefined: list[int] = field(default_factory=list)

    def __call__(self, batch: Batch) -> "pyarrow.RecordBatch":
        probs, n_undefined = self.model._probs_of(self.encoder(batch))
        if n_undefined:
            self.undefined.append(n_undefined)
        pa = arrow()
        outcomes = self.labels.take(pa.array(first_best_of_rows(probs)))
        if batch.carried is not None:
            columns = [batch.carried.column(name) for name in self.kept]
        else:
            columns = [_as_given(*batch.column(name)) for name in self.kept]
        # One column after the other is what Arrow keeps.
        by_outcome = np.ascontiguousarray(probs.T)
        return pa.RecordBatch.from_arrays(
            [*columns, outcomes, *(pa.array(row) for row in by_outcome)], names=[*self.kept, *self.names]
        )

    def outcomes_alone(self) -> "_Predicting":
        """The same without the columns that go along, for engines that have them already."""
        return replace(self, kept=())

    @property
    def outcomes(self) -> "pyarrow.Schema":
        """What is predicted: the names and types of the columns beside those that go along."""
        pa = arrow()
        types = [self.labels.type, *(pa.float64() for _ in self.names[1:])]
        return pa.schema(list(zip(self.names, types, strict=True)))

    @property
    def labels(self) -> "pyarrow.Array":
        """The outcomes; as text where they are of several types."""
        names = list(self.model.outcome_names)
        if len({type(label) for label in names}) > 1:
            names = [str(label) for label in names]
        return arrow().array(names)


@dataclass(frozen=True, eq=False, slots=True)
class _Scoring:
    """Scores predictions of a batch; can be sent to other processes."""

    models: tuple[Any, ...]
    encoder: BatchEncoder
    roles: Roles
    leave_one_out: bool

    def __call__(self, batch: Batch) -> Together:
        self.roles.check_classes(batch)
        rows, weights = self.roles.weighed(batch)
        coded = self.encoder(rows, weights)
        if self.leave_one_out:
            return Together.of([model._batch_left_out(coded) for model in self.models])
        made = [model.log_probs_of(coded) for model in self.models]
        return Together.of(
            [Predictions(log_probs, zero, coded.class_codes, weights) for log_probs, zero in made]
        )


def _predicted(
    work: _Predicting, batches: Batches, columns: Sequence[str], progress: Progress | None
) -> "Iterator[pyarrow.RecordBatch]":
    n_rows = 0
    try:
        for rows in map_batches(work, batches, columns):
            n_rows += rows.num_rows
            if progress is not None:
                progress(rows.num_rows)
            yield rows
    finally:
        batches.close()
    if work.undefined:
        work.model._tell_undefined(sum(work.undefined), n_rows)


def _as_given(array: "pyarrow.Array", field: "pyarrow.Field") -> "pyarrow.Array":
    """The cells of a column that goes along, out of their dictionary."""
    pa = arrow()
    if not pa.types.is_dictionary(array.type):
        return array
    mark = mark_of(field)
    if not mark.startswith("json"):
        return array.dictionary_decode()
    values = values_in(array.dictionary, mark)
    if len({type(value) for value in values}) > 1:
        values = [value if isinstance(value, str) else str(value) for value in values]
    return pa.array(values).take(array.indices)


def _present(columns: Sequence[str], batches: Batches) -> tuple[str, ...]:
    """The columns to read, once it is sure that all are there."""
    for name in columns:
        if name not in batches.names:
            where = batches.name or "the table"
            raise SchemaMismatch(f"{where}: has no column {shown(name)}{suggestion(name, batches.names)}")
    return tuple(dict.fromkeys(columns))


def _check_surplus(schema: Schema, names: Sequence[str]) -> None:
    known = set(schema.names)
    surplus = [name for name in names if name not in known]
    if surplus:
        raise SchemaMismatch(
            f"column {shown(surplus[0])} is not in the schema ({len(surplus)} such columns); drop it"
        )
