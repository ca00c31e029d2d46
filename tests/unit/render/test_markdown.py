"""Blocks as Markdown, read back by a parser of Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from codelength.blocks import Bullets, Facts, Grid, Heading, Paragraph, Picture, Strong
from codelength.render import one_line
from codelength.render.markdown import markdown

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])

HOSTILE = [
    "**bold** and *emphasis* and _more_ and __more__",
    "<script>alert(1)</script> &lt; &amp;",
    "[a link](https://example.org) ![picture](x)",
    "`code` | pipe \\ backslash \\| both",
    "# heading",
    "1. list",
    "- list",
    "+ list",
    "> quote",
    "=== ---",
    "~~struck~~",
    "one\ntwo\n\nthree",
    "\x1b[31mred",
    "log_score, LN*, C-S*, $x$",
    "a_b_c _d_",
    "    indented",
]


def texts(source, kind="inline"):
    """The texts that a reader sees, piece by piece, and nothing but texts."""
    found = []
    for token in PARSER.parse(source):
        if token.type == kind:
            assert {child.type for child in token.children} <= {"text", "text_special"}, token.content
            found.append("".join(child.content for child in token.children))
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_read_as_they_are(text):
    plain = one_line(text)
    assert texts(markdown([Heading(text), Paragraph(text), Bullets([text])])) == [plain] * 3
    assert texts(markdown([Grid("", [text, "n"], [[text, "1"]])])) == [plain, "n", plain, "1"]


@given(st.text(min_size=1, max_size=80).filter(lambda text: one_line(text)))
def test_any_text_reads_as_it_is(text):
    plain = one_line(text).strip()
    assert [found.strip() for found in texts(markdown([Paragraph(text)]))] == [plain]
    assert [found.strip() for found in texts(markdown([Grid("", ["n", text], [["1", text]])]))][1::2] == [
        plain
    ] * 2


def test_the_parts_of_a_page():
    page = markdown(
        [
            Heading("Title", 1),
            Heading("A paper", 2, anchor="a-paper"),
            Paragraph("Careful.", strong=True),
            Bullets(["one", "two"], numbered=True),
            Grid("Scores", ["", "ours"], [["A paper", "0.5"], [Strong("differs"), "1"]]),
            Facts([("rows", "5")], "Facts"),
            Picture("results/a b.svg", "a picture"),
        ]
    )
    assert page == (
        "# Title\n\n"
        '<a id="a-paper"></a>\n\n## A paper\n\n'
        "**Careful.**\n\n"
        "1. one\n2. two\n\n"
        "**Scores**\n\n|  | ours |\n|---|---:|\n| [A paper](#a-paper) | 0.5 |\n| **differs** | 1 |\n\n"
        "**Facts**\n\n- **rows**: 5\n\n"
        "![a picture](results/a%20b.svg)\n"
    )


def test_short_rows_are_filled():
    assert markdown([Grid("", ["a", "b"], [["x"]])]).splitlines()[-1] == "| x |  |"
