"""Tables of any size, which are read as streams of Arrow batches: counts, predictions and scores.

Order of reading: :func:`counted_table`; :func:`predict_batches` with ``_Predicting``;
:func:`evaluate_together` with ``_Scoring``. Both classes are functions of one batch, which engines can run in
other processes, so they hold a fitted model and an encoder, and no open source.

Options are checked before a source is opened, and names of columns before a row is read. A generator of
predictions closes its source when it ends, also if its caller stops early.

Depends on :mod:`codelength.counts.stream` (passes over batches) and :mod:`codelength.sources` (the batches).
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counts import Counts
from ..counts.stream import Progress, fold, learn_counts, map_batches, with_target
from ..decisions import first_best_of_rows
from ..errors import InvalidParameter, SchemaMismatch
from ..scores import Predictions
from ..scores.totals import Together
from ..sources import BATCH_ROWS, Batch, BatchEncoder, Batches, as_batches
from ..sources.batch import Spool, arrow
from ..sources.cells import as_given
from ..sources.roles import Roles
from ..table import Table
from ..table._messages import check_surplus, shown, suggestion
from ..table.checks import check_flag, check_instance, check_names
from .reading import Reading

if TYPE_CHECKING:
    import pyarrow

    from ._fitted import Fitted


def counted_table(
    reading: Reading, source: Any, target: str | None, keep: Sequence[str] | None, **read: Any
) -> Counts:
    """Count the rows of a table of any size under the options of an estimator.

    Parameters
    ----------
    reading : Reading
        Options about columns and cells.
    source, target, keep
        As in :meth:`codelength.NaiveBayes.fit_table`.
    read
        Further options of :func:`codelength.counts.stream.learn_counts`.

    Returns
    -------
    Counts
        Counts and their schema. If a declared schema has no classes, one more pass finds them, from a copy on
        disk if the source can be read once only.
    """
    params, schema = reading.params, reading.schema
    if target is None:
        named = source if isinstance(source, Table) else schema
        target = None if named is None or named.target is None else named.target.name
    check_instance("target", target, str, "the name of a column")
    with ExitStack() as stack:
        if schema is not None and schema.target is None:
            source = stack.enter_context(_readable_twice(source, read["na"], read["batch_rows"]))
            # Classes first, in a pass of their own: the schema declares variables only, and counting needs
            # all classes. One column is read with them, because a batch without columns has no rows.
            classes = learn_counts(source, target, keep=schema.names[:1], **read)
            schema = replace(schema, target=classes.schema.target)
        options = {name: params[name] for name in ("missing", "numeric", "identifiers", "handle_unknown")}
        return learn_counts(
            source, target, schema=schema, keep=keep, cutting=reading.cutting, **options, **read
        )


def check_countable(params: Mapping[str, Any], weights: str | None) -> None:
    """Raise InvalidParameter for parameters that need all rows in memory; ``weights`` names their column."""
    if params["select"] is not None:
        raise InvalidParameter(
            f"select={params['select']!r}: choosing variables takes all rows in memory; call fit instead"
        )
    if weights is not None and params["weighting"] == "relative":
        raise InvalidParameter(
            'weighting="relative": weights are compared with each other, which takes all rows in memory; '
            'call fit, or pass weighting="counts"'
        )


def predict_batches(
    fitted: "Fitted",
    source: Any,
    keep: Iterable[str],
    name: str | None,
    na: Iterable[str] | None,
    batch_rows: int,
    progress: Progress | None,
) -> "Iterator[pyarrow.RecordBatch]":
    """Predict the rows of a table of any size; see :meth:`TableEstimator.predict_table`."""
    # Parameters are checked before the source is opened: a generator would raise at the first batch only.
    kept = tuple(dict.fromkeys(check_names("keep", keep)))
    names = outcome_columns(fitted, kept, name)
    schema = fitted.schema
    encoder = BatchEncoder(schema, handle_unknown=fitted.params["handle_unknown"])
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=schema)
    try:
        columns = _present([*encoder.columns, *kept], batches)
        # Sources that can hand through columns as they are avoid an encoding and a decoding of each.
        if batches.carry(kept):
            # A model without variables still needs the number of rows, which any column gives.
            columns = tuple(encoder.columns) or columns[:1] or batches.names[:1]
        if fitted.params["strict"]:
            check_surplus([name for name in batches.names if name not in kept], schema.names)
    except BaseException:
        batches.close()
        raise
    work = _Predicting(fitted, encoder, kept, tuple(names))
    # Engines with rows on other machines predict them there.
    if batches.map is not None:
        frame: Iterator[pyarrow.RecordBatch] = batches.map(work, columns)
        return frame
    return _predicted(work, batches, columns, progress)


def outcome_columns(fitted: "Fitted", carried: Sequence[str] = (), name: str | None = None) -> list[str]:
    """Return names of columns for the predicted outcome and the probability of each.

    They differ from the names of other columns of the output, ``carried``.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> model = NaiveBayes().fit({"x": ["a", "b"]}, ["no", "yes"])
    >>> outcome_columns(model._fitted, ["class"])
    ['predicted_class', 'p_no', 'p_yes']
    """
    carried = check_names("columns", carried)
    if name is not None:
        check_instance("name", name, str, "text, or None")
    outcome = fitted.outcome if name is None else name
    if name is None and outcome in carried:
        outcome = f"predicted_{outcome}"
    if outcome in carried or not outcome:
        raise InvalidParameter(
            f"name {shown(outcome)}: the output has a column of that name already; choose another"
        )
    # Case is ignored, as SQL engines do.
    names, taken = [outcome], {column.casefold() for column in (*carried, outcome)}
    for label in fitted.outcomes:
        # Labels may differ in type or capitals alone, and a file tells columns apart by neither.
        numbers = (f"p_{label}" if n == 1 else f"p_{label}_{n}" for n in itertools.count(1))
        names.append(next(candidate for candidate in numbers if candidate.casefold() not in taken))
        taken.add(names[-1].casefold())
    return names


def evaluate_together(
    models: Sequence[Any],
    source: Any,
    target: str | None = None,
    *,
    leave_one_out: bool,
    weights: str | None = None,
    na: Iterable[str] | None = None,
    batch_rows: int = BATCH_ROWS,
    progress: Progress | None = None,
) -> Together | None:
    """Score several models with one schema on a table of any size, in one pass.

    Parameters
    ----------
    models : sequence of Fitted
        Fitted models under one schema. All treat unknown values and surplus columns as the first one does.
    source, target, leave_one_out, weights, na, batch_rows, progress
        As in :meth:`TableClassifier.evaluate_table`.

    Returns
    -------
    Together or None
        The scores of all models; None if the table has no rows.
    """
    check_flag("leave_one_out", leave_one_out)
    schema, params = models[0].schema, models[0].params
    if leave_one_out:
        for model in models:
            model.check_left_out(weighted=weights is not None)
    column = schema.target.name if target is None else target
    check_instance("target", column, str, "the name of a column")
    encoder = BatchEncoder(schema, target=column, handle_unknown=params["handle_unknown"])
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=with_target(schema, column))
    try:
        columns = _present([*encoder.columns, *([] if weights is None else [weights])], batches)
        if params["strict"]:
            check_surplus([name for name in batches.names if name not in (column, weights)], schema.names)
        variables = tuple(name for name in encoder.columns if name != column)
        work = _Scoring(tuple(models), encoder, Roles(variables, column, weights), leave_one_out)
        return fold(work, batches, columns, Together.merge, progress=progress)
    finally:
        batches.close()


@dataclass(eq=False, slots=True)
class _Predicting:
    """A function that predicts a batch; can be sent to other processes.

    It copies the columns ``kept``, and adds ``names``: the outcome, then one probability per outcome.
    ``undefined`` has the number of undefined rows (0/0) of each batch with some.
    """

    fitted: "Fitted"
    encoder: BatchEncoder
    kept: tuple[str, ...]
    names: tuple[str, ...]
    undefined: list[int] = field(default_factory=list)

    def __call__(self, batch: Batch) -> "pyarrow.RecordBatch":
        probs, n_undefined = self.fitted.probs(self.encoder(batch))
        if n_undefined:
            self.undefined.append(n_undefined)
        pa = arrow()
        outcomes = self.labels.take(pa.array(first_best_of_rows(probs)))
        if batch.carried is not None:
            columns = [batch.carried.column(name) for name in self.kept]
        else:
            columns = [as_given(*batch.column(name)) for name in self.kept]
        # Arrow stores column by column; one transposed copy makes every column contiguous.
        by_outcome = np.ascontiguousarray(probs.T)
        return pa.RecordBatch.from_arrays(
            [*columns, outcomes, *(pa.array(row) for row in by_outcome)], names=[*self.kept, *self.names]
        )

    def outcomes_alone(self) -> "_Predicting":
        """Return a copy without kept columns, for engines that keep them themselves."""
        return replace(self, kept=())

    @property
    def outcomes(self) -> "pyarrow.Schema":
        """Names and types of the predicted columns."""
        pa = arrow()
        types = [self.labels.type, *(pa.float64() for _ in self.names[1:])]
        return pa.schema(list(zip(self.names, types, strict=True)))

    @property
    def labels(self) -> "pyarrow.Array":
        """The outcomes; as text if they have several types, because an Arrow column has one."""
        names = list(self.fitted.outcomes)
        if len({type(label) for label in names}) > 1:
            names = [str(label) for label in names]
        return arrow().array(names)


@dataclass(frozen=True, eq=False, slots=True)
class _Scoring:
    """A function that scores a batch by models under one schema; can be sent to other processes."""

    models: tuple[Any, ...]
    encoder: BatchEncoder
    roles: Roles
    leave_one_out: bool

    def __call__(self, batch: Batch) -> Together:
        self.roles.check_classes(batch)
        rows, weights = self.roles.weighed(batch)
        coded = self.encoder(rows, weights)
        if self.leave_one_out:
            return Together.of([model.left_out_of_batch(coded) for model in self.models])
        made = [model.log_probs(coded) for model in self.models]
        return Together.of(
            [Predictions(log_probs, zero, coded.class_codes, weights) for log_probs, zero in made]
        )


def _predicted(
    work: _Predicting, batches: Batches, columns: Sequence[str], progress: Progress | None
) -> "Iterator[pyarrow.RecordBatch]":
    """Yield predicted batches, close the source in any case, and warn once of all undefined rows."""
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
        work.fitted.tell_undefined(sum(work.undefined), n_rows)


def _present(columns: Sequence[str], batches: Batches) -> tuple[str, ...]:
    """Return the columns to read, each once; raise SchemaMismatch if one is absent."""
    for name in columns:
        if name not in batches.names:
            where = batches.name or "the table"
            raise SchemaMismatch(f"{where}: has no column {shown(name)}{suggestion(name, batches.names)}")
    return tuple(dict.fromkeys(columns))


@contextmanager
def _readable_twice(source: Any, na: Iterable[str] | None, batch_rows: int) -> Iterator[Any]:
    """Return a context with a source that can be read more than once, from a copy on disk if necessary."""
    # The caller keeps ownership of batches of its own; everything opened here is closed here.
    batches = as_batches(source, batch_rows=batch_rows, na=na)
    with ExitStack() as at_end:
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        yield at_end.enter_context(closing(Spool(batches, batches.names))) if batches.once else source
