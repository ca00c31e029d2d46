"""Experiments on a cluster give the results of one process."""

import pytest

from codelength_lab import pages as reports
from codelength_lab.registry import find, specify
from codelength_lab.run import run
from codelength_lab.store import FILE_NAME

SPEC = specify("predictive-inference", quick=True, settings=["repeats=2"])


def written(directory, **where):
    """The bytes of the result files."""
    outcome = run(SPEC, directory, **where)
    assert outcome.n_run == len(SPEC.tasks)
    reports.write(find(SPEC, outcome.results), directory)
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != FILE_NAME}


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_comes_to_the_same_bytes(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        on_cluster = written(tmp_path / "cluster", dask=cluster.scheduler_address)
    assert on_cluster == written(tmp_path / "here", jobs=1)
