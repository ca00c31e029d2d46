"""Finite mixtures of tables of any size: rows come in batches, and equal ones are merged as they come."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ...counts._tally import CountWork, Tally, settled_counts
from ...counts.stream import Progress, check_unchanged, fold, map_batches, matched
from ...errors import DataError, Infeasible
from ...naive_bayes import rule_of
from ...sources import Batch, BatchEncoder, Batches, as_batches
from ...sources._spool import Spool
from ...sources.profile.profile import ProfileWork, check_rows
from ...sources.roles import Roles
from ...table import Coded, Schema, Table
from ...table.encode import HandleUnknown
from ...table.infer import How
from ...table.unknown import Unknown
from ..observed import DataSummary, DataTally
from .gathering import RowGatherer
from .rows import CachedRows, Rows


@contextmanager
def gathered_rows(
    params: Mapping[str, Any],
    source: Any,
    target: str | None,
    memory: int,
    progress: Progress | None,
    **read: Any,
) -> "Iterator[GatheredRows]":
    """Read the rows of a stream and merge equal ones; rows on disk are removed at the end.

    Parameters
    ----------
    params : mapping
        Parameters of the mixture.
    source, target, memory, progress
        As in :meth:`codelength.FiniteMixture.fit_table`.
    read
        Its further options: ``weights``, ``drop``, ``keep``, ``na`` and ``batch_rows``.
    """
    how = How.of(params["missing"], params["numeric"], params["identifiers"], None, ())
    given = None if params["schema"] is None else params["schema"].without_target()
    if target is None and isinstance(source, Table) and source.target is not None:
        target = source.target.name
    with ExitStack() as open_files:
        stream = open_files.enter_context(_opened(source, given, target, **read))
        schema, n_rows = stream.schema_by(how, progress)
        relative = params["weighting"] == "relative"
        unknown = params["handle_unknown"]
        gathered = stream.gathered(schema, unknown, memory, progress, relative=relative, n_rows=n_rows)
        rows = gathered.rows
        if isinstance(rows, CachedRows):
            open_files.enter_context(rows)
            if not rule_of(params["rule"]).settles:
                raise Infeasible(
                    f'rule="{params["rule"]}" predicts from all rows, and {rows.n_rows:,} distinct rows are '
                    'more than memory= allows; raise it, or pass rule="map"'
                )
        yield gathered


@dataclass(frozen=True, slots=True)
class GatheredRows:
    """All rows of a stream under a schema, and a summary of them."""

    schema: Schema
    rows: Rows
    observed: DataSummary


@dataclass(frozen=True, slots=True)
class _Stream:
    """A stream to learn from, the roles of its columns, and the schema if one was given."""

    batches: Batches
    roles: Roles
    given: Schema | None

    def schema_by(self, how: How, progress: Progress | None) -> tuple[Schema, int | None]:
        """Return the schema given, or the one of the whole table and its number of rows."""
        if self.given is not None:
            return self.given, None
        columns = self.roles.columns
        look = ProfileWork(self.roles)
        found = fold(look, self.batches, columns, look.merge, progress=progress)
        profile = check_rows(found, self.batches.name)
        draft = profile.draft(self.roles, how)
        # Columns of very many numbers take another pass each time that their cut points are not yet found.
        while draft.open:
            grids = {i: column.grid for i, column in draft.open.items()}
            work = CountWork(self.roles, draft.schema, grids=grids)
            tally = fold(work, self.batches, columns, Tally.merge, progress=progress)
            n_now, unknown = (0, None) if tally is None else (tally.n_rows, tally.unknown)
            check_unchanged(self.batches, profile.n_rows, n_now, unknown)
            assert tally is not None
            _, draft = settled_counts(tally, draft)
        return draft.schema, profile.n_rows

    def gathered(
        self,
        schema: Schema,
        handle_unknown: HandleUnknown,
        memory: int,
        progress: Progress | None,
        *,
        relative: bool,
        n_rows: int | None,
    ) -> GatheredRows:
        """Return the rows under a schema; the same ``n_rows`` that settled it, unless it was given."""
        encoder, sightings = BatchEncoder(schema, handle_unknown=handle_unknown), DataTally(schema)
        unknown: dict[str, Unknown] = {}

        def encoded(batch: Batch) -> tuple[Coded, dict[str, Unknown], int]:
            weighed, weights = self.roles.weighed(batch)
            return *encoder.encode(weighed, weights), batch.n_rows

        with (
            RowGatherer(schema, memory=memory) as gatherer,
            closing(map_batches(encoded, self.batches, self.roles.columns)) as results,
        ):
            for coded, strange, n_read in results:
                for name, found in strange.items():
                    unknown[name] = unknown[name].merge(found) if name in unknown else found
                sightings.add(coded)
                # Rows of weight zero were rows, too.
                sightings.n_rows += n_read - coded.n_rows
                gatherer.add(coded)
                if progress is not None:
                    progress(n_read)
            if n_rows is not None:
                check_unchanged(self.batches, n_rows, sightings.n_used, unknown)
            if not sightings.n_used and sightings.n_rows:
                raise DataError(
                    f"{self.batches.name or 'the table'}: all {sightings.n_rows:,} rows have weight zero; "
                    "give some a weight"
                )
            encoder.warn(unknown)
            scale = sightings.n_used / sightings.total_weight if relative and sightings.n_used else 1.0
            rows = gatherer.rows(scale)
        return GatheredRows(schema, rows, sightings.observed(rows.n_rows, scale))


@contextmanager
def _opened(
    source: Any,
    given: Schema | None,
    target: str | None,
    *,
    weights: str | None,
    drop: Iterable[str],
    keep: Sequence[str] | None,
    na: Iterable[str] | None,
    batch_rows: int,
) -> Iterator[_Stream]:
    """Open a stream, and close it at the end unless it was opened elsewhere."""
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=given)
    with ExitStack() as at_end:
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        roles = replace(Roles.of(batches, target, weights, drop, keep), target=None)
        if given is not None:
            named, used = matched(given, batches, roles)
            yield _Stream(batches, used, named)
        elif batches.once:
            with closing(Spool(batches, roles.columns)) as again:
                yield _Stream(again, roles, None)
        else:
            yield _Stream(batches, roles, None)
