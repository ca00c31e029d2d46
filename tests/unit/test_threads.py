"""Blocks of rows over threads."""

import signal
import threading
import time
from concurrent.futures import CancelledError
from unittest import mock

import numpy as np
import pytest
import threadpoolctl

from codelength import _threads
from codelength._threads import (
    check_interrupted,
    in_threads,
    map_blocks,
    n_threads_or_default,
    one_blas_thread,
)
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


def interrupt():
    """Ctrl-C, as the main thread gets it."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_an_interrupt_does_not_wait_for_work_that_goes_on():
    """The caller is interrupted while two items are at work; the others never begin."""
    begun, ended, goes_on = [], threading.Semaphore(0), threading.Event()

    def work(item):
        begun.append(item)
        if len(begun) == 2:
            interrupt()
        try:
            assert goes_on.wait(60)
            check_interrupted()
        except CancelledError:
            ended.release()

    with pytest.raises(KeyboardInterrupt):
        list(in_threads(work, range(10), 2))
    assert not goes_on.is_set()
    goes_on.set()
    assert all(ended.acquire(timeout=60) for _ in range(2))
    assert len(begun) == 2


def test_work_within_work_ends_with_it():
    """Threads that others were started from are interrupted with these, and so are their loops."""
    begun, ended = threading.Barrier(3, timeout=60), threading.Semaphore(0)

    def inner(item):
        begun.wait()
        deadline = time.monotonic() + 60
        try:
            while time.monotonic() < deadline:
                check_interrupted()
        except CancelledError:
            ended.release()
            raise

    def outer(item):
        if item == 0:
            list(in_threads(inner, range(2), 2))
        begun.wait()
        interrupt()

    with pytest.raises(KeyboardInterrupt):
        list(in_threads(outer, range(2), 2))
    assert all(ended.acquire(timeout=60) for _ in range(2))
    check_interrupted()  # the caller itself goes on


def test_results_that_are_not_asked_for_interrupt_no_other_work():
    """A thread takes one result of its own threads; the thread beside it goes on."""
    taken = threading.Event()

    def outer(item):
        if item == 0:
            results = in_threads(abs, range(4), 2)
            first = next(results)
            results.close()
            taken.set()
            return first
        assert taken.wait(60)
        check_interrupted()
        return item

    assert list(in_threads(outer, range(2), 2)) == [0, 1]


def test_an_error_is_raised_once_all_work_has_ended():
    at_work, ended = threading.Event(), []

    def work(item):
        if item == 0:
            assert at_work.wait(60)
            raise KeyError("in a thread")
        at_work.set()
        ended.append(item)

    with pytest.raises(KeyError, match="in a thread"):
        list(in_threads(work, range(2), 2))
    assert ended == [1]


def test_linear_algebra_has_all_its_threads_again_after_overlapping_limits():
    """The first limit ends before the second, which began under it."""
    assert np.eye(2) @ np.ones(2) == pytest.approx(1.0)  # the library is loaded

    def n_threads():
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = n_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(n_threads()) == {1}
        second.__exit__(None, None, None)
        assert n_threads() == before


def test_linear_algebra_has_all_its_threads_again_when_another_thread_leaves_last():
    """The thread that set the limit first is alive when the limit ends."""
    entered, left, ended = threading.Event(), threading.Event(), threading.Event()

    def hold_first():
        with one_blas_thread():
            entered.set()
            assert left.wait(60)
        left_first.set()
        assert ended.wait(60)

    def n_threads():
        return [pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]

    left_first = threading.Event()
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = n_threads()
        thread = threading.Thread(target=hold_first)
        thread.start()
        try:
            assert entered.wait(60)
            with one_blas_thread():
                left.set()
                assert left_first.wait(60)
                assert set(n_threads()) == {1}
            assert n_threads() == before
            with one_blas_thread():
                assert set(n_threads()) == {1}
            assert n_threads() == before
        finally:
            left.set()
            ended.set()
            thread.join()
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert set(n_threads()) == {1}


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
