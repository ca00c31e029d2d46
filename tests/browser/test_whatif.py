"""The what-if: as exact as Python, kept in the address, and worked with keys alone."""

import numpy as np
import pytest

from codelength.export.reader import ask, score

from .driver import TAB
from .pages import RULES, models, table, whatif_page

CHOOSE = """
const [name, text] = arguments;
const label = [...document.querySelectorAll(".ask label")].find((one) => one.textContent === name);
const control = document.getElementById(label.htmlFor);
if (control.tagName === "SELECT") {
  control.value = [...control.options].find((one) => one.textContent === text).value;
  control.dispatchEvent(new Event("change"));
} else {
  control.value = text;
  control.dispatchEvent(new Event("input"));
}
"""

SEEN = """
return [...document.querySelectorAll(".outcome li")].map((one) =>
  [one.querySelector(".who").textContent, one.querySelector(".n").textContent,
    one.querySelector("rect:nth-child(2)").getAttribute("width")])
"""


@pytest.fixture
def window(shown):
    return shown(whatif_page())


def random_cases(n_cases):
    """Cells of rows, absent and missing ones, and values that no row has."""
    rng = np.random.default_rng(11)
    columns, classes = table()
    cases = []
    for _ in range(n_cases):
        case = {}
        for name, cells in columns.items():
            chance = rng.random()
            if chance < 0.6:
                case[name] = cells[int(rng.integers(len(classes)))]
            elif chance < 0.7:
                case[name] = "never seen"
            elif chance < 0.8:
                case[name] = None
            elif name == "size":
                case[name] = str(round(float(rng.normal()), 3))
        cases.append(case)
    return cases


