"""Finite mixtures of tables of any size: rows come in batches, and equal ones are merged as they come."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

from ...counts.stream import Progress, check_unchanged, map_batches, opened, settled_schema
from ...errors import DataError, Infeasible
from ...naive_bayes import rule_of
from ...sources import Batch, BatchEncoder, Batches
from ...sources.roles import Roles
from ...table import Coded, Schema, Table
from ...table.infer import How
from ...table.unknown import Unknown
from ..summaries import DataSummary, DataTally
from .gathering import RowGatherer
from .rows import CachedRows, Rows


@dataclass(frozen=True, slots=True)
class GatheredRows:
    """All rows of a stream under a schema, and a summary of them."""

    schema: Schema
    rows: Rows
    observed: DataSummary


@contextmanager
def gathered_rows(
    params: Mapping[str, Any],
    source: Any,
    target: str | None,
    memory: int,
    progress: Progress | None,
    **read: Any,
) -> Iterator[GatheredRows]:
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
    given = None if params["schema"] is None else params["schema"].without_target()
    if target is None and isinstance(source, Table) and source.target is not None:
        target = source.target.name
    with ExitStack() as open_files:
        stream = opened(source, given, target, has_classes=False, **read)
        batches, roles, schema = open_files.enter_context(stream)
        n_rows = None
        if schema is None:
            how = How(params["missing"], params["numeric"], params["identifiers"], None, ())
            schema, n_rows, _ = settled_schema(batches, roles, how, False, progress=progress)
        gathered = _gathered(batches, roles, schema, n_rows, params, memory, progress)
        rows = gathered.rows
        if isinstance(rows, CachedRows):
            open_files.enter_context(rows)
            if not rule_of(params["rule"]).settles:
                raise Infeasible(
                    f'rule="{params["rule"]}" predicts from all rows, and {rows.n_rows:,} distinct rows are '
                    'more than memory= allows; raise it, or pass rule="map"'
                )
        yield gathered


def _gathered(
    batches: Batches,
    roles: Roles,
    schema: Schema,
    n_rows: int | None,
    params: Mapping[str, Any],
    memory: int,
    progress: Progress | None,
) -> GatheredRows:
    """Return the rows under a schema; the same ``n_rows`` that settled it, unless it was given."""
    encoder, tally = BatchEncoder(schema, handle_unknown=params["handle_unknown"]), DataTally(schema)
    unknown: dict[str, Unknown] = {}

    def encoded(batch: Batch) -> tuple[Coded, dict[str, Unknown], int]:
        weighed, weights = roles.weighed(batch)
        return *encoder.encode(weighed, weights), batch.n_rows

    with (
        RowGatherer(schema, memory=memory) as gatherer,
        closing(map_batches(encoded, batches, roles.columns)) as results,
    ):
        for coded, strange, n_read in results:
            for name, found in strange.items():
                unknown[name] = unknown[name].merge(found) if name in unknown else found
            tally.add(coded)
            # Rows of weight zero were rows, too.
            tally.n_rows += n_read - coded.n_rows
            gatherer.add(coded)
            if progress is not None:
                progress(n_read)
        if n_rows is not None:
            check_unchanged(batches, n_rows, tally.n_used, unknown)
        if not tally.n_used and tally.n_rows:
            name = batches.name or "the table"
            raise DataError(f"{name}: all {tally.n_rows:,} rows have weight zero; give some a weight")
        encoder.warn(unknown)
        is_relative = params["weighting"] == "relative" and tally.n_used
        scale = tally.n_used / tally.total_weight if is_relative else 1.0
        rows = gatherer.rows(scale)
    return GatheredRows(schema, rows, tally.observed(rows.n_rows, scale))
