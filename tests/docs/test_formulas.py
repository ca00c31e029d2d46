"""Formulas become MathML that says the same."""

import importlib.util
import re

import pytest

from .blocks import ROOT

pytest.importorskip("sphinx", reason="the documentation is built with the extra docs")


@pytest.fixture(scope="module")
def extension():
    spec = importlib.util.spec_from_file_location("mathml", ROOT / "docs" / "_ext" / "mathml.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(extension, formula):
    """The elements of a formula without their attributes and spaces."""
    from docutils import nodes

    text = extension._mathml(nodes.math(formula, formula), as_block=False)
    return re.sub(r"\s+", "", re.sub(r"<(\w+)[^>]*>", r"<\1>", text))


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (r"\frac12", r"\frac{1}{2}"),
        (r"\frac1K", r"\frac{1}{K}"),
        (r"\hat\Theta", r"\hat{\Theta}"),
        (r"\tilde\alpha_k", r"\tilde{\alpha}_k"),
        (r"a, \dots, b", r"a, \ldots, b"),
    ],
)
def test_short_spellings_mean_what_they_mean_in_latex(extension, short, long):
    assert shown(extension, short) == shown(extension, long)
    assert "<math>" in shown(extension, short)


def test_fractions_have_two_parts(extension):
    assert "<mfrac><mn>1</mn><mn>2</mn></mfrac>" in shown(extension, r"(n_c + \frac12) / n")


def test_what_cannot_be_set_is_told(extension, monkeypatch):
    told = []
    monkeypatch.setattr(extension.logger, "warning", lambda *words, **_: told.append(words))
    assert shown(extension, r"\nosuchcommand") == ""
    assert "nosuchcommand" in str(told)
