"""Blocks on terminals of any width, and piped."""

import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from codelength.blocks import Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from codelength.render.terminal import lines, show

WIDTHS = [40, 80, 200, None]
HOSTILE = [
    "[red]not markup[/red]",
    "[/b]",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "a\rb\x08c\x9bd",
    "one\ntwo\tthree",
    "left\u202eright",
    "a | b",
    "x" * 130,
    "日本語のとても長い言葉" * 8,
    "👩‍👩‍👧 e\u0301",
    ":smile:",
    "",
]
EVALUATION = Grid(
    "glass: 214 rows, predicting 'class', leave-one-out",
    ["model", "accuracy", "log score", "in bits", "Brier", "zero rows", "0/0 rows"],
    [
        ["evidence", "0.6729", "-0.9800", "-1.4139", "0.4558", "0", "0"],
        ["stochastic_complexity", "0.6542", "-1.0242", "-1.4776", "0.4681", "0", "0"],
    ],
)


def printed(blocks, width, **options):
    """What a terminal of some width, or a pipe, is sent."""
    file = io.StringIO()
    if width is None:
        console = Console(file=file, highlight=False)
    else:
        console = Console(file=file, highlight=False, force_terminal=True, width=width, **options)
    show(blocks, console)
    return file.getvalue()


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def cells_of(text):
    return [line.split("  ") for line in text.splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_and_the_words_above_them_are_whole(width):
    text = plain(printed([EVALUATION], width))
    found = [word for line in text.splitlines() for word in line.split()]
    for row in EVALUATION.rows:
        assert set(row) <= set(found)
    for name in EVALUATION.names:
        assert set(name.split()) <= set(found)
    assert all(cell_len(line) <= (width or 10_000) for line in text.splitlines())


def test_the_table_of_an_evaluation_fits_80_columns_in_one_piece():
    text = plain(printed([EVALUATION], 80))
    assert text.count("─\n") == 1
    assert text.splitlines()[2:4] == [
        "model                  accuracy  log score  in bits   Brier  rows  0/0 rows",
        "─" * 75,
    ]


def test_a_table_that_is_too_wide_is_split_and_its_first_column_repeated():
    grid = Grid(
        "",
        ["name", *(f"column {n}" for n in range(9))],
        [["glass", *(f"+{n}.123 ± 0.004" for n in range(9))]],
    )
    text = plain(printed([grid], 40))
    assert text.count("glass") == text.count("name") > 1
    for n in range(9):
        assert text.count(f"+{n}.123 ± 0.004") == 1
    assert max(map(cell_len, text.splitlines())) <= 40


def test_words_wrap_before_columns_are_split():
    claim = "Predicting each row from all others, evidence has a better log-score than MAP on every table."
    grid = Grid(
        "", ["where", "claim", "printed", "ours"], [["section 4.2", claim, "0.851", "0.848"]], n_text=2
    )
    text = plain(printed([grid], 60))
    assert text.count("where") == 1
    assert all(word in text.split() for word in claim.split())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("text", HOSTILE)
def test_texts_from_data_are_shown_and_never_obeyed(text, width):
    blocks = [
        Heading(text),
        Paragraph(text, strong=True),
        Bullets([text, "fine"]),
        Facts([(text, text), ("name", text)], text),
        Grid(text, [text, "n"], [[text, "1.5"], [Strong(text), "-12.25"]]),
        Grid("", [text, text], [[text, text]], n_text=2),
    ]
    sent = plain(printed(blocks, width))
    assert all(unicodedata.category(c) != "Cc" for c in sent.replace("\n", ""))
    assert "\u202e" not in sent
    assert "1.5" in sent.split()
    assert "-12.25" in sent.split()
    if width is not None:
        assert max(map(cell_len, sent.splitlines())) <= width
    if text.startswith("[red]"):
        assert "[red]not" in sent
        assert "markup[/red]" in sent


def test_a_pipe_gets_words_within_100_columns_and_no_colour():
    long = "word " * 60
    grid = Grid("t", ["name", "text", "more"], [["a", long, long], [Strong("b"), "x" * 300, "y"]], n_text=3)
    facts = Facts([("name", long)], title=long)
    sent = printed([Heading(long), grid, Paragraph(long), Bullets([long]), facts], None)
    assert "\x1b" not in sent
    assert max(map(cell_len, sent.splitlines())) <= 100
    path = "/very/long" * 12
    assert path in printed([Paragraph(f"Wrote {path} (3 kB)."), Facts([("path", path)])], None)


def test_a_pipe_gets_all_numbers_of_a_row_on_one_line():
    names = [f"column {n}" for n in range(30)]
    numbers = [f"{n}.1234" for n in range(30)]
    sent = printed([Grid("", ["name", *names], [["a word or two", *numbers], ["b", *numbers]])], None)
    rows = [line for line in sent.splitlines() if "0.1234" in line]
    assert len(rows) == 2
    assert all(set(numbers) <= set(row.split()) for row in rows)


@pytest.mark.parametrize("no_color", [False, True])
def test_blanks_are_never_bold(no_color):
    """Some terminals draw them, and copied text holds them."""
    grid = Grid("", ["a", "two words", "n"], [["x", Strong("y"), "1"], ["zz zz", "y", "2"]], n_text=2)
    sent = printed([Heading("h"), grid], 80, no_color=no_color)
    bold = re.findall(r"\x1b\[1m(.*?)\x1b\[0m", sent)
    assert bold == ["h", "a", "two words", "n", "y"]
    narrow = printed([Grid("", ["one two three", "n"], [["x", "1"]])], 10)
    assert all(part.strip() == part and part for part in re.findall(r"\x1b\[1m(.*?)\x1b\[0m", narrow))


def test_a_terminal_gets_bold_headings():
    sent = printed([Heading("Heading"), Grid("", ["n"], [[Strong("stands out")], ["plain"]])], 80)
    assert "\x1b[1mHeading\x1b[0m" in sent
    assert re.search(r"\x1b\[1mstands out *\x1b", sent)
    assert "\x1b[1mplain" not in sent


def test_what_an_encoding_lacks_is_replaced():
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show([Grid("", ["naïve", "s.e."], [["日本", "1 ± 2"]])], Console(file=file))
    file.seek(0)
    assert file.read().splitlines() == ["na?ve   s.e.", "------------", "??     1 ? 2"]


def test_rows_of_several_lines_are_kept_apart():
    grid = Grid("", ["a", "b"], [["one", "word " * 12], ["two", "word " * 12]], n_text=2)
    assert "" in plain(printed([grid], 40)).splitlines()[1:-1]
    assert "" not in printed([grid], None).splitlines()


def test_blocks_are_separated_and_pictures_passed_over():
    made = [
        str(line)
        for line in lines([Heading("h"), Paragraph("p"), Picture("x.svg"), Bullets(["a", "b"], True)])
    ]
    assert made == ["h", "p", "", "1. a", "2. b"]


def test_short_rows_and_empty_tables_do_no_harm():
    assert "b" in printed([Grid("", ["a"], [["x", "b"], []])], 80)
    assert plain(printed([Grid("none", ["a", "b"], [])], 40)).split() == ["none", "a", "b", "────"]
    printed([Grid("", [], []), Facts([]), Bullets([])], 40)


@given(st.text(max_size=60), st.text(max_size=60), st.integers(30, 200))
def test_no_line_is_wider_than_the_terminal(one, other, width):
    blocks = [Paragraph(one), Facts([(one, other)]), Grid(one, ["n", other], [[other, one]], n_text=2)]
    assert all(line.cell_len <= width for line in lines(blocks, width))
