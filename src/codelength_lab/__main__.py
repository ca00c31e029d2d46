"""``python -m codelength_lab docs`` writes the generated pages from the results in ``docs/results``."""

import sys

from .pages.comparison import write_comparison
from .pages.further import write_further
from .pages.questions import write_questions
from .pages.validation import write_validation

if __name__ == "__main__":
    docs = (sys.argv[1:2] or ["docs"])[0]
    print(write_validation(docs))
    for write in (write_comparison, write_further):
        if (path := write(docs)) is not None:
            print(path)
    for path in write_questions(docs):
        print(path)
