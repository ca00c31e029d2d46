"""Rows that come in batches are the distinct rows of the whole table, in memory or on disk."""

import os
import resource
import tempfile
from collections import Counter
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.errors import DataError, InvalidParameter, SchemaMismatch
from codelength.mixture.cache import CachedRows, RowBlocks, gathering, rows
from codelength.mixture.cache._runs import RowPacking, merged, sorted_run
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import gather

SIZES = st.one_of(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.sampled_from([[300, 2], [70_000, 3], [9] * 25, [200] * 9, [256, 255], [1, 1]]),
)


@pytest.fixture
def few_at_a_time(monkeypatch):
    """Runs and blocks of a few rows, so that little data takes every path."""
    monkeypatch.setattr(gathering, "LEAST_SORTED", 8)
    monkeypatch.setattr(gathering, "LEAST_HELD", 3)
    monkeypatch.setattr(rows, "BLOCK_ROWS", 7)
    monkeypatch.setattr(rows, "PIECE_ROWS", 4)
    monkeypatch.setattr(rows, "MAX_KEPT", 0)


def table_of(seed, sizes, n_rows, weights=None):
    generator = np.random.default_rng(seed)
    # Few values of each column, but the last ones and missing among them.
    few = [np.unique([0, size // 3, size - 1, size]) for size in sizes]
    codes = np.stack([generator.choice(values, n_rows) for values in few], axis=1)
    return Coded.of(Schema.from_sizes(sizes), codes, weights=weights)


def cut(coded, places):
    bounds = [0, *sorted(place % (coded.n_rows + 1) for place in places), coded.n_rows]
    return [coded.take(np.arange(start, stop)) for start, stop in pairwise(bounds)]


def whole(gathered):
    """All codes and weights."""
    with ExitStack() as at_end:
        if isinstance(gathered, CachedRows):
            at_end.enter_context(gathered)
        blocks = list(RowBlocks(gathered))
        return (
            np.concatenate([block.codes for block in blocks]),
            np.concatenate([block.weights for block in blocks]),
        )


@pytest.mark.parametrize("memory", [1, 4000, 1 << 20])
def test_rows_are_the_distinct_ones_of_the_table_however_they_come(few_at_a_time, memory):
    """To the last bit, and in the same order."""

    @settings(max_examples=40)
    @given(
        seed=st.integers(0, 2**32),
        sizes=SIZES,
        n_rows=st.integers(1, 80),
        places=st.lists(st.integers(0, 80), max_size=5),
        weighted=st.booleans(),
    )
    def check(seed, sizes, n_rows, places, weighted):
        weights = np.random.default_rng(seed).integers(0, 3, n_rows) if weighted else None
        coded = table_of(seed, sizes, n_rows, weights)
        expected = coded.distinct()
        if not expected.n_rows:
            return
        codes, found = whole(gather(cut(coded, places), coded.schema, memory=memory))
        assert np.array_equal(codes, expected.codes)
        assert np.array_equal(found, expected.weights)
        # And by a way of counting that has nothing to do with either.
        ones = np.ones(n_rows) if weights is None else weights
        counter = Counter()
        for row, weight in zip(coded.codes.tolist(), ones.tolist(), strict=True):
            counter[tuple(row)] += weight
        assert dict(zip(map(tuple, codes.tolist()), found.tolist(), strict=True)) == +counter

    check()


def test_rows_go_to_disk_only_beyond_memory(few_at_a_time):
    coded = table_of(0, [3, 3, 3], 200)
    assert isinstance(gather([coded], coded.schema), Coded)
    with gather([coded], coded.schema, memory=100) as cached:
        assert isinstance(cached, CachedRows)
        assert cached.total_weight == 200
        assert cached.n_rows == coded.distinct().n_rows


def test_equal_rows_are_merged_as_they_come_while_that_pays(few_at_a_time):
    """Many rows of few kinds never go to disk, however little memory there is for all of them."""
    coded = table_of(0, [2, 2], 5000)
    gathered = gather(cut(coded, range(0, 5000, 50)), coded.schema, memory=2000)
    assert isinstance(gathered, Coded)
    assert gathered.weights.sum() == 5000


@pytest.mark.parametrize(
    ("largest", "n_bytes"), [(1, 1), (200, 1), (300, 2), (70_000, 4), (2**40, 8), (0.5, 8)]
)
def test_weights_take_the_smallest_type_that_holds_them(few_at_a_time, largest, n_bytes):
    schema = Schema.from_sizes([9] * 3)
    codes = np.stack(np.unravel_index(np.arange(100), (9, 9, 9)), axis=1)
    weights = np.ones(100)
    weights[17] = largest
    with gather([Coded.of(schema, codes, weights=weights)], schema, memory=1) as cached:
        n_key_bytes = 2 * cached.cells.n_groups
        assert cached.n_bytes == 100 * (n_key_bytes + n_bytes)
        assert whole_weights(cached) == weights.tolist()


def whole_weights(cached):
    return [weight for block in RowBlocks(cached) for weight in block.weights.tolist()]


def test_weights_are_scaled(few_at_a_time):
    coded = table_of(1, [3, 3], 50)
    for memory in (1, 1 << 20):
        with gathering.RowGatherer(coded.schema, memory=memory) as gatherer:
            gatherer.add(coded)
            _, weights = whole(gatherer.rows(0.5))
        assert np.array_equal(weights, coded.distinct().weights / 2)


@given(seed=st.integers(0, 2**32), sizes=SIZES, n_rows=st.integers(1, 30))
def test_packed_rows_are_rows_again_and_sort_as_they_do(seed, sizes, n_rows):
    coded = table_of(seed, sizes, n_rows)
    packing = RowPacking.of(coded.schema)
    words = packing.pack(coded.codes)
    assert np.array_equal(packing.unpack(words), coded.codes)
    in_memory = np.ascontiguousarray(coded.codes).view(np.uint8).reshape(n_rows, -1)
    by_words = sorted(range(n_rows), key=lambda n: tuple(words[:, n].tolist()))
    by_bytes = sorted(range(n_rows), key=lambda n: in_memory[n].tobytes())
    assert np.array_equal(coded.codes[by_words], coded.codes[by_bytes])


@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(0, 20), min_size=1, max_size=5),
    window=st.integers(1, 9),
)
def test_runs_become_one_in_any_window(seed, sizes, window):
    generator = np.random.default_rng(seed)
    words = [generator.integers(0, 4, (2, size)).astype(np.uint64) for size in sizes]
    pieces = list(merged([sorted_run(own, None) for own in words], window))
    found = [tuple(row) for piece in pieces for row in piece.words.T.tolist()]
    counter = Counter(tuple(row) for own in words for row in own.T.tolist())
    assert found == sorted(counter)
    assert [weight for piece in pieces for weight in piece.weights] == [counter[row] for row in found]
    assert all(piece.weights.size <= window * len(sizes) for piece in pieces)


def test_no_rows_are_no_rows():
    schema = Schema.from_sizes([2])
    assert gather([], schema).n_rows == 0
    assert gather([Coded.of(schema, [[0]], weights=[0])], schema).n_rows == 0


def test_other_codes_and_no_memory_are_refused():
    schema = Schema.from_sizes([2, 3])
    with pytest.raises(SchemaMismatch, match="another schema"):
        gather([Coded.of(Schema.from_sizes([2]), [[0]])], schema)
    with pytest.raises(InvalidParameter, match="memory"):
        gather([], schema, memory=0)


def open_files(directory):
    """How many files of a directory this process has open, those without a name among them."""
    targets = []
    for link in Path("/proc/self/fd").iterdir():
        # Other threads close theirs meanwhile.
        with suppress(OSError):
            targets.append(os.readlink(link))
    return sum(target.startswith(f"{directory}/") for target in targets)


class TestTemporaryFiles:
    """They have no name, and are gone in any case."""

    CODED = table_of(0, [9] * 4, 500)

    @pytest.fixture(autouse=True)
    def _directory(self, few_at_a_time, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        self.directory = tmp_path

    def test_after_use(self):
        with gather([self.CODED], self.CODED.schema, memory=1) as cached:
            assert open_files(self.directory) > 0
            assert os.listdir(self.directory) == []
            _ = cached.block(0, 5)
        assert open_files(self.directory) == 0

    @pytest.mark.parametrize("error", [KeyboardInterrupt, DataError])
    def test_after_an_interruption(self, error):
        def blocks():
            yield self.CODED
            raise error("enough")

        with pytest.raises(error):
            gather(blocks(), self.CODED.schema, memory=1)
        assert open_files(self.directory) == 0
        assert os.listdir(self.directory) == []

    def test_after_an_interruption_of_the_merge(self, monkeypatch):
        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(RowPacking, "unpack", interrupted)
        with pytest.raises(KeyboardInterrupt):
            gather([self.CODED], self.CODED.schema, memory=1)
        assert open_files(self.directory) == 0

    def test_after_the_disk_was_full(self):
        """A limit on the size of files is what a full disk is: the system refuses to write on."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))
        try:
            with pytest.raises(DataError, match=r"temporary file .* set TMPDIR .* or raise memory="):
                gather([self.CODED], self.CODED.schema, memory=1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert open_files(self.directory) == 0

    def test_where_there_is_no_directory(self, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(self.directory / "absent"))
        with pytest.raises(DataError, match=r"absent: temporary file .* set TMPDIR"):
            gather([self.CODED], self.CODED.schema, memory=1)
