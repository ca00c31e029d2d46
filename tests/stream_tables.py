"""What a stream must give: the counts of the same rows in memory."""

import warnings

import numpy as np
import pandas as pd

from codelength.counts import count
from codelength.sources import as_batches, as_table
from codelength.sources.readers import read_carrying
from codelength.table import encode, infer_schema


def collected(source, target=None, *, na=None):
    """All rows of a source as one table in memory."""
    return read_carrying(as_batches(source, na=na), (), target=target)[0]


def mixed_frame(n_rows=300, seed=0):
    """A frame with a column of every kind, some cells missing."""
    rng = np.random.default_rng(seed)

    def gaps(cells, missing=None):
        column = pd.Series(cells)
        column[rng.random(n_rows) < 0.1] = missing
        return column

    kinds = np.array(["a", "b", "ä", "snow ☃", "10", "9"])
    return pd.DataFrame(
        {
            "text": gaps(kinds[rng.integers(0, 6, n_rows)]),
            "few": rng.integers(-2, 5, n_rows),
            "whole": gaps(rng.integers(0, 400, n_rows).astype("float")).astype("Int64"),
            "real": gaps(rng.normal(size=n_rows), np.nan),
            "tied": np.where(rng.random(n_rows) < 0.6, 0.0, rng.normal(size=n_rows)),
            "truth": rng.random(n_rows) < 0.3,
            "day": pd.to_datetime(rng.integers(0, 90, n_rows), unit="D"),
            "moment": gaps(pd.to_datetime(rng.integers(0, 10**9, n_rows), unit="s"), pd.NaT),
            "domain": pd.Categorical(kinds[rng.integers(0, 3, n_rows)], ["z", "ä", "b", "a"]),
            "id": [f"row {i}" for i in range(n_rows)],
            "weight": rng.integers(0, 4, n_rows),
            "class": np.array(["yes", "no", "perhaps"])[rng.integers(0, 3, n_rows)],
        }
    )


def in_memory(data, target="class", weights=None, **options):
    """Counts by the way of the whole table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = as_table(data, target)
        if weights is not None:
            table = table.with_weights(table.column(weights).numbers).drop([weights]).counted()
        schema = infer_schema(table, sample_weight=table.weights, **options)
        return count(encode(schema, table, training=True))


def quietly(call, *arguments, **options):
    """A call without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **options)


def assert_same(found, expected):
    """The same schema, with the same reasons, and the same counts to the last bit."""
    assert found.schema == expected.schema
    origins = [[v.origin for v in (*c.schema.variables, c.schema.target)] for c in (found, expected)]
    assert origins[0] == origins[1]
    assert [v.values for v in found.schema.variables] == [v.values for v in expected.schema.variables]
    assert found == expected
