"""Finite mixtures of tables of any size: rows come in batches, and equal ones are merged as they come."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from ..counts._tally import CountWork, Tally, settled_counts
from ..counts.stream import check_unchanged, fold, map_batches, matched_schema, roles_under
from ..errors import DataError, Infeasible
from ..mixture.cache import MEMORY, CachedRows, RowGatherer, Rows
from ..mixture.observed import Observed, Sightings
from ..naive_bayes import rule_of
from ..sources import BATCH_ROWS, Batch, BatchEncoder, Batches, as_batches
from ..sources._spool import Spool
from ..sources.profile.profile import ProfileWork, check_rows
from ..sources.roles import Roles
from ..table import Coded, Schema, Table
from ..table.encode import HandleUnknown
from ..table.infer import How, Identifiers, Missing, Numeric
from ..table.unknown import Unknown
from ..typing import FloatArray
from ._tables import Progress
from .contract import Fitted

if TYPE_CHECKING:
    from ._fitted_mixture import FittedMixture


class StreamedMixture:
    """Learning from tables that memory need not hold, and predicting them."""

    if TYPE_CHECKING:
        missing: Missing
        handle_unknown: HandleUnknown
        numeric: Numeric
        identifiers: Identifiers
        schema: Schema | None
        weighting: str
        rule: str
        _state: Any

        _fitted: Any

        def _check_params(self) -> None: ...

        def _params(self) -> dict[str, Any]: ...

        def _chosen(
            self, rows: Rows, seen: Observed, fitted: Fitted, training: Coded | None
        ) -> FittedMixture: ...

    def fit_table(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        drop: Iterable[str] = (),
        keep: Sequence[str] | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        memory: int = MEMORY,
        progress: Progress | None = None,
    ) -> Self:
        """Fit mixtures to a table of any size: the same ones as :meth:`fit` finds for the same rows.

        Equal rows are merged as they come. Distinct rows that take more than ``memory`` go to a temporary
        file, from which EM reads them block by block; it is removed in any case. Then the criterion must be
        one that adds up over rows, and methods that need all rows in memory, such as standard errors, ask for
        some as ``X=``. Where memory holds them the distinct rows are kept for those methods, but not their
        order: :meth:`predict_table` gives the components of all rows.

        Parameters
        ----------
        source : table of any kind
            Files, database queries, frames of any engine, or batches of them; see
            :func:`codelength.as_batches`.
        target : str, optional
            A column to leave out, as ``y`` in :meth:`fit`; by default the target of a
            :class:`codelength.Table`.
        weights : str, optional
            The column that says how many rows each row stands for.
        drop, keep : list of str
            Columns to leave out, or the only ones to take.
        na : list of str, optional
            Texts that mean missing in files.
        batch_rows : int
            Most rows per batch.
        memory : int
            Bytes that the distinct rows may take.
        progress : callable, optional
            Called with the number of rows of each batch, in every pass over the source.

        Examples
        --------
        >>> from codelength import FiniteMixture
        >>> table = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> FiniteMixture(random_state=0).fit_table(table, batch_rows=7).n_components_
        2
        """
        self._check_params()
        how = How.of(self.missing, self.numeric, self.identifiers, None, ())
        given = None if self.schema is None else self.schema.without_target()
        if target is None and isinstance(source, Table) and source.target is not None:
            target = source.target.name
        with ExitStack() as open_files:
            stream = open_files.enter_context(
                _opened(source, given, target, weights, drop=drop, keep=keep, na=na, batch_rows=batch_rows)
            )
            schema, n_rows = stream.schema_by(how, progress)
            gathered = stream.gathered(
                schema,
                self.handle_unknown,
                memory,
                progress,
                relative=self.weighting == "relative",
                n_rows=n_rows,
            )
            rows = gathered.rows
            if isinstance(rows, CachedRows):
                open_files.enter_context(rows)
                if not rule_of(self.rule).settles:
                    raise Infeasible(
                        f'rule="{self.rule}" predicts from all rows, and {rows.n_rows:,} distinct rows are '
                        'more than memory= allows; raise it, or pass rule="map"'
                    )
            training = rows if isinstance(rows, Coded) else None
            fitted = Fitted(self._params(), schema, True)
            self._state = self._chosen(rows, gathered.observed, fitted, training)
        return self

    def _probs_of(self, coded: Coded) -> tuple[FloatArray, int]:
        return self._fitted.mixture.responsibilities(self._fitted.mixture.coded(coded)), 0


@dataclass(frozen=True, slots=True)
class _Gathered:
    """All rows of a stream, and what there was to see of them."""

    rows: Rows
    observed: Observed


@dataclass(frozen=True, slots=True)
class _Stream:
    """A stream to learn from, what its columns are, and the schema where one was given."""

    batches: Batches
    roles: Roles
    given: Schema | None

    def schema_by(self, how: How, progress: Progress | None) -> tuple[Schema, int | None]:
        """The schema given, or the one of the whole table and how many rows that has."""
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
    ) -> _Gathered:
        """The rows under a schema; the same ``n_rows`` that settled it, unless it was given."""
        encoder, sightings = BatchEncoder(schema, handle_unknown=handle_unknown), Sightings(schema)
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
        return _Gathered(rows, sightings.observed(rows.n_rows, scale))


@contextmanager
def _opened(
    source: Any,
    given: Schema | None,
    target: str | None,
    weights: str | None,
    *,
    drop: Iterable[str],
    keep: Sequence[str] | None,
    na: Iterable[str] | None,
    batch_rows: int,
) -> Iterator[_Stream]:
    """A stream that is closed at the end, unless it was opened elsewhere."""
    batches = as_batches(source, batch_rows=batch_rows, na=na, kinds=given)
    with ExitStack() as at_end:
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        roles = replace(Roles.of(batches, target, weights, drop, keep), target=None)
        if given is not None:
            named = matched_schema(given, roles)
            yield _Stream(batches, roles_under(named, batches, None, weights), named)
        elif batches.once:
            with closing(Spool(batches, roles.columns)) as again:
                yield _Stream(again, roles, None)
        else:
            yield _Stream(batches, roles, None)
