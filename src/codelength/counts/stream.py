"""Counts of tables of any size, from streams of Arrow batches.

Two passes settle the schema and count: the first profiles the columns, the second counts and finds the cut
points of wide columns. One pass is enough if a schema is given. Results do not depend on the batches or the
number of threads; for whole weights they are equal to the last bit.

Order of reading: :func:`learn_counts`, then :func:`fold` and :func:`map_batches` (work on batches, merged in
row order), then the checks that two passes saw the same rows and that a schema goes with a stream.

Depends on :mod:`codelength.sources` (batches, profile, encoder) and on ``_tally`` (counts and numbers around
cut points).
"""

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from .._display import counted
from .._threads import awaited, n_threads_or_default
from ..errors import DataError, InvalidParameter
from ..sources import BATCH_ROWS, Batch, Batches, as_batches
from ..sources.batch import Spool, located
from ..sources.profile.profile import ProfileWork, check_rows
from ..sources.roles import Roles
from ..table import Cutting, Schema
from ..table._messages import absent_column, check_surplus, shown
from ..table.checks import check_choice, check_instance
from ..table.encode import HandleUnknown
from ..table.infer import How, Identifiers, Missing, Numeric
from ..table.unknown import Unknown
from ._tally import CountWork, Tally, settled_counts
from .counts import Counts

Part = TypeVar("Part")
Progress = Callable[[int], object]
"""Called with the number of rows of each batch that was read."""

_AHEAD = 2


