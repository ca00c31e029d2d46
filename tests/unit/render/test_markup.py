"""Elements, and the texts in them."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codelength.render.markup import Markup, join, tag
from codelength.reporting.charts import linear, ticks
from codelength.reporting.sections.what_if import script_json
from unit.reporting.reading import Reading

# Halves of surrogate pairs included, which no file can hold.
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@given(any_text, any_text)
def test_no_text_becomes_an_element_or_ends_an_attribute(inner, attribute):
    page = Reading(tag("p", inner, title=attribute))
    assert [name for name, _ in page.elements] == ["p"]
    assert set(page.elements[0][1]) == {"title"}
    tag("p", inner, title=attribute).encode()


def test_plain_texts_come_back_as_they_were():
    words = "a < b & \"c\" > 'd' &amp; é 漢字"
    page = Reading(tag("p", words, title=words))
    assert page.text == words
    assert page.elements[0][1]["title"] == words


def test_what_a_browser_may_not_see_is_marked():
    assert tag("p", "a\x00b\x1b\u202ec\ud800") == "<p>a\ufffdb\ufffd\ufffdc\ufffd</p>"


def test_markup_stands_as_it_is_and_attributes_are_left_out_where_there_are_none():
    assert tag("p", Markup("<b>x</b>"), id=None, hidden=False) == "<p><b>x</b></p>"
    assert tag("input", type="text", disabled=True) == '<input type="text" disabled>'
    assert tag("rect", x=1.0, width=2.5, y1="0") == '<rect x="1" width="2.5" y1="0"></rect>'
    assert join("<", [tag("br")], 3) == "&lt;<br>3"


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
