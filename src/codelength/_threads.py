"""Loops over rows: first small ones in plain numpy, all others compiled, in blocks over threads.

Results depend neither on the number of threads nor on which of the two ways a loop was run.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cache
from numbers import Integral
from threading import Event, Lock
from typing import Any, TypeVar

from .errors import InvalidParameter

S = TypeVar("S")
T = TypeVar("T")

BLOCK_ROWS = 1 << 16
"""Rows per block. Fixed, so that sums over blocks are the same for any number of threads."""

MAX_BLOCKS = 64
"""Most blocks per table: each block costs one table of partial sums."""


class FirstCalls:
    """Decision which calls are too few and too small to compile a kernel for.

    Compiling takes two or three seconds, in which plain numpy handles some forty million elements. It pays
    for many small calls or one large call. Once a kernel is compiled, small calls use it too.

    Parameters
    ----------
    at_once, in_all : int
        Elements that plain numpy handles in one call, and in all calls of this process, at most.

    Examples
    --------
    >>> calls = FirstCalls(at_once=10, in_all=15)
    >>> [calls.are_plain(n) for n in (8, 8, 1)]
    [True, False, False]
    """

    def __init__(self, at_once: int = 4_000_000, in_all: int = 12_000_000) -> None:
        self.at_once = at_once
        self.left = in_all

    def are_plain(self, n_elements: int) -> bool:
        """Return whether plain numpy is faster for a call with so many elements, compilation included."""
        # Set to 0 for good by the first call that is too large: its kernel is compiled then, and free for all
        # later calls.
        self.left = self.left - n_elements if n_elements <= min(self.at_once, self.left) else 0
        return self.left > 0


def n_threads_or_default(n_threads: int | None) -> int:
    """Return the number of threads: as given, else ``CODELENGTH_THREADS``, else the processors available.

    Parameters
    ----------
    n_threads : int or None
        Number given by the user.

    Raises
    ------
    InvalidParameter
        If the number or the environment variable is not a whole number of at least 1.

    Examples
    --------
    >>> n_threads_or_default(3)
    3
    """
    if n_threads is None:
        asked = os.environ.get("CODELENGTH_THREADS", "")
        if not asked:
            return _available_processors()
        if not asked.isdecimal() or int(asked) < 1:
            raise InvalidParameter(f"CODELENGTH_THREADS={asked!r}: expected a whole number of at least 1")
        return int(asked)
    if not isinstance(n_threads, Integral) or isinstance(n_threads, bool) or n_threads < 1:
        # Python refuses to print whole numbers of thousands of digits; the message names their type.
        is_short = isinstance(n_threads, int) and abs(n_threads) < 2**63
        shown = n_threads if is_short else f"a {type(n_threads).__name__}"
        raise InvalidParameter(f"n_threads={shown}: expected at least 1, or None for all processors")
    return int(n_threads)


_interrupted: ContextVar[Event | None] = ContextVar("interrupted", default=None)
"""In threads of :func:`in_threads`: set once the caller that waits for their results has been interrupted."""


def in_threads(work: Callable[[S], T], items: Sequence[S], n_threads: int | None = None) -> Iterator[T]:
    """Yield ``work(item)`` for each item, in order, from at most ``n_threads`` threads.

    If there is one thread or one item, the work runs in the thread of the caller. If the caller is
    interrupted, work that has not begun is cancelled. Work that has begun is not waited for; it ends at its
    next call of :func:`check_interrupted`.

    Parameters
    ----------
    work : function
        Called once per item; compiled kernels in it release the GIL.
    items : sequence
        Arguments of the calls.
    n_threads : int, optional
        As in :func:`n_threads_or_default`.

    Yields
    ------
    object
        Result of one item, in the order of the items.

    Examples
    --------
    >>> list(in_threads(str.upper, ["a", "b", "c"], n_threads=2))
    ['A', 'B', 'C']
    """
    n_threads = min(n_threads_or_default(n_threads), len(items))
    if n_threads <= 1:
        for item in items:
            check_interrupted()
            yield work(item)
        return
    # Nested calls share the event of the outermost one, so that one interrupt reaches all threads.
    outer = _interrupted.get()
    interrupted = Event() if outer is None else outer

    def in_thread(item: S) -> T:
        _interrupted.set(interrupted)
        check_interrupted()
        return work(item)

    pool = ThreadPoolExecutor(n_threads, thread_name_prefix="codelength")
    try:
        futures = deque([pool.submit(in_thread, item) for item in items])
        while futures:
            yield awaited(futures.popleft())
    except BaseException as error:
        is_failure = isinstance(error, Exception)
        # Within a thread of an outer call, the caller has only stopped asking; other outer work continues.
        if not is_failure and outer is None:
            interrupted.set()
        # After Ctrl-C nobody waits: the threads see the event and stop by themselves.
        pool.shutdown(wait=is_failure, cancel_futures=True)
        raise
    pool.shutdown()


def mapped(pool: ThreadPoolExecutor, work: Callable[..., T], *arguments: Iterable[Any]) -> Iterator[T]:
    """Yield results of a pool in the order of the arguments, as its ``map`` does, and notice interrupts."""
    futures = deque([pool.submit(work, *each) for each in zip(*arguments, strict=True)])
    try:
        while futures:
            yield awaited(futures.popleft())
    finally:
        for future in futures:
            future.cancel()


def awaited(future: Future[T]) -> T:
    """Return the result of a future; an interrupt is noticed within a tenth of a second."""
    # Python does not see a signal that arrives just before a wait begins until that wait ends.
    while not wait([future], timeout=0.1).done:
        pass
    return future.result()


def check_interrupted() -> None:
    """Raise ``CancelledError`` in a thread of :func:`in_threads` whose caller was interrupted."""
    event = _interrupted.get()
    if event is not None and event.is_set():
        raise CancelledError


def map_blocks(
    work: Callable[[int, int], T], n_rows: int, n_threads: int | None = None, *, one_per_thread: bool = False
) -> list[T]:
    """Return ``work(start, stop)`` for consecutive blocks of rows, in row order.

    Parameters
    ----------
    work : function
        Called with the first row of a block and the row after its last.
    n_rows : int
        Rows in all.
    n_threads : int, optional
        As in :func:`n_threads_or_default`.
    one_per_thread : bool
        Make as few blocks as there are threads, for work whose results do not depend on block bounds, such as
        counts of whole rows.

    Returns
    -------
    list
        One result per block.

    Examples
    --------
    >>> map_blocks(lambda start, stop: stop - start, 150_000)
    [65536, 65536, 18928]
    >>> map_blocks(lambda start, stop: stop - start, 150_000, n_threads=2, one_per_thread=True)
    [75000, 75000]
    """
    threads = n_threads_or_default(n_threads)
    # Rounded up, so that there are at most MAX_BLOCKS blocks. The number of threads matters only with
    # one_per_thread.
    block = max(BLOCK_ROWS, -(-n_rows // (threads if one_per_thread else MAX_BLOCKS)))
    bounds = [(start, min(start + block, n_rows)) for start in range(0, n_rows, block)]
    return list(in_threads(lambda bound: work(*bound), bounds, threads))


class _BlasLimit:
    """Limit of linear algebra to one thread while it is in use.

    Users are counted because the limit is that of the whole process: a second limit, set while a first one
    held, would restore one thread in the end, not the original number.
    """

    def __init__(self) -> None:
        self.lock, self.n_users, self.limit = Lock(), 0, ExitStack()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the limit while the block runs."""
        with self.lock:
            if self.n_users == 0:
                with _in_control():
                    self.limit.enter_context(_controller().limit(limits=1, user_api="blas"))
            self.n_users += 1
        try:
            yield
        finally:
            with self.lock:
                self.n_users -= 1
                if self.n_users == 0:
                    with _in_control():
                        self.limit.close()


one_blas_thread = _BlasLimit().held
"""Linear algebra in one thread: on matrices as small as ours more threads only wait for each other."""


@contextmanager
def _in_control() -> Iterator[None]:
    """Let the thread of the block set the number of threads, and any thread after it.

    Newer threadpoolctl ignores every thread but the first that set it, for as long as that one is alive; the
    last user of our limit is often another one.
    """
    forget = [
        library.clear_controlling_thread
        for library in _controller().lib_controllers
        if hasattr(library, "clear_controlling_thread")
    ]
    for clear in forget:
        clear(force=True)
    try:
        yield
    finally:
        for clear in forget:
            clear(force=True)


@cache
def _controller() -> Any:
    # Made once: it searches all loaded libraries.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _available_processors() -> int:
    # Containers and schedulers restrict a process to some processors, which cpu_count ignores.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
