"""Random tables of look-ups, whatever model they might come from, predict alike in all programs.

The oracle adds up entries by the codes that the cells were made from; no export has a part in it.
"""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.errors import InvalidParameter
from codelength.export.onnx import to_onnx
from codelength.export.reader import score
from codelength.export.scorer import scorer
from codelength.export.sql import to_sql
from codelength.networks.look_ups import LookUps
from codelength.table import Schema, Variable
from codelength.table.variable import interval_variable
from unit.export.engines import ENGINES, in_onnx

N_ROWS = 25


VALUES = [
    ("a", "b'", 'c"'),
    (1, 2, 5),
    (0.5, -1.25),
    (2**53, 2**53 + 1, -(2**60) - 1, 7),
    ("9007199254740992", "9007199254740993"),
    ("2020-01-01", "2020-01-01T12:30:00", "2020-01-02T00:00:00.5"),
    ("2020-01-01T00:00:00+00:00", "2020-01-01T12:30:00.25+00:00"),
]
UNSEEN = {
    2**53: 2**53 + 2,
    "9007199254740992": "9007199254740994",
    "2020-01-01": "2020-01-01T12:31:00",
    "2020-01-01T00:00:00+00:00": "2020-01-01T00:00:01+00:00",
}
REFUSED = {2**53, "2020-01-01T00:00:00+00:00"}
"""First values of variables that ONNX cannot hold."""


def variable_of(rng, name):
    """A variable of some kind; with or without a value for missing cells."""
    kind, ends = rng.integers(len(VALUES) + 1), (None,) if rng.random() < 0.4 else ()
    if kind == 0:
        cuts = np.unique(rng.normal(size=rng.integers(1, 5)).round(1))
        return interval_variable(name, cuts, missing_is_value=bool(ends))
    return Variable(name, (*VALUES[kind - 1], *ends))


def code_of(rng, variable):
    """A code; that of cells without a value only where a cell can have it."""
    is_always_known = variable.kind == "interval" and variable.missing_is_value
    return int(rng.integers(variable.n_values + (not is_always_known)))


def cell_of(rng, variable, code):
    """A cell that has a code: on the edge of an interval, where it is one; never seen; or missing."""
    if code == variable.n_values:
        if variable.kind == "interval" or (not variable.missing_is_value and rng.random() < 0.5):
            return None
        return UNSEEN.get(variable.values[0], "new" if isinstance(variable.values[0], str) else 77)
    if variable.kind == "interval" and variable.values[code] is not None:
        return variable.cuts[0] - 1.0 if code == 0 else variable.cuts[code - 1]
    return variable.values[code]


def entries_of(rng, shape):
    """Log weights, of which some are zero weights; cells without a value add nothing."""
    table = rng.normal(scale=3.0, size=shape)
    table[rng.random(shape) < 0.1] = -np.inf
    table[-1] = 0.0
    return table


@st.composite
def models(draw):
    """A schema, sums of look-ups by values and by pairs, and the probability that classes have anyway."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_classes, n_variables = int(rng.integers(2, 5)), int(rng.integers(1, 6))
    variables = [variable_of(rng, f"x {j}") for j in range(n_variables)]
    classes = [("k", "l'", 'm"', "n"), (3, 1, 2, 7)][rng.integers(2)][:n_classes]
    values = {j: entries_of(rng, (one.n_values + 1, n_classes)) for j, one in enumerate(variables)}
    groups, pairs = {}, {}
    if rng.random() < 0.7:
        for j, one in enumerate(variables):
            own = rng.integers(0, 3, one.n_values + 1)
            own[-1] = 3
            groups[j] = own
        for child in range(1, n_variables):
            if rng.random() < 0.7:
                table = rng.normal(size=(4, 4, n_classes))
                table[3], table[:, 3] = 0.0, 0.0
                pairs[child, int(rng.integers(child))] = table
    floor = np.zeros(n_classes)
    if rng.random() < 0.5:
        floor = rng.dirichlet(np.ones(n_classes)) * rng.random()
    class_table = rng.normal(size=n_classes)
    class_table[rng.random(n_classes) < 0.1] = -np.inf
    schema = Schema(variables, Variable("y", classes))
    return rng, LookUps(schema, class_table, values, groups, pairs, "any", floor)


def by_adding_up(sums, codes):
    """The definition: entries added, exponentials taken, what the floor leaves shared out."""
    logs = sums.class_table.copy()
    for j, table in sums.tables.items():
        logs = logs + table[codes[j]]
    for (child, parent), table in sums.pairs.items():
        logs = logs + table[sums.groupings[child][codes[child]], sums.groupings[parent][codes[parent]]]
    top = logs.max()
    weights = np.exp(logs - top) if top > -np.inf else np.ones(len(logs))
    return sums.floor + (1.0 - sums.floor.sum()) * weights / weights.sum()


def column_of(rng, variable, cells):
    """Cells as a column of their type; times are text, or times of a library."""
    first = variable.values[0]
    if variable.kind == "interval" or not isinstance(first, (str, int)):
        return pd.Series(cells, dtype=np.float64)
    if isinstance(first, int):
        return pd.Series(cells, dtype="Int64" if first == 2**53 else np.float64)
    if first.startswith("2020") and rng.random() < 0.7:
        return pd.to_datetime(pd.Series(cells, dtype=object), format="ISO8601", utc="+" in first)
    return pd.Series(cells, dtype=object)


@settings(max_examples=30, deadline=None)
@given(models())
def test_random_models(made):
    pytest.importorskip("onnxruntime")
    rng, look_ups = made
    schema = look_ups.schema
    codes = np.array([[code_of(rng, one) for one in schema.variables] for _ in range(N_ROWS)])
    cells = [
        {one.name: cell_of(rng, one, code) for one, code in zip(schema.variables, row, strict=True)}
        for row in codes
    ]
    expected = np.array([by_adding_up(look_ups, row) for row in codes])
    frame = pd.DataFrame(
        {one.name: column_of(rng, one, [case[one.name] for case in cells]) for one in schema.variables}
    )
    names = ["guess", *(f"p{k}" for k in range(schema.n_classes))]
    for dialect, run in ENGINES.items():
        if any(str(one.values[0]).startswith("2020") for one in schema.variables):
            with pytest.raises(InvalidParameter, match="dates or times as categories"):
                to_sql(look_ups, "my rows", names, dialect=dialect, keep=["row"])
            continue
        statement = to_sql(look_ups, "my rows", names, dialect=dialect, keep=["row"])
        found = sorted(run(statement, frame.assign(row=range(N_ROWS))))
        probs = np.array([row[2:] for row in found], dtype=np.float64)
        np.testing.assert_allclose(probs, expected, rtol=0, atol=1e-12)
        likely = [schema.classes.index(row[1]) for row in found]
        assert (probs[range(N_ROWS), likely] == probs.max(axis=1)).all()
    if any(one.values[0] in REFUSED for one in schema.variables):
        with pytest.raises(InvalidParameter, match=r"double precision|times of a time zone"):
            to_onnx(look_ups)
    else:
        spelt = frame.apply(lambda column: column.astype(object if column.dtype.kind != "M" else str))
        found = in_onnx(to_onnx(look_ups), spelt.mask(frame.isna(), None))[1]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    document = json.loads(json.dumps(scorer(look_ups), allow_nan=False))
    for cases in (cells, frame.to_dict("records")):
        probs = [score(document, case).probabilities for case in cases]
        np.testing.assert_allclose(probs, expected, rtol=0, atol=1e-12)
