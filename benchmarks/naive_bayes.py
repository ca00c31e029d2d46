"""Counting, predicting and leave-one-out beside scikit-learn's CategoricalNB and DuckDB."""

import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from codelength import NaiveBayes, Schema
from codelength.counts import count
from codelength.naive_bayes import Predictor
from codelength.scores import leave_one_out
from codelength.table import encode

from .measure import Ratio, compare, peak_megabytes, wall_seconds
from .tables import N_CLASSES, coded_table, text_columns


def counting_and_predicting(n_rows: int) -> list[Ratio]:
    """On coded cells: what the kernels do once a table is encoded."""
    codes, classes, n_values = coded_table(n_rows)
    schema = Schema.from_sizes(n_values, N_CLASSES)
    coded = encode(schema, codes, classes)
    peer = CategoricalNB(min_categories=n_values)
    peer_codes = np.ascontiguousarray(codes)
    words = codes.T.reshape(-1).view(np.uint64)
    model = NaiveBayes(schema=schema)
    size = f"{n_rows:,} x {codes.shape[1]}"

    def count_once() -> object:
        return count(coded, n_threads=1)

    predictor = Predictor.of(count(coded))
    part = slice(0, n_rows // 10)
    few, peer_few = coded.take(part), np.ascontiguousarray(codes[part])
    some = f"{n_rows // 10:,} rows"

    # Threads first: DuckDB keeps threads of its own once it has been used.
    ratios = [
        compare(
            f"count {size}, two threads",
            ("one thread", count_once),
            lambda: count(coded, n_threads=2),
            at_least=1.7,
            clock=wall_seconds,
        ),
        compare(
            f"predict_log_proba {some}, two threads",
            ("one thread", lambda: predictor.log_probs(few, n_threads=1)),
            lambda: predictor.log_probs(few, n_threads=2),
            at_least=1.7,
            clock=wall_seconds,
        ),
        compare(f"count {size}", ("reading the bytes", words.sum), count_once, at_most=8, rounds=15),
    ]
    fit_peer = ("CategoricalNB.fit", lambda: peer.fit(peer_codes, classes))
    ratios += [
        compare(f"count {size}", fit_peer, count_once, at_least=100, rounds=3),
        compare(f"fit {size}, validation included", fit_peer, lambda: model.fit(codes, classes), rounds=3),
        compare(
            f"predict_log_proba {some}",
            ("CategoricalNB", lambda: peer.predict_log_proba(peer_few)),
            lambda: predictor.log_probs(few, n_threads=1),
            at_least=10,
        ),
        compare(
            f"count {size}",
            ("DuckDB group by", _duckdb_counting(codes, classes)),
            count_once,
            at_least=10,
            rounds=3,
        ),
    ]
    theirs = peak_megabytes(lambda: peer.fit(peer_codes, classes))
    mine = peak_megabytes(lambda: model.fit(codes, classes))
    ratio = theirs / max(mine, 1e-3)
    ratios.append(
        Ratio(
            f"extra memory of fit {size}",
            "CategoricalNB.fit",
            theirs,
            mine,
            "MB",
            ratio,
            "at least 10",
            ratio >= 10,
        )
    )
    return ratios


def leaving_one_out(n_rows: int = 100_000) -> list[Ratio]:
    """Closed-form leave-one-out of a whole table beside one single fit of the peer."""
    codes, classes, n_values = coded_table(n_rows)
    schema = Schema.from_sizes(n_values, N_CLASSES)
    coded = encode(schema, codes, classes)
    peer = CategoricalNB(min_categories=n_values)
    peer_codes = np.ascontiguousarray(codes)

    def own() -> object:
        return leave_one_out(Predictor.of(count(coded, n_threads=1)), coded)

    what = f"leave-one-out of {n_rows:,} x {codes.shape[1]}"
    return [compare(what, ("one CategoricalNB.fit", lambda: peer.fit(peer_codes, classes)), own, at_least=1)]


def from_text(n_rows: int = 500_000) -> list[Ratio]:
    """From a data frame of text to a fitted model, end to end."""
    codes, classes, _ = coded_table(n_rows)
    columns, labels = text_columns(codes, classes)
    ratios = []
    for name, frame in (("pandas", pd.DataFrame(columns)), ("Polars", pl.DataFrame(columns))):
        peer = make_pipeline(OrdinalEncoder(), CategoricalNB())
        ratios.append(
            compare(
                f"fit {n_rows:,} x {codes.shape[1]} text cells from {name}",
                ("OrdinalEncoder + CategoricalNB", lambda peer=peer, frame=frame: peer.fit(frame, labels)),
                lambda frame=frame: NaiveBayes().fit(frame, labels),
                at_least=5,
                rounds=3,
            )
        )
    return ratios


def importing() -> list[Ratio]:
    """CPU time of ``import codelength``, the interpreter's own start taken off."""

    def seconds(code: str) -> float:
        script = f"import time; before = time.process_time(); {code}; print(time.process_time() - before)"
        return min(
            float(
                subprocess.run(
                    [sys.executable, "-c", script], capture_output=True, text=True, check=True
                ).stdout
            )
            for _ in range(5)
        )

    own, numpy = seconds("import codelength"), seconds("import numpy")
    return [
        Ratio("import codelength", "import numpy", numpy, own, "s", numpy / own, "under 0.2 s", own < 0.2)
    ]


def _duckdb_counting(codes, classes):
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    frame = pl.DataFrame({f"x{i}": codes[:, i] for i in range(codes.shape[1])} | {"y": classes})
    connection.register("frame", frame)
    connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    queries = [f"SELECT y, x{i}, count(*) FROM t GROUP BY ALL" for i in range(codes.shape[1])]
    return lambda: [connection.execute(query).fetchall() for query in queries]


def run(n_rows: int = 10_000_000) -> list[Ratio]:
    """All timings of the naive Bayes classifier."""
    return [*importing(), *counting_and_predicting(n_rows), *leaving_one_out(), *from_text()]
