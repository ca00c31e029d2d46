"""Scales of charts, and data for scripts."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength.reporting.charts import linear, ticks
from codelength.reporting.sections.what_if import script_json

# Halves of surrogate pairs included, which no file can hold.
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@given(st.recursive(any_text | st.none() | st.floats(-9, 9), lambda inner: st.lists(inner, max_size=3)))
def test_no_json_ends_its_script(document):
    text = script_json(document)
    text.encode()
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == json.loads(json.dumps(document), parse_float=lambda x: round(float(x), 12))


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-0.3, 0.2), (1e-7, 3e-7), (12, 48_000), (0.99, 1.01), (-5, -4)]
)
def test_ticks_are_round_even_and_within(low, high):
    marks = ticks(low, high, 6)
    assert 2 <= len(marks) <= 6
    assert all(low - 1e-12 <= mark <= high + 1e-12 for mark in marks)
    steps = {f"{b - a:.6g}" for a, b in pairwise(marks)}
    assert len(steps) == 1
    assert linear(low, high, 0, 1)(high) == pytest.approx(1)


def test_there_are_no_ticks_where_there_is_no_axis():
    assert ticks(1, 1) == []
    assert ticks(0, float("inf")) == []
