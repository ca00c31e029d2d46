"""Blocks as HTML."""

from hypothesis import given
from hypothesis import strategies as st

from codelength.blocks import Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from codelength.render.templates import html
from unit.reporting.reading import Reading

texts = st.text(max_size=30)


@given(texts, texts, texts)
def test_no_block_lets_a_text_become_an_element(first, second, third):
    blocks = [
        Heading(first, 2),
        Paragraph(second, strong=True),
        Bullets([third]),
        Facts([(first, second)], title=third),
        Grid(first, [second, third], [[first, Strong(second)], [third]]),
        Picture(first, second),
    ]
    found = {name for name, _ in Reading(html(blocks)).elements}
    allowed = {"h2", "p", "ul", "li", "dl", "div", "dt", "dd", "b", "table", "caption", "thead", "tbody"}
    assert found <= allowed | {"tr", "th", "td"}


def test_every_kind_of_block_is_shown():
    blocks = [
        Heading("A heading", 2, anchor="there"),
        Paragraph("Words."),
        Bullets(["one", "two"], numbered=True),
        Facts([("rows", "7")], title="Facts"),
        Grid("Scores", ["rule", "score"], [["map", "1.5"], [Strong("evidence"), "2.5"]]),
    ]
    text = html(blocks, below=1)
    for part in (
        '<h3 id="there">A heading</h3>',
        "<p>Words.</p>",
        "<ol><li>one</li><li>two</li></ol>",
        "<dt>rows</dt><dd>7</dd>",
        "<caption>Scores</caption>",
        '<td class="n">1.5</td>',
        "<td><b>evidence</b></td>",
    ):
        assert part in text
    assert Reading(text).all("h3") == [{"id": "there"}]


def test_rows_of_different_lengths_are_filled_and_no_heading_is_empty():
    page = Reading(html([Grid("", ["", "a"], [["x"], ["y", "1", "2"]])]))
    assert len(page.all("th")) == 1
    assert len(page.all("td")) == 2 + 6


def test_pictures_are_left_out():
    assert html([Picture("a.svg", "A")]) == ""
