"""What EM takes for rows that are far more than it may hold."""

import subprocess
import sys

import pytest

FIT = """
import resource
import numpy as np
from codelength.mixture.cache import CachedRows, RowGatherer
from codelength.mixture.em import fit_mixture
from codelength.table import Coded, Schema

schema, generator = Schema.from_sizes([12] * 10), np.random.default_rng(0)

def batches(n_rows):
    for _ in range(0, n_rows, 100_000):
        codes = np.asfortranarray(generator.integers(0, 12, (100_000, 10), dtype=np.uint8))
        yield Coded(schema, codes, np.zeros(100_000, dtype=np.uint8))

with RowGatherer(schema, memory={memory}) as gatherer:
    for batch in batches({n_rows}):
        gatherer.add(batch)
    gathered = gatherer.rows()
with gathered as rows:
    assert isinstance(rows, CachedRows) and rows.total_weight == {n_rows}, rows
    fit_mixture(rows, 8, n_init=1, init={init!r}, max_iter=2, tol=0.0, random_state=0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak_megabytes(**options):
    """Memory of a process that fits so many rows, at its highest."""
    script = FIT.format(**options)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(done.stdout)


@pytest.mark.long
@pytest.mark.parametrize("init", ["random", "kmodes", "kmeans"])
def test_memory_does_not_grow_with_the_rows(init):
    few, many = (
        peak_megabytes(n_rows=n_rows, memory=50_000_000, init=init) for n_rows in (2_000_000, 8_000_000)
    )
    assert many < 1.25 * few < 500


@pytest.mark.long
def test_twenty_million_rows_take_less_than_a_gigabyte():
    assert peak_megabytes(n_rows=20_000_000, memory=1 << 29, init="random") < 1000
