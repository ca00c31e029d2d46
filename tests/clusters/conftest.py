"""A small cluster of each kind, started once for all tests."""

import os
import shutil
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest


@pytest.fixture
def no_threads_left():
    """Clusters keep threads; these tests have a process of their own."""


@pytest.fixture(scope="session")
def dask_client():
    """Two worker processes of Dask."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    # Workers import the functions of tests by the names that pytest gives to their modules.
    sys.path.append(str(Path(__file__).parents[2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
        with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="session")
def spark():
    """A session of Spark with two workers."""
    if shutil.which("java") is None:
        pytest.skip("Spark takes Java, which is not installed")
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "700m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = sql.SparkSession.builder.master("local[2]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="session")
def million_rows():
    """Text, whole numbers and wide columns, some of them with ties."""
    n_rows, rng = 1_000_000, np.random.default_rng(0)
    ties = rng.random(n_rows) < 0.3
    return pa.table(
        {
            **{f"text {i}": np.array(list("abcdefgh"))[rng.integers(0, 2 + i, n_rows)] for i in range(4)},
            **{f"whole {i}": rng.integers(0, 10 ** (i + 1), n_rows) for i in range(3)},
            "real": rng.normal(size=n_rows),
            "gaps": pa.array(rng.exponential(size=n_rows), mask=rng.random(n_rows) < 0.05),
            "tied": np.where(ties, 0.0, rng.normal(size=n_rows)),
            "class": np.array(["yes", "no", "perhaps"])[rng.integers(0, 3, n_rows)],
        }
    )
