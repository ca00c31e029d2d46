"""Models that learn counts, of tables of any size."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any, Self

from ..counts import Counts
from ..counts.stream import learn_counts
from ..errors import InvalidParameter
from ..sources import BATCH_ROWS, Batches, as_batches
from ..sources._spool import Spool
from ..table import Table
from ..table.checks import check_flag, check_instance
from ._prior_knowledge import KnowsBefore
from ._tables import Progress
from .validation import check_classes


class CountsTables(KnowsBefore):
    """A model that is a function of counts, which add up over batches, threads and machines."""

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
        progress: Progress | None = None,
    ) -> Self:
        """Learn from a table of any size, batch after batch.

        The model is that of ``fit`` on the same rows, to the last bit for whole weights. The first of two
        passes settles the schema, the second counts; where a schema was given there is one.

        Parameters
        ----------
        source : table of any kind
            Files, queries, or frames of any library; see :func:`codelength.as_batches`. The rows of a Dask or
            Spark data frame stay where they are: only counts travel.
        target : str, optional
            The column that holds the class of each row; by default the target of a :class:`codelength.Table`
            or of ``schema``.
        weights : str, optional
            The column that says how many rows each row stands for.
        drop, keep : list of str
            Columns to leave out, or the only ones to take.
        na : list of str, optional
            Texts that mean missing in files.
        batch_rows : int
            Most rows per batch.
        progress : function, optional
            Called with the number of rows of each batch, in every pass.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> table = {"colour": ["red", "red", "blue"], "state": ["ripe", "ripe", "raw"]}
        >>> NaiveBayes().fit_table(table, "state").counts_.of("colour")
        array([[1., 0.],
               [0., 2.]])
        """
        self._check_params()
        if target is None:
            named = source if isinstance(source, Table) else self._known_schema
            target = None if named is None or named.target is None else named.target.name
        check_instance("target", target, str, "the name of a column")
        self._check_countable(weights)
        taken: dict[str, Any] = {
            "weights": weights,
            "drop": drop,
            "na": na,
            "batch_rows": batch_rows,
            "progress": progress,
        }
        with ExitStack() as stack:
            schema = self._known_schema
            if schema is not None and schema.target is None:
                source = stack.enter_context(_readable_twice(source, na, batch_rows))
                # Any column goes with the classes; there are no rows without one.
                classes = learn_counts(source, target, keep=schema.names[:1], **taken)
                schema = replace(schema, target=classes.schema.target)
            counts = learn_counts(
                source,
                target,
                schema=schema,
                keep=keep,
                missing=self.missing,
                numeric=self.numeric,
                identifiers=self.identifiers,
                cutting=self.cutting,
                handle_unknown=self.handle_unknown,
                **taken,
            )
        return self.fit_counts(counts, weighted=weights is not None)

    def fit_counts(self, counts: Counts, *, weighted: bool = False) -> Self:
        """Learn from counts that were made elsewhere: by an engine, on a cluster, or by another model.

        Parameters
        ----------
        counts : Counts
            How often each value was seen in each class; see :meth:`codelength.counts.Counts.from_cells`.
        weighted : bool
            Whether rows were counted with weights.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes("map").fit({"colour": ["red", "blue", "red"]}, ["ripe", "raw", "ripe"])
        >>> averaged = NaiveBayes("evidence").fit_counts(model.counts_)
        >>> averaged.predict_proba({"colour": ["red"]}).round(2)
        array([[0.23, 0.77]])
        """
        self._check_params()
        check_instance("counts", counts, Counts, "Counts")
        counts.check()
        check_flag("weighted", weighted)
        self._check_countable(None)
        check_classes(counts.schema)
        self._state = self._counted(counts, weighted=weighted)
        return self

    def _counted(self, counts: Counts, *, weighted: bool) -> Any:
        """The state after counting."""
        raise NotImplementedError

    def _check_countable(self, weights: str | None) -> None:
        """Refuse parameters that take all rows in memory."""
        if getattr(self, "select", None) is not None:
            raise InvalidParameter(
                f"select={self.select!r}: choosing variables takes all rows in memory; call fit instead"
            )
        if weights is not None and getattr(self, "weighting", None) == "relative":
            raise InvalidParameter(
                'weighting="relative": weights are set against each other, which takes all rows in memory; '
                'call fit, or pass weighting="counts"'
            )


@contextmanager
def _readable_twice(source: Any, na: Iterable[str] | None, batch_rows: int) -> Iterator[Any]:
    """A source whose rows can be read more than once; if need be, they are kept on disk."""
    batches = as_batches(source, batch_rows=batch_rows, na=na)
    with ExitStack() as at_end:
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        yield at_end.enter_context(closing(Spool(batches, batches.names))) if batches.once else source
