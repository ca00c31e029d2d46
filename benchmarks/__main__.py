"""``python -m benchmarks [name ...]``: prints every ratio and writes it to ``benchmarks/results/``."""

import os
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from . import mixtures, naive_bayes, prequential  # noqa: E402
from .measure import report  # noqa: E402

SUITES = {"naive_bayes": naive_bayes.run, "mixtures": mixtures.run, "prequential": prequential.run}


def main() -> None:
    """Run the suites named, or all."""
    names = sys.argv[1:] or list(SUITES)
    for name in names:
        print(f"\n## {name}\n")
        report(SUITES[name](), name)


main()
