"""``python -m benchmarks [name ...]``: prints every ratio and writes it to ``benchmarks/results/``."""

import os
import subprocess
import sys
from importlib import import_module

SUITES = (
    "naive_bayes",
    "code_lengths",
    "mixtures",
    "mixtures_on_disk",
    "hidden_rules",
    "latent_classes",
    "prequential",
    "orderings",
    "averages",
    "online",
    "streams",
)


def main() -> None:
    """Run one suite here, or several each in a process of its own: peers leave threads and memory behind."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    names = sys.argv[1:] or list(SUITES)
    if len(names) > 1:
        for name in names:
            subprocess.run([sys.executable, "-m", "benchmarks", name], check=True)
        return
    print(f"\n## {names[0]}\n", flush=True)
    import_module(".measure", __package__).report(import_module(f".{names[0]}", __package__).run(), names[0])


main()
