"""The page of hidden classes."""

import re

import numpy as np
import pytest

from codelength import FiniteMixture, NaiveBayes, report
from codelength.errors import InvalidParameter
from codelength.reporting.results import LatentAnalysis, TableFacts
from codelength.reporting.sections.hidden_classes import _path, bits_about_class
from unit.reporting.reading import Reading, check


def page_of(columns, **params):
    model = FiniteMixture(random_state=0, n_init=5, **params).fit(columns)
    n_rows = len(next(iter(columns.values())))
    held = TableFacts("<b>birds</b>", n_rows, len(columns), 0, None, (), np.array([]), (), ())
    made = LatentAnalysis(
        table=held,
        model=model,
        comparison=model.comparison_,
        settings=(("criterion", model.criterion),),
        command="codelength report x",
        version="0.0",
        seed=0,
        seconds=1.0,
    )
    return check(report(made).html), model


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 200)
    made = {
        name: np.where(rng.random(200) < 0.1 + 0.8 * group, "yes", "<i>no</i>").tolist()
        for name in ("feathers", "eggs", "</script>")
    }
    return made | {"noise": rng.choice(["a", "b"], 200).tolist()}


def test_the_page_tells_how_many_classes_there_are_and_what_they_look_like(columns):
    page, model = page_of(columns, max_components=3)
    words = " ".join(page.text.split())
    assert model.n_components_ == 2
    assert "fall into 2 hidden classes" in words
    assert "the Cheeseman-Stutz code length" in words
    assert len([one for one in page.all("svg") if one.get("class") == "chart"]) == 1
    for share in model.parameters_.class_probs:
        assert f"{100 * share:.1f} %" in words.replace("\u00a0", " ")
    # What tells the classes apart comes first; noise last.
    assert words.rindex("noise") > words.rindex("feathers")
    assert "How far to trust it" in words
    assert "</script>" in words
    assert not page.all("script")


@pytest.mark.parametrize(
    ("criterion", "scale", "words"),
    [
        ("bic", 2, "Half of BIC"),
        ("aic", 2, "Half of AIC"),
        ("cheeseman_stutz", 1, "The Cheeseman-Stutz code length"),
    ],
)
def test_every_criterion_is_drawn_in_bits(columns, criterion, scale, words):
    """AIC and BIC are on the scale of minus twice the log-likelihood."""
    model = FiniteMixture(criterion=criterion, max_components=2, random_state=0, n_init=5).fit(columns)
    figures = np.array(model.comparison_[criterion])
    chart = Reading(_path(model.comparison_))
    heights = [float(one["cy"]) for one in chart.all("circle") if one["class"] == "dot"]
    rules = [float(one["y1"]) for one in chart.all("line") if one["class"] == "rule"]
    marks = [float(words.replace(",", "")) for words in chart.texts[: len(rules)]]
    bits_per_pixel = (marks[-1] - marks[0]) / (rules[0] - rules[-1])
    drawn = (max(heights) - np.array(heights)) * bits_per_pixel
    assert drawn == pytest.approx((figures - figures.min()) / (scale * np.log(2)), rel=0.01)
    assert f"{words}, in bits above the smallest" in chart.text


def test_one_class_is_an_answer_too():
    rng = np.random.default_rng(5)
    page, _ = page_of({name: rng.choice(["a", "b"], 100).tolist() for name in "xyz"}, n_components=1)
    assert "no hidden classes" in page.text


def test_the_bits_of_a_variable_are_mutual_information():
    """By the entropies: I = H(value) - H(value | class)."""
    shares = np.array([0.25, 0.75])
    probs = np.array([[0.9, 0.2], [0.1, 0.3], [0.0, 0.5]])

    def entropy(p):
        return -sum(x * np.log2(x) for x in p if x > 0)

    expected = entropy(probs @ shares) - sum(shares[k] * entropy(probs[:, k]) for k in range(2))
    assert bits_about_class(probs, shares) == pytest.approx(expected)
    assert bits_about_class(np.array([[0.3, 0.3], [0.7, 0.7]]), shares) == pytest.approx(0, abs=1e-12)


def test_a_model_that_was_fitted_has_its_page(columns):
    model = FiniteMixture(2, random_state=0, n_init=5).fit(columns)
    page = check(report(model, title="Birds").html)
    words = " ".join(page.text.split())
    assert re.search("The 200 rows fall into 2 hidden classes ?, the number that was asked for", words)
    assert "The same page again" not in words
    with pytest.raises(InvalidParameter, match="needs rows to judge it by"):
        report(NaiveBayes().fit(columns, ["a", "b"] * 100))
    with pytest.raises(InvalidParameter, match="nothing to predict without a target"):
        report(columns, model=NaiveBayes())


def test_the_largest_number_tried_may_not_be_the_largest_there_is(columns):
    page, model = page_of(columns, max_components=2)
    assert model.n_components_ == 2
    assert re.search(r"2 hidden classes or more \(no larger number was tried\)", " ".join(page.text.split()))
