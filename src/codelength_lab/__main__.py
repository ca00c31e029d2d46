"""``python -m codelength_lab docs`` writes generated parts of pages from the results in ``docs/results``."""

import sys
from pathlib import Path

from .pages import fill, parts_of

if __name__ == "__main__":
    docs = Path((sys.argv[1:2] or ["docs"])[0])
    parts = parts_of(docs / "results")
    for page in sorted((docs / "results").glob("*.md")):
        if fill(page, parts):
            print(page)
