"""Blocks of rows over threads."""

import threading
from unittest import mock

import pytest

from codelength import _threads
from codelength._threads import map_blocks, n_threads_or_default
from codelength.errors import InvalidParameter


@pytest.mark.parametrize("n_rows", [0, 1, 9, 10, 11, 1000, 12_345])
@pytest.mark.parametrize("n_threads", [1, 2, 7])
@pytest.mark.parametrize("one_per_thread", [False, True])
def test_blocks_cover_all_rows_in_order(n_rows, n_threads, one_per_thread):
    with mock.patch.object(_threads, "BLOCK_ROWS", 10):
        blocks = map_blocks(lambda *block: block, n_rows, n_threads, one_per_thread=one_per_thread)
    rows = [row for start, stop in blocks for row in range(start, stop)]
    assert rows == list(range(n_rows))
    assert len(blocks) <= (n_threads if one_per_thread else _threads.MAX_BLOCKS)


def test_blocks_do_not_depend_on_the_number_of_threads():
    with mock.patch.object(_threads, "BLOCK_ROWS", 10):
        assert len({tuple(map_blocks(lambda *block: block, 1234, n)) for n in (1, 2, 5, 64)}) == 1


def test_work_is_shared_between_threads():
    """Two blocks that wait for each other can only end in two threads."""
    barrier = threading.Barrier(2, timeout=20)
    with mock.patch.object(_threads, "BLOCK_ROWS", 10):
        names = map_blocks(lambda *_: (barrier.wait(), threading.current_thread().name)[1], 20, n_threads=2)
    assert len(set(names)) == 2


def test_one_thread_is_the_caller_s_own():
    names = map_blocks(lambda *_: threading.current_thread(), 5, n_threads=1)
    assert names == [threading.current_thread()]


def test_an_error_in_a_block_comes_out():
    def work(start, stop):
        if start == 20:
            raise KeyError("in a block")

    with mock.patch.object(_threads, "BLOCK_ROWS", 10), pytest.raises(KeyError, match="in a block"):
        map_blocks(work, 50, n_threads=3)


def test_the_number_of_threads_can_be_set_from_outside(monkeypatch):
    monkeypatch.setenv("CODELENGTH_THREADS", "3")
    assert n_threads_or_default(None) == 3
    assert n_threads_or_default(2) == 2
    monkeypatch.delenv("CODELENGTH_THREADS")
    assert n_threads_or_default(None) >= 1


@pytest.mark.parametrize("asked", ["0", "-1", "many", "2.5", "²"])
def test_numbers_of_threads_that_are_none(monkeypatch, asked):
    monkeypatch.setenv("CODELENGTH_THREADS", asked)
    with pytest.raises(InvalidParameter, match="CODELENGTH_THREADS"):
        n_threads_or_default(None)


@pytest.mark.parametrize("n_threads", [0, -2])
def test_arguments_that_are_no_number_of_threads(n_threads):
    with pytest.raises(InvalidParameter, match=f"n_threads={n_threads}"):
        n_threads_or_default(n_threads)
