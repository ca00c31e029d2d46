"""``python -m codelength.report docs`` writes ``docs/validation.md`` from the results in ``docs/results``."""

import sys

from .validation import write_validation

if __name__ == "__main__":
    print(write_validation(*sys.argv[1:2] or ["docs"]))
