"""Settings that all tests share."""

import gc
import os
import signal
import threading
import time
from pathlib import Path

# Read by scipy when it is first imported: without it one of scikit-learn's checks is skipped.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# Read when numpy and scikit-learn are first imported. Tests run in as many processes as there are processors;
# with threads besides, the small matrices of tests spend most of their time waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Read when numba is first imported. Two processes that fill one cache of compiled code at the same time can
# make it return the code of another signature.
os.environ.setdefault(
    "CODELENGTH_TEST_CACHES",
    os.environ.get("NUMBA_CACHE_DIR") or str(Path(__file__).parents[1] / ".numba_cache"),
)
os.environ["NUMBA_CACHE_DIR"] = str(
    Path(os.environ["CODELENGTH_TEST_CACHES"]) / os.environ.get("PYTEST_XDIST_WORKER", "main")
)

import pytest
from hypothesis import HealthCheck, settings

# Derandomised, so that a run can be repeated; no deadline, because the first call of a kernel compiles it.
settings.register_profile(
    "codelength", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("codelength")

# A shell that starts tests in the background makes them ignore interrupts, and with them all their processes.
# Python then sets no handler of its own, and a test that interrupts itself would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    """Leave modules, which stay, out of the search for garbage: a tenth of the time went there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 10, 100)


def pytest_unconfigure():
    """Libraries that look for leaks at the end find none."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def no_threads_left():
    """Fail a test that leaves a thread behind: it may draw random numbers while the next test does."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + 30
    while (left := [thread for thread in threading.enumerate() if thread not in before]) and (
        time.monotonic() < deadline
    ):
        left[0].join(0.1)
    assert not left, f"threads left running: {left}"


@pytest.fixture
def quick_analyses(monkeypatch):
    """Few folds and few points of the learning curve, for tests that ask about something else."""
    from codelength.reporting import plan
    from codelength.reporting.sections import learning_curve

    monkeypatch.setattr(plan, "FOLDS", (3, 2))
    monkeypatch.setattr(learning_curve, "REPEATS", learning_curve.LEAST_REPEATS)
