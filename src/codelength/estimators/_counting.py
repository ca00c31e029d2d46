"""Counts of tables of any size under the options of an estimator."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from typing import Any

from ..counts import Counts
from ..counts.stream import learn_counts
from ..errors import InvalidParameter
from ..sources import Batches, as_batches
from ..sources._spool import Spool
from ..table import Table
from ..table.checks import check_instance
from .reading import Reading


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
        The counts, with the schema that was declared or inferred.
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
    """Raise InvalidParameter for parameters that need all rows in memory.

    Parameters
    ----------
    params : mapping
        Parameters of the estimator.
    weights : str, optional
        Name of the column of row weights.
    """
    if params["select"] is not None:
        raise InvalidParameter(
            f"select={params['select']!r}: choosing variables takes all rows in memory; call fit instead"
        )
    if weights is not None and params["weighting"] == "relative":
        raise InvalidParameter(
            'weighting="relative": weights are compared with each other, which takes all rows in memory; '
            'call fit, or pass weighting="counts"'
        )


@contextmanager
def _readable_twice(source: Any, na: Iterable[str] | None, batch_rows: int) -> Iterator[Any]:
    """Return a context with a source that can be read more than once, from a copy on disk if necessary."""
    # The caller keeps ownership of batches of its own; everything opened here is closed here.
    batches = as_batches(source, batch_rows=batch_rows, na=na)
    with ExitStack() as at_end:
        if not isinstance(source, Batches):
            at_end.enter_context(closing(batches))
        yield at_end.enter_context(closing(Spool(batches, batches.names))) if batches.once else source
