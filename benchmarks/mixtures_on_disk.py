"""EM on rows in a temporary file beside rows in memory: ``python -m benchmarks.mixtures_on_disk [rows]``."""

import subprocess
import sys
from collections.abc import Iterable, Iterator

import numpy as np

from codelength import Schema
from codelength.mixture.cache import MEMORY, RowGatherer, Rows
from codelength.mixture.em import Layout, fit_mixture
from codelength.table import Coded

from .measure import Ratio, compare, cpu_seconds, report

N_ROWS = 20_000_000
BATCH_ROWS = 1 << 17
MOST_MEGABYTES = 1024

_FIT = """
import resource
from benchmarks.mixtures_on_disk import fit_in_blocks
fit_in_blocks({n_rows})
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def batches(n_rows: int, n_variables: int, n_values: int, n_groups: int = 8) -> Iterator[Coded]:
    """Answers of so many people to so many questions, who are of a few kinds."""
    schema = Schema.from_sizes([n_values] * n_variables)
    probs = np.random.default_rng(1).dirichlet(np.ones(n_values), (n_groups, n_variables))
    grid = 4096  # inverse distribution functions on a grid: quick to draw from
    ends = np.cumsum(probs, axis=2)
    steps = (np.arange(grid) + 0.5) / grid
    inverse = np.minimum((steps[:, None] >= ends[:, :, None, :]).sum(axis=3), n_values - 1).astype(np.uint8)
    rng = np.random.default_rng(0)
    for start in range(0, n_rows, BATCH_ROWS):
        size = min(BATCH_ROWS, n_rows - start)
        group = rng.integers(0, n_groups, size)
        codes = np.empty((size, n_variables), dtype=np.uint8, order="F")
        for i in range(n_variables):
            codes[:, i] = inverse[group, i, rng.integers(0, grid, size)]
        yield Coded(schema, codes, np.zeros(size, dtype=np.uint8))


def gather(blocks: Iterable[Coded], schema: Schema, memory: int = MEMORY) -> Rows:
    """All rows of some blocks, equal ones merged."""
    with RowGatherer(schema, memory=memory) as gatherer:
        for block in blocks:
            gatherer.add(block)
        return gatherer.rows()


def fit_in_blocks(n_rows: int, n_variables: int = 10, n_values: int = 12) -> None:
    """Gather rows of which nearly all are distinct, and make a few iterations of EM."""
    schema = Schema.from_sizes([n_values] * n_variables)
    with gather(batches(n_rows, n_variables, n_values), schema) as rows:
        fit_mixture(rows, 8, n_init=1, init="kmodes", max_iter=3, tol=0.0, random_state=0)


def iterations(n_rows: int = 500_000, n_components: int = 8, n_iter: int = 20) -> list[Ratio]:
    """The same iterations of EM from disk and in memory, after a start that both have in common."""
    coded = _whole(n_rows, 20, 5).distinct()
    options = {"n_init": 1, "init": "random", "random_state": 0, "n_threads": 1, "tol": 0.0}
    in_memory = Layout.of(coded)
    with gather([coded], coded.schema, memory=1 << 22) as cached:
        on_disk = Layout.of(cached)

        def run(layout: object, n: int) -> None:
            fit_mixture(layout, n_components, max_iter=n, **options)  # type: ignore[arg-type]

        size = f"{n_rows:,} x 20 x 5, K = {n_components}"
        ratio = compare(
            f"EM {size}, {n_iter} iterations on disk",
            ("in memory", lambda: run(in_memory, n_iter)),
            lambda: run(on_disk, n_iter),
            at_most=1.4,
            rounds=3,
        )

        def nanoseconds(layout: object) -> float:
            seconds = cpu_seconds(lambda: run(layout, n_iter + 1)) - cpu_seconds(lambda: run(layout, 1))
            return 1e9 * seconds / n_iter / coded.n_rows

        memory, disk = nanoseconds(in_memory), nanoseconds(on_disk)
        per_row = Ratio(
            f"EM {size}, one iteration per row", "in memory", memory, disk, "ns", disk / memory, "said", True
        )
        bytes_per_row = cached.n_bytes / cached.n_rows
        kept = Ratio(
            f"{size}: bytes per row", "codes", 20.0, bytes_per_row, "B", bytes_per_row / 20, "said", True
        )
        return [ratio, per_row, kept]


def merging(n_rows: int = 2_000_000) -> list[Ratio]:
    """Rows gathered from batches beside those of the whole table, for a narrow survey and a wide one."""
    lines = []
    for n_variables in (8, 20):
        coded = _whole(n_rows, n_variables, 5)
        parts = list(batches(n_rows, n_variables, 5))
        share = coded.distinct().n_rows / n_rows
        lines.append(
            compare(
                f"merge equal rows, {n_rows:,} x {n_variables} x 5, {100 * share:.1f} % distinct",
                ("whole table at once", lambda coded=coded: coded.distinct()),
                lambda coded=coded, parts=parts: gather(parts, coded.schema),
                at_least=1,
                rounds=3,
            )
        )
    return lines


def peak_memory(n_rows: int) -> Ratio:
    """Resident memory of a process that fits rows which do not fit into it, at its highest."""
    done = subprocess.run(
        [sys.executable, "-c", _FIT.format(n_rows=n_rows)], check=True, capture_output=True, text=True
    )
    peak = int(done.stdout.split()[-1]) / 1024
    what = f"peak memory of EM on {n_rows:,} x 10 distinct rows"
    goal, met = f"at most {MOST_MEGABYTES} MB", peak <= MOST_MEGABYTES
    return Ratio(what, "the bound", MOST_MEGABYTES, peak, "MB", peak / MOST_MEGABYTES, goal, met)


def _whole(n_rows: int, n_variables: int, n_values: int) -> Coded:
    parts = list(batches(n_rows, n_variables, n_values))
    codes = np.asfortranarray(np.concatenate([part.codes for part in parts]))
    return Coded(parts[0].schema, codes, np.zeros(n_rows, dtype=np.uint8))


def run(n_rows: int = N_ROWS) -> list[Ratio]:
    """All ratios, and the memory for so many rows."""
    return [*iterations(), *merging(), peak_memory(n_rows)]


if __name__ == "__main__":
    report(run(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS), "mixtures_on_disk")
