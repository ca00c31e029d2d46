"""Scorer documents with values that readers may confuse: numbers that JavaScript rounds, and times."""

import json
import subprocess
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.errors import InvalidParameter
from codelength.export import score

EXACT = {
    "numbers": ([1_700_000_000_000_000_001 + i for i in range(3)] + [5, 2**70], [2**53, 2**70 + 1, 6, None]),
    "digits": ([str(2**60 + i) for i in range(3)], [str(2**60 + 4), None]),
    "moments": (
        [datetime(2020, 1, 1 + i, hour) for i in range(2) for hour in (0, 12)],
        [datetime(2020, 1, 1, 12, 1), np.datetime64("2020-01-02T12", "ns"), np.datetime64("NaT"), None],
    ),
    "zones": (
        [datetime(2020, 1, 1, hour, tzinfo=UTC) for hour in (0, 12, 13)],
        [datetime(2020, 1, 1, 14, tzinfo=timezone(timedelta(hours=2))), datetime(2020, 1, 1)],
    ),
    "spellings": (
        ["2020-01-01", "2020-01-02 12:30", "2020-01-03T01:00:00.50+02:00", "12:30:00.50", "1 days", "soon"],
        [
            *("2020-01-01T00:00:00.0", "2020-01-02T12:30:00Z", "2020-01-02T23:00:00.5Z", "12:30:00.500"),
            *("25:00:00", "1 day 00:00:00.00", "0 days 24:00:00", "2 days -24:00:00", "2020-02-30 00:00"),
            *("late", None),
        ],
    ),
    "durations": (["1 days", "90.5 s"], ["0 days 00:01:30.500000", "90.5 s", "-1 s", None]),
    "singles": ([np.float32(0.1), np.float32(0.7), np.float32(3)], [0.1, "0.7", np.float32(0.2)]),
}


@pytest.mark.filterwarnings("ignore::codelength.errors.CodelengthWarning")
@pytest.mark.parametrize("name", EXACT)
def test_readers_tell_values_apart(name, javascript):
    """Python takes any cell; in JSON large numbers and times are text."""
    known, others = EXACT[name]
    train = [*(cell for i, cell in enumerate(known) for _ in range(i + 2)), None, None]
    labels = [*("ab"[j > 0] for i in range(len(known)) for j in range(i + 2)), "a", "b"]
    cells = [*known, *others]
    expected, pairs = [], []
    for missing in ("ignore", "value"):
        model = NaiveBayes(numeric="category", missing=missing).fit({"x": column_of(train)}, labels)
        document = json.loads(json.dumps(model.to_scorer(), allow_nan=False))
        # One by one: beside other cells, some would be read differently.
        rows = [model.predict_proba({"x": column_of([cell])})[0].tolist() for cell in cells]
        if name == "singles":  # numbers may be given as text, which is text to the model
            rows[cells.index("0.7")] = rows[1]
        assert len({tuple(row) for row in rows[: len(known)]}) == len(known)
        for cell, probabilities in zip(cells, rows, strict=True):
            found = score(document, {"x": cell}).probabilities
            assert found == pytest.approx(probabilities, rel=0, abs=1e-12), cell
        expected += rows
        pairs += [(document, {"x": None if cell is None or cell != cell else str(cell)}) for cell in cells]
    for answer, probabilities, (_, case) in zip(javascript(pairs), expected, pairs, strict=True):
        assert answer["probabilities"] == pytest.approx(probabilities, rel=0, abs=1e-12), case


def column_of(cells):
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def test_numbers_that_have_lost_digits_are_refused_in_javascript(javascript):
    model = NaiveBayes().fit({"x": [2**60 + 1, 2**60 + 2, 5, 5]}, list("aabb"))
    document = model.to_scorer()
    assert document["variables"][0]["values"] == [5, str(2**60 + 1), str(2**60 + 2)]
    with pytest.raises(subprocess.CalledProcessError) as caught:
        javascript([(document, {"x": 2**60 + 1})])
    assert "the number 1152921504606847000 has lost digits; give" in caught.value.stderr
    (answer,) = javascript([(document, {"x": 5})])
    assert answer["probabilities"] == pytest.approx(model.predict_proba({"x": [5]})[0].tolist(), abs=1e-12)
    both = NaiveBayes().fit({"x": [2**60, str(2**60), "a", "a"]}, list("aabb"))
    with pytest.raises(InvalidParameter, match="column 'x': 1152921504606846976 is both a number and text"):
        both.to_scorer()
