"""``python -m codelength.reports docs`` writes the generated pages from the results in ``docs/results``."""

import sys

from .averages import write_comparison
from .further import write_further
from .questions import write_questions
from .validation import write_validation

if __name__ == "__main__":
    docs = (sys.argv[1:2] or ["docs"])[0]
    print(write_validation(docs))
    for write in (write_comparison, write_further):
        if (path := write(docs)) is not None:
            print(path)
    for path in write_questions(docs):
        print(path)
