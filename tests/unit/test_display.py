"""Results show themselves: one line, one screen, and tables in a notebook, whatever is in the data."""

from html.parser import HTMLParser

import numpy as np
import pytest

from codelength import FiniteMixture, NaiveBayes, Schema
from codelength._display import Shown, as_html, as_text, first_rows, visible
from codelength.blocks import Bullets, Facts, Grid, Heading, Paragraph, Picture
from codelength.counts import count
from codelength.sources import as_coded, as_table
from codelength.table import Coded

NASTY = ["<script>alert(1)</script>", "\x1b[2J", "a\nb", "&amp;", "\u202eevil", "\ud800", "[/b]", "x" * 500]
ROWS = {
    "<b>name</b>": NASTY * 3,
    "size": [1.5, 2.5, None, 4.5] * 6,
    **{f"v{i}": ["p", "q"] * 12 for i in range(20)},
}
CLASSES = ["<i>yes</i>", "no\x07", "may be"] * 8


class Checked(HTMLParser):
    """Keeps the tags that a page opens, and what it shows."""

    def __init__(self):
        super().__init__()
        self.tags, self.data = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.data.append(data)


@pytest.fixture(scope="module")
def results():
    model = NaiveBayes(identifiers="keep", select="leave_one_out").fit(ROWS, CLASSES)
    mixture = FiniteMixture(2, n_init=2, random_state=0).fit(ROWS)
    return {
        "Table": as_table(ROWS, CLASSES, np.arange(24) + 1.0),
        "Coded": as_coded(ROWS, CLASSES),
        "Schema": model.schema_,
        "Counts": model.counts_,
        "Predictions": model.leave_one_out(ROWS, CLASSES, optimistic=True),
        "Explanation": model.explain(ROWS),
        "SelectionResult": model.selection_,
        "ImputedCells": mixture.impute(ROWS)["size"],
    }


NAMES = ["Table", "Coded", "Schema", "Counts", "Predictions", "Explanation", "SelectionResult"]
NAMES += ["ImputedCells"]


@pytest.mark.parametrize("name", NAMES)
def test_repr_is_one_readable_line(results, name):
    line = repr(results[name])
    assert line.isprintable()
    assert line[0] == "<"
    assert line[-1] == ">"
    assert len(line) <= 210
    assert "array(" not in line


@pytest.mark.parametrize("name", NAMES)
def test_print_gives_one_screen(results, name):
    text = str(results[name])
    lines = text.splitlines()
    assert len(lines) <= 26
    assert all(line.isprintable() for line in lines)
    text.encode("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_shows_tables_in_which_everything_is_escaped(results, name):
    page = results[name]._repr_html_()
    parser = Checked()
    parser.feed(page)
    allowed = {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "h4", "ul", "li"}
    assert set(parser.tags) <= allowed
    assert "table" in parser.tags
    assert all(part.isprintable() for part in parser.data)
    assert len(page) < 100_000
    page.encode("utf-8")


@pytest.mark.parametrize(
    "nothing",
    [
        as_table({}),
        as_table({"a": []}),
        Schema(()),
        Coded.of(Schema(()), np.empty((0, 0), dtype=int)),
        count(Coded.of(Schema.from_sizes([2]), np.empty((0, 1), dtype=int))),
        NaiveBayes().fit({"a": ["x", "y"]}, [0, 1]).explain({"a": []}),
    ],
    ids=repr,
)
def test_what_is_empty_shows_itself_too(nothing):
    assert repr(nothing)
    assert str(nothing)
    assert nothing._repr_html_()


def test_what_a_person_reads():
    model = NaiveBayes().fit({"wings": ["yes", "yes", "no", None]}, ["bird", "bird", "fish", "fish"])
    assert repr(model.schema_) == "<Schema: 1 variable, target 'y', 2 classes>"
    assert str(model.counts_).splitlines() == [
        "Counts: 4 rows, 1 variable, 2 classes",
        "variable  value    bird  fish",
        "          rows        2     2",
        "wings     no          0     1",
        "          yes         2     0",
        "          missing     0     1",
    ]
    left_out = model.leave_one_out({"wings": ["yes", "yes", "no", None]}, ["bird", "bird", "fish", "fish"])
    assert repr(left_out).startswith("<Predictions: 4 rows, log score -")
    assert "wings" in str(model.explain({"wings": ["no"]}))


def test_further_rows_and_columns_are_counted():
    grid = Grid("", ["n"], [[str(n)] for n in range(30)])
    assert as_text([grid]).splitlines()[-1] == "... 10 more"
    assert "... 10 more" in as_html([grid])
    wide = first_rows([(f"c{i}", lambda row: "x") for i in range(15)], 100, n_last=1)
    assert wide.names == [*(f"c{i}" for i in range(10)), "...", "c14"]
    assert len(wide.rows) == 20


def test_every_block_can_be_shown():
    blocks = [
        Heading("A <title>"),
        Paragraph("text", strong=True),
        Bullets(["one", "<two>"]),
        Facts([("rows", "3"), ("<name>", "4")]),
        Grid("title", ["a"], [["1"]]),
        Picture("figure.svg"),
    ]
    text, page = as_text(blocks), as_html(blocks)
    assert "<two>" in text
    assert "<two>" not in page
    assert "&lt;two&gt;" in page
    assert "figure.svg" not in text


def test_wide_characters_keep_columns_in_line():
    """On screen a character may take two places, or none."""
    from rich.cells import cell_len

    grid = Grid("", ["class", "rows"], [["日本語", "20"], ["e\u0301t\u0301", "3"], ["bird", "13"]])
    lines = as_text([grid]).splitlines()
    assert {cell_len(line) for line in lines} == {12}
    facts = as_text([Facts([("日本語", "x"), ("a", "x")])]).splitlines()
    assert [cell_len(line.split("x")[0]) for line in facts] == [8, 8]


def test_characters_that_cannot_be_seen_are_marked():
    assert visible("a\x1bb\u202ec\ud800") == "a\ufffdb\ufffdc\ufffd"
    assert visible("one\n two") == "one two"


def test_the_mixin_has_no_state():
    assert Shown.__slots__ == ()


@pytest.mark.parametrize("rows", [[["1"], ["1", "2"]], [["1", "2", "3"], []]])
def test_lines_of_a_grid_that_are_too_short_are_filled(rows):
    grid = Grid("title", ["a", "b"], rows)
    assert {len(line) for line in (grid.names, *grid.rows)} == {max(2, *map(len, rows))}
    assert "title" in as_text([grid])
    assert "<table" in as_html([grid])
