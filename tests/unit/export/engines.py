"""Rows of a data frame predicted by statements in databases, and by graphs in an ONNX runtime."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np


def in_duckdb(statement, frame):
    with closing(duckdb.connect()) as connection:
        connection.register("frame", frame)
        connection.execute('CREATE TABLE "my rows" AS SELECT * FROM frame')
        return connection.execute(statement).fetchall()


def in_sqlite(statement, frame):
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("my rows", connection, index=False)
        return connection.execute(statement).fetchall()


ENGINES = {"duckdb": in_duckdb, "sqlite": in_sqlite}


def in_postgres(postgres, statement, frame, kinds):
    """Rows that a statement finds in a server, where columns have types by name and the others are text."""
    types = {name: kinds.get(name, "text") for name in frame.columns}
    columns = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}" {kind}' for name, kind in types.items())
    cells = [
        f"({', '.join(literal(cell, kind) for cell, kind in zip(row, types.values(), strict=True))})"
        for row in frame.itertuples(index=False)
    ]
    found = postgres(
        f'DROP TABLE IF EXISTS "my rows"; CREATE TABLE "my rows" ({columns}); '
        f'INSERT INTO "my rows" VALUES {", ".join(cells)}; SET extra_float_digits = 1; {statement};'
    )
    return [(int(number), *rest) for number, *rest in found]


def literal(cell, kind):
    if cell is None or cell != cell:
        return "NULL"
    text = "'" + str(cell).replace("'", "''") + "'"
    return f"CAST({text} AS {kind})"


def in_onnx(graph, frame):
    """Classes and probabilities by a graph; empty text is missing."""
    import onnxruntime

    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = {}
    for one in session.get_inputs():
        column = frame[one.name]
        if one.type == "tensor(string)":
            inputs[one.name] = np.array(["" if cell is None or cell != cell else cell for cell in column])
        else:
            kind = np.int64 if one.type == "tensor(int64)" else np.float64
            inputs[one.name] = column.to_numpy().astype(kind)
    return session.run(None, inputs)