def learn_counts(
    source: Any,
    target: str | None = None,
    *,
    schema: Schema | None = None,
    weights: str | None = None,
    drop: Iterable[str] = (),
    keep: Sequence[str] | None = None,
    na: Iterable[str] | None = None,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    identifiers: Identifiers = "ignore",
    cutting: Cutting | None = None,
    categories: Collection[str] = (),
    handle_unknown: HandleUnknown = "ignore",
    batch_rows: int = BATCH_ROWS,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Settle the schema of a table of any size, and count its rows.

    Schema and counts are those of the same rows in memory.

    Parameters
    ----------
    source : table of any kind
        See :func:`codelength.sources.as_batches`.
    target : str, optional
        Column of the class.
    schema : Schema, optional
        Schema of the table; then one pass is enough, and ``missing`` to ``categories`` are ignored.
    weights : str, optional
        Column of the weights.
    drop, keep : list of str
        Columns to leave out, or the only ones to use.
    na : list of str, optional
        Texts that mean missing in files.
    missing, numeric, identifiers, cutting, categories
        As for :func:`codelength.table.infer_schema`.
    handle_unknown : {"ignore", "error"}
        Marginalise values that a given schema does not list, like missing cells, or raise an error.
    batch_rows : int
        Largest number of rows per batch.
    n_threads : int, optional
        Number of threads; by default one for each processor.
    progress : callable, optional
        Called with the number of rows of each batch, in every pass.

    Examples
    --------
    >>> counts = learn_counts({"colour": ["red", "blue", "red"], "ripe": ["yes", "no", "no"]}, "ripe")
    >>> counts.of("colour")
    array([[1., 1.],
           [0., 1.]])
    """
    check_choice("handle_unknown", handle_unknown, HandleUnknown)
    how = How(missing, numeric, identifiers, cutting, categories)
    if schema is not None:
        check_instance("schema", schema, Schema, "a Schema, or None")
    read: dict[str, Any] = {
        "weights": weights,
        "drop": drop,
        "keep": keep,
        "na": na,
        "batch_rows": batch_rows,
    }
    with opened(source, schema, target, **read) as (batches, roles, given):
        if given is None:
            counts = settled_schema(batches, roles, how, True, n_threads=n_threads, progress=progress)[2]
            assert counts is not None
            return counts
        work = CountWork(roles, given, handle_unknown)
        tally = fold(work, batches, roles.columns, Tally.merge, n_threads=n_threads, progress=progress)
        work.encoder.warn({} if tally is None else tally.unknown)
        return Counts.empty(given) if tally is None else tally.counts


@contextmanager
def opened(
    source: Any,
    schema: Schema | None,
    target: str | None,
    *,
    has_classes: bool = True,
    na: Iterable[str] | None,
    batch_rows: int,
    **read: Any,
) -> Iterator[tuple[Batches, Roles, Schema | None]]:
    """Open a stream; yield it with the roles of its columns, and the schema if one is given.

    Without a schema, the stream can be read again. Parameters are those of :func:`learn_counts`. Unless
    ``has_classes``, the target is left out.
    """
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=with_target(schema, target))
    with ExitStack() as at_end:
        # Streams of the caller stay open; those made here are closed.
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        roles = Roles.of(batches, target, **read)
        roles = roles if has_classes else replace(roles, target=None)
        if schema is not None:
            schema, roles = matched(schema, batches, roles)
        elif batches.once:
            # Written to disk while it is read for the first time.
            batches = at_end.enter_context(closing(Spool(batches, roles.columns)))
        yield batches, roles, schema


def settled_schema(
    batches: Batches,
    roles: Roles,
    how: How,
    is_counted: bool,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Schema, int, Counts | None]:
    """Profile a stream to draft its schema, then count until all cut points are settled.

    Returns the schema, the number of rows, and the counts, which may be None unless ``is_counted``.
    """
    look = ProfileWork(roles)
    found = fold(look, batches, roles.columns, look.merge, n_threads=n_threads, progress=progress)
    profile = check_rows(found, batches.name)
    draft = profile.draft(roles, how)
    # Keep only what checks need: a profile may hold many distinct values, and counting takes memory too.
    n_rows = profile.n_rows
    n_present = {name: column.n_present for name, column in profile.columns.items()}
    del found, profile
    counts: Counts | None = None
    # Usually one pass; another one if a cut point is in a grid cell whose numbers were not kept.
    while draft.open or (is_counted and counts is None):
        grids = {i: column.grid for i, column in draft.open.items()}
        work = CountWork(roles, draft.schema, grids=grids)
        tally = fold(work, batches, roles.columns, Tally.merge, n_threads=n_threads, progress=progress)
        n_now, unknown = (0, None) if tally is None else (tally.n_rows, tally.unknown)
        check_unchanged(batches, n_rows, n_now, unknown)
        assert tally is not None
        if roles.weights is None:
            _check_present(batches, tally.counts, n_present)
        counts, draft = settled_counts(tally, draft)
    return draft.schema, n_rows, counts


def fold(
    work: Callable[[Batch], Part],
    batches: Batches,
    columns: Sequence[str],
    merge: Callable[[Part, Part], Part],
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Part | None:
    """Apply a function to every batch and merge the results in row order.

    Batches are read in this thread and processed in others. If a source has a method ``fold`` of its own,
    because its rows are distributed over other processes, that method is called instead; ``work`` and its
    results can be pickled.

    Parameters
    ----------
    work : callable
        Function of a batch.
    batches : Batches
        The stream.
    columns : sequence of str
        Columns to read.
    merge : callable
        Function that adds the result of later rows to that of earlier ones.
    n_threads : int, optional
        Number of threads; by default one for each processor.
    progress : callable, optional
        Called with the number of rows of each batch.

    Returns
    -------
    The merged result; None if there are no rows.
    """
    if batches.fold is not None:
        found: Part | None = batches.fold(work, columns, merge, progress=progress)
        return found
    total: Part | None = None
    with closing(_results(work, batches.read(columns), n_threads_or_default(n_threads))) as results:
        for part, n_rows, where in results:
            try:
                total = part if total is None else merge(total, part)
            except DataError as error:
                raise type(error)(f"{where}: {error}") from None
            if progress is not None:
                progress(n_rows)
    return total


def map_batches(work: Callable[[Batch], Part], batches: Batches, columns: Sequence[str]) -> Generator[Part]:
    """Yield the result of a function for every batch, lazily and in row order; see :func:`fold`."""
    with closing(_results(work, batches.read(columns), n_threads_or_default(None))) as results:
        for part, _, _ in results:
            yield part


def _results(
    work: Callable[[Batch], Part], batches: Iterator[Batch], n_threads: int
) -> Generator[tuple[Part, int, str]]:
    """Yield the results of ``work`` in order, a few batches ahead, with size and place of each batch."""
    if n_threads == 1:
        for batch in batches:
            yield located(work, batch), batch.n_rows, batch.where
        return
    ahead: deque[tuple[Future[Part], int, str]] = deque()
    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="codelength")
    try:
        for batch in batches:
            ahead.append((pool.submit(located, work, batch), batch.n_rows, batch.where))
            # A bounded queue: enough batches to keep all threads busy, without reading the whole stream into
            # memory.
            if len(ahead) > _AHEAD * n_threads:
                future, n_rows, where = ahead.popleft()
                yield awaited(future), n_rows, where
        while ahead:
            future, n_rows, where = ahead.popleft()
            yield awaited(future), n_rows, where
    finally:
        # Also if a batch failed or the consumer stopped early.
        pool.shutdown(wait=True, cancel_futures=True)
        close = getattr(batches, "close", None)
        if close is not None:
            close()


def check_unchanged(
    batches: Batches, before: int, now: int, unknown: Mapping[str, Unknown] | None = None
) -> None:
    """Raise a DataError if a pass over a stream gave other rows than the pass before it."""
    for name, found in (unknown or {}).items():
        raise _changed(batches, f"column {name!r}, row {found.row}: {shown(found.cell)} was not there before")
    if now != before:
        raise _changed(batches, f"it had {counted(before, 'row')} and has {now:,} now")


def _check_present(batches: Batches, counts: Counts, n_present: Mapping[str, int]) -> None:
    """Raise DataError if a column has another number of known cells than in the first pass."""
    for i, variable in enumerate(counts.schema.variables):
        known = counts.of(i)[:, : variable.n_values - int(variable.missing_is_value)]
        now, before = int(known.sum()), n_present[variable.name]
        if variable.kind != "ignored" and now != before:
            raise _changed(
                batches, f"column {variable.name!r} had {counted(before, 'present cell')} and has {now:,} now"
            )


def _changed(batches: Batches, what: str) -> DataError:
    """Return the error for a stream that changes between passes."""
    return DataError(
        f"{batches.name or 'the table'}: changes from one pass to the next ({what}); make its rows the same "
        "each time, write them to a file first, or pass a schema= so that one pass is enough"
    )


def matched(schema: Schema, batches: Batches, roles: Roles) -> tuple[Schema, Roles]:
    """Return a given schema, named after the columns if it has no names, and the roles of its columns.

    Raises
    ------
    SchemaMismatch
        If the stream has columns that are not in the schema, or lacks one.
    InvalidParameter
        If only one of schema and stream has a class.
    """
    # A schema made from sizes has no names of its own; its variables are matched by position.
    if not schema.is_named and len(roles.variables) == schema.n_variables:
        schema = schema.named_after(roles.variables)
    check_surplus(roles.variables, schema.names)
    if (schema.target is None) != (roles.target is None):
        said = "has a class to predict" if roles.target is None else "has none to predict"
        raise InvalidParameter(
            f"target={shown(roles.target)}: the schema {said}; let both have one, or neither"
        )
    # Ignored columns need not be read.
    used = tuple(variable.name for variable in schema.variables if variable.kind != "ignored")
    absent = [name for name in used if name not in batches.names]
    if absent:
        raise absent_column(absent, len(used), batches.names, f"{batches.name or 'the table'}: ")
    return schema, replace(roles, variables=used)


def with_target(schema: Schema | None, target: str | None) -> Schema | None:
    """Return the schema by which cells of files are read, with the class as a variable."""
    if schema is None or schema.target is None or target is None or target in schema.names:
        return schema
    return Schema((*schema.variables, replace(schema.target, name=target)))