@pytest.mark.parametrize("rule", RULES)
def test_the_page_scores_as_python_does(window, rule):
    document = models()[rule].to_scorer()
    cases = random_cases(200)
    found = window.run(
        "const [rule, cases] = arguments; return cases.map((one) => window.codelengthWhatIf(rule, one))",
        rule,
        cases,
    )
    for case, probabilities in zip(cases, found, strict=True):
        assert probabilities == pytest.approx(score(document, case).probabilities, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_the_page_predicts_as_the_estimator_does(window, rule):
    columns, _ = table()
    cases = [{name: cells[row] for name, cells in columns.items()} for row in range(40)]
    found = window.run(
        "const [rule, cases] = arguments; return cases.map((one) => window.codelengthWhatIf(rule, one))",
        rule,
        cases,
    )
    expected = models()[rule].predict_proba({name: cells[:40] for name, cells in columns.items()})
    np.testing.assert_allclose(np.array(found), expected, rtol=0, atol=1e-9)


def test_choosing_moves_probabilities_and_evidence_at_once(window):
    before = window.run(SEEN)
    window.run(CHOOSE, "size", "2.75")
    window.run(CHOOSE, "colour", 'b"l<u>e')
    window.run(CHOOSE, "wild", "true")
    after = window.run(SEEN)
    assert before != after
    case = {"size": "2.75", "colour": 'b"l<u>e', "wild": True}
    expected = score(models()["evidence"].to_scorer(), case).probabilities
    assert [float(width.rstrip("%")) / 100 for _, _, width in after] == pytest.approx(expected, abs=1e-9)
    assert [label for label, _, _ in after] == ["k0", "k1", "k2"]
    assert [text for _, text, _ in after] == [f"{100 * p:.1f} %" for p in expected]
    figures = window.run(
        "return [...document.querySelectorAll('.ask.known output')].map((one) => one.textContent)"
    )
    assert len(figures) == 3


def test_the_evidence_adds_up_to_the_log_odds(window):
    window.run(CHOOSE, "size", "2.75")
    window.run(CHOOSE, "legs", "4")
    told = window.run("return document.querySelector('.sum').textContent")
    reference, of = window.run(
        "return ['against', 'of'].map((key) => Number(document.getElementById(`whatif-${key}`).value))"
    )
    probabilities = score(models()["evidence"].to_scorer(), {"size": "2.75", "legs": 4}).probabilities
    bits = np.log2(probabilities[of] / probabilities[reference])
    assert f"{'+' if bits > 0 else '−'}{abs(bits):.2f} now" in told


def test_what_to_ask_next_is_what_python_would_ask(window):
    window.run(CHOOSE, "colour", "red")
    document = models()["evidence"].to_scorer()
    asked = [(name, bits) for name, bits in ask(document, {"colour": "red"})[:3] if bits > 0.0005]
    buttons = window.run(
        "return [...document.querySelectorAll('.next button')].map((one) => one.textContent)"
    )
    assert buttons == [f"{name} {bits:.2f} bits" for name, bits in asked]
    window.run("document.querySelector('.next button').click()")
    assert (
        window.run("return document.querySelector(`label[for='${document.activeElement.id}']`).textContent")
        == asked[0][0]
    )


def test_every_rule_can_be_chosen(window):
    window.run(CHOOSE, "legs", "4")
    for n, rule in enumerate(RULES):
        window.run(f"document.getElementById('whatif-rule-{n}').click()")
        widths = [float(width.rstrip("%")) / 100 for _, _, width in window.run(SEEN)]
        assert widths == pytest.approx(score(models()[rule].to_scorer(), {"legs": 4}).probabilities, abs=1e-9)
        assert f"rule={rule}" in window.run("return location.hash")


def test_the_address_brings_a_case_back(window, shown):
    window.run(CHOOSE, "size", "-0.5")
    window.run(CHOOSE, "colour", 'b"l<u>e')
    window.run(CHOOSE, "wild", "true")
    window.run(CHOOSE, "legs", "2")
    window.run("document.getElementById('whatif-rule-2').click()")
    fragment, before = window.run("return location.hash"), window.run(SEEN)
    again = shown(whatif_page(), fragment)
    assert again.run(SEEN) == before
    assert again.run("return document.getElementById('whatif-rule-2').checked")
    assert again.run(
        "return [...document.querySelectorAll('.ask.known label')].map((one) => one.textContent)"
    ) == [
        "colour",
        "size",
        "legs",
        "wild",
    ]
    again.run(
        "[...document.querySelectorAll('.buttons button')]"
        ".find((one) => one.textContent === 'Start again').click()"
    )
    assert again.run("return document.querySelectorAll('.ask.known').length") == 0
    assert "v." not in again.run("return location.hash")


@pytest.mark.parametrize(
    "fragment",
    [
        "#case?rule=none&v.colour=purple&n.legs=99&of=7",
        "#case?v.size=abc",
        "#case?%ff",
        "#case?n.wild=-1&v.__proto__=1",
    ],
)
def test_an_address_that_says_nonsense_is_a_case_of_which_less_is_known(shown, fragment):
    window = shown(whatif_page(), fragment)
    assert window.console() == []
    assert len(window.run(SEEN)) == 3
    assert window.run("return document.querySelectorAll('.ask.known').length") == 0


def test_a_number_that_is_none_is_marked(window):
    window.run(CHOOSE, "size", "large")
    assert window.run("return document.querySelector('.ask input').getAttribute('aria-invalid')") == "true"
    window.run(CHOOSE, "size", "1e0")
    assert window.run("return document.querySelector('.ask input').getAttribute('aria-invalid')") == "false"


def test_all_of_it_is_reached_with_the_tab_key_and_seen_to_be(window):
    wanted = window.run(
        "return [...document.querySelectorAll('#whatif-app select, #whatif-app input[type=text]')]"
        ".map((one) => one.id)"
    )
    window.run(
        "document.querySelector('#whatif-app').previousElementSibling.tabIndex = -1;"
        "document.querySelector('#whatif-app').previousElementSibling.focus()"
    )
    reached, outlines = [], set()
    for _ in range(len(wanted) + 20):
        window.press([TAB])
        one, outline = window.run(
            "const one = document.activeElement; return [one.id, getComputedStyle(one).outlineStyle]"
        )
        if one in wanted:
            reached.append(one)
            outlines.add(outline)
    assert set(reached) == set(wanted)
    assert "none" not in outlines


def test_keys_alone_choose_a_value(window):
    window.run("document.querySelector('.ask select').focus()")
    window.press(["\ue015"])
    assert window.run("return document.querySelectorAll('.ask.known').length") == 1
    window.run("document.querySelector('.ask input').focus()")
    window.press(list("1.5"))
    assert window.run("return document.querySelector('.ask input').value") == "1.5"
    assert window.run("return document.querySelectorAll('.ask.known').length") == 2
