"""What is done with partitions, whatever engine holds them."""

import pickle
import sys
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength.errors import DataError
from codelength.sources import Batch
from codelength.sources.engines._partitions import Part, joined, part_of, regrouped, unpickled
from codelength.sources.profile.profile import Sample, priorities

SIZES = st.lists(st.integers(0, 60), min_size=1, max_size=6)


@given(SIZES, st.integers(1, 40))
def test_samples_that_were_thinned_make_a_sample_of_all_rows_alike(sizes, most):
    parts, limits, ranks = [], [], []
    for number, size in enumerate(sizes):
        of_part = priorities(number << 40, size)
        parts.append(Sample.of(1000, of_part, None, {"x": of_part.astype(float)}, 2**64 - 1))
        parts[-1].thin(most)
        limits.append(sorted(of_part.tolist())[most] if size > most else 2**64)
        ranks += of_part.tolist()
    whole = parts[0]
    for part in parts[1:]:
        whole.merge(pickle.loads(pickle.dumps(part)))
    whole.settle()
    expected = sorted(rank for rank in ranks if rank < min(limits))
    assert sorted(whole.ranks.tolist()) == expected
    assert np.array_equal(whole.columns["x"], whole.ranks.astype(float))


@given(SIZES, st.integers(1, 30))
def test_batches_are_regrouped_without_losing_a_row(sizes, batch_rows):
    starts = np.concatenate(([0], np.cumsum(sizes)))
    given_batches = [
        pa.record_batch({"x": np.arange(start, start + size)})
        for start, size in zip(starts[:-1], sizes, strict=True)
    ]
    found = list(regrouped(given_batches, batch_rows))
    assert [cell for batch in found for cell in batch.rows["x"].to_pylist()] == list(range(starts[-1]))
    assert [batch.first_row for batch in found] == [batch.rows["x"][0].as_py() for batch in found]
    assert all(0 < batch.n_rows <= batch_rows for batch in found)
    # Two neighbours never fit into one.
    pairs = pairwise(found)
    assert all(one.n_rows + other.n_rows > batch_rows for one, other in pairs)


def listed(batch):
    return [(batch.position, batch.where)]


@given(SIZES)
def test_parts_are_joined_in_the_order_of_the_partitions(sizes):
    parts = []
    for number, size in enumerate(sizes):
        batches = regrouped([pa.record_batch({"x": np.arange(size)})], 25)
        parts.append(part_of(batches, number, listed, list.__add__))
    whole = joined(parts, list.__add__)
    assert whole.n_rows == sum(sizes)
    found = unpickled(whole)
    assert (found is None) == (sum(sizes) == 0)
    if found:
        assert found == sorted(found)
        assert len({position for position, _ in found}) == sum(-(-size // 25) for size in sizes)
    # Joining leaves the parts as they were, so that they can be joined again.
    assert joined(parts, list.__add__) == whole


def test_what_does_not_go_together_is_told_with_its_partition():
    def refuse(one, other):
        raise DataError("column 'x': holds text here")

    parts = [Part(number, 1, pickle.dumps([number])) for number in (2, 3)]
    with pytest.raises(DataError, match=r"^partition 3: column 'x': holds text here$"):
        joined(parts, refuse)
    two = [Batch(pa.record_batch({"x": [1]}), first_row=row) for row in (0, 1)]
    with pytest.raises(DataError, match=r"^partition 7, row 1: column 'x': holds text here$"):
        part_of(two, 7, listed, refuse)


def test_neither_engine_is_imported_for_other_tables():
    import subprocess

    program = (
        "import sys; from codelength import NaiveBayes; "
        "NaiveBayes().fit_table({'x': [1, 2], 'y': ['a', 'b']}, 'y'); "
        "print([name for name in ('dask', 'distributed', 'pyspark', 'py4j') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
