"""Settings that all tests share."""

import gc
import os

# Read by scipy when it is first imported: without it one of scikit-learn's checks is skipped.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# Read when numpy and scikit-learn are first imported. Tests run in as many processes as there are processors;
# with threads besides, the small matrices of tests spend most of their time waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# Derandomised, so that a run can be repeated; no deadline, because the first call of a kernel compiles it.
settings.register_profile(
    "codelength", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("codelength")


def pytest_collection_finish():
    """Leave modules, which stay, out of the search for garbage: a tenth of the time went there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(700, 10, 100)


def pytest_unconfigure():
    """Libraries that look for leaks at the end find none."""
    gc.unfreeze()


@pytest.fixture
def quick_analyses(monkeypatch):
    """Few folds and few points of the learning curve, for tests that ask about something else."""
    from codelength.analysis import learning_curve, plan

    monkeypatch.setattr(plan, "FOLDS", (3, 2))
    monkeypatch.setattr(learning_curve, "REPEATS", learning_curve.LEAST_REPEATS)
