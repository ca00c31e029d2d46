"""Columns of pandas that are in several pieces in memory."""

import pandas as pd
import pytest

from codelength.counts.stream import learn_counts
from codelength.sources import as_batches
from stream_tables import assert_same, in_memory


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]"])
def test_text_that_was_put_together_is_read_across_its_pieces(dtype):
    part = pd.DataFrame({"colour": ["red", None, "blue"], "class": ["ripe", "raw", "raw"]}, dtype=dtype)
    frame = pd.concat([part, part.iloc[:2], part], ignore_index=True)
    batches = as_batches(frame, batch_rows=5)
    assert [batch.rows.column("colour").to_pylist() for batch in batches.read(["colour"])] == [
        ["red", None, "blue", "red", None],
        ["red", None, "blue"],
    ]
    assert_same(learn_counts(frame, "class", batch_rows=5), in_memory(frame))
