"""Templates: what they escape, and how their lines are joined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from codelength.render.templates import Markup, escaped, templates
from unit.reporting.reading import Reading

# Halves of surrogate pairs included, which no file can hold.
any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


def made(source, **values):
    return templates.from_string(source).render(values)


@given(any_text, any_text)
def test_no_text_becomes_an_element_or_ends_an_attribute(inner, attribute):
    text = made('<p title="{{ attribute }}">{{ inner }}</p>', inner=inner, attribute=attribute)
    page = Reading(text)
    assert [name for name, _ in page.elements] == ["p"]
    assert set(page.elements[0][1]) == {"title"}
    text.encode()


def test_plain_texts_come_back_as_they_were():
    words = "a < b & \"c\" > 'd' &amp; é 漢字 {{ 7*7 }}"
    page = Reading(made('<p title="{{ words }}">{{ words }}</p>', words=words))
    assert page.text == words
    assert page.elements[0][1]["title"] == words


def test_what_a_browser_may_not_see_is_marked():
    assert escaped("a\x00b\x1b\u202ec\ud800") == "a\ufffdb\ufffd\ufffdc\ufffd"


def test_markup_stands_as_it_is_and_none_is_nothing():
    values = {"bold": Markup("<b>x</b>"), "nothing": None, "number": 3}
    assert made("{{ bold }}{{ nothing }}{{ number }}", **values) == "<b>x</b>3"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>\nOne\ntwo\n</p>", "<p>One two</p>"),
        ("<p>\n{{ a }}\ntwo\n<b>three</b>\nfour</p>", "<p>1 two <b>three</b> four</p>"),
        ("{% if a %}\none\n{% endif %}\ntwo", "onetwo"),
        ("{{ a }}\n{{ a }}\n<br>\n<b>{{ a }}</b>\n<i>x</i>", "11<br><b>1</b><i>x</i>"),
        ('<svg\n width="{{ a }}">\n</svg>', '<svg width="1"></svg>'),
    ],
)
def test_lines_are_joined_as_they_read(source, text):
    assert made(source, a=1) == text


def test_a_name_that_is_not_given_raises():
    with pytest.raises(UndefinedError):
        made("{{ nothing }}")
