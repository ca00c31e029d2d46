"""Settings that all tests share."""

import os

# Read by scipy when it is first imported: without it one of scikit-learn's checks is skipped.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

from hypothesis import HealthCheck, settings

# Derandomised, so that a run can be repeated; no deadline, because the first call of a kernel compiles it.
settings.register_profile(
    "codelength", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("codelength")
