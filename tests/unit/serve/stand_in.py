"""A worker whose report is quick, slow or bad, as its target is named; the server runs it as a script."""

import os
import signal
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import codelength
from codelength.serve.worker import main

HEAD = """<!DOCTYPE html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" \
content="default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;"><title>t</title></head>"""


def report(table, target=None, *, rows=False, random_state=0, progress=None):
    """Stands in for the real report, which takes longer."""
    progress(1, 4)
    if target == "slow":
        for done in range(600):
            progress(done, 600, "counting slowly")
            time.sleep(0.1)
    if target == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if target == "hungry":
        held = np.empty(1 << 33, dtype=np.uint8)
        progress(len(held), 64)
    if target == "busy":
        while True:
            pass
    if target == "bug":
        raise RuntimeError("something nobody thought of")
    if target == "chatty":
        print("noise on standard output")
        os.write(1, b"more noise\n")
    kept = ", ".join(table.names) + (" and their contents" if rows else "")
    text = f"{HEAD}<h1>{table.name}: {target}</h1><p>{table.n_rows} rows of {kept}</p></html>"
    return SimpleNamespace(
        save=lambda path: Path(path).write_text(text, encoding="utf-8"),
        analysis=SimpleNamespace(model=SimpleNamespace(save=lambda path: Path(path).write_text("{}"))),
    )


class QuickModel:
    """Stands in for the average of all models."""

    def __init__(self, random_state):
        pass

    def fit(self, table):
        if table.target.name == "unlearnable":
            raise codelength.errors.DataError("this cannot be learned; give up")
        if table.name == "fitted.csv":
            return codelength.NaiveBayes().fit(table)
        return SimpleNamespace(save=lambda path: Path(path).write_text("{}"))


if __name__ == "__main__":
    assert sys.flags.safe_path
    codelength.report = report
    codelength.ModelAverage = QuickModel
    main()
