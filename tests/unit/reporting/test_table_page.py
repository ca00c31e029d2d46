"""The page of an analysis: what it says, what it must not say, and how large it is."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from codelength.export.reader import score
from codelength.reporting import Report, report
from codelength.reporting.results import Estimate, Surprise, ValueProfile
from codelength.reporting.sections.answer import in_words
from unit.reporting.made_up import made_up_analysis, with_rows
from unit.reporting.reading import check

HOSTILE = "</script><script>hit()</script><img src=x onerror=hit()>\"'&\n\u202e\ud800"


def html(analysis, **options):
    return report(analysis, **options).html


def scorers_of(page):
    return json.loads(
        next(data for attributes, data in page.scripts if attributes.get("id") == "whatif-data")
    )


def test_the_answer_comes_first_in_two_sentences_with_intervals():
    page = check(html(made_up_analysis()))
    words = re.sub(r"\s+", " ", page.text.replace("\u00a0", " "))
    assert words.index("can be predicted") < words.index("Models compared")
    assert "0.31 of the 0.92 bits per row" in words
    assert "(95 % interval 0.21 to 0.41)" in words
    assert "80.0 % of the rows (68.0 to 88.0 %; the most common class alone: 66.7 %)" in words
    assert "4.0 points on average (1.0 to 9.0)" in words


def test_every_section_is_there_and_in_the_contents():
    page = check(html(made_up_analysis()))
    anchors = ["table", "models", "reliability", "learning", "variables", "what-if", "surprises", "settings"]
    sections = [attributes["id"] for attributes in page.all("section")]
    assert sections == ["answer", *anchors]
    links = [attributes["href"] for attributes in page.all("a")]
    assert links == ["#answer", *(f"#{anchor}" for anchor in anchors)]
    for words in ("codelength report", "0.610", "∞", "Row 1 ", "outlook", "numbers in intervals"):
        assert (words in page.text) == (words != "Row 1 ")


def test_all_models_stand_with_their_differences_and_standard_errors():
    text = html(made_up_analysis()).replace("\u00a0", " ")
    for model in made_up_analysis().models:
        assert text.count(model.name) >= 2
    assert "0.030 ± 0.007" in text
    assert "gave probability zero to the class that occurred in 1 row" in text


def test_rows_are_in_the_page_only_when_asked_for():
    secret = replace(
        made_up_analysis(), surprises=(Surprise(17, 0.02, "in", "out", (("ward", "secret-cell"),)),)
    )
    assert "secret-cell" in html(secret)
    silent = replace(secret, surprises=(Surprise(17, 0.02, "in", "out", ()),))
    text = html(silent)
    assert "secret-cell" not in text
    assert "--rows" in text
    assert "Row 17" in html(secret)


@pytest.mark.parametrize("n_classes", [2, 3, 50])
def test_nothing_of_a_hostile_table_becomes_markup(n_classes):
    classes = tuple(f"class {k}" for k in range(n_classes))
    text = html(with_rows(made_up_analysis(classes=classes, prefix=HOSTILE)), title=HOSTILE)
    page = check(text)
    assert len(page.all("script")) == 2
    assert not page.all("img")
    assert "<img" not in text
    assert "hit()" in page.text
    text.encode()
    # What is scored is what the table says, to the last character.
    assert scorers_of(page)[0]["scorer"]["variables"][0]["name"] == f"{HOSTILE}outlook"


def test_names_alike_only_to_the_eye_stay_apart():
    page = check(html(made_up_analysis(prefix="x" * 90)))
    names = [variable["name"] for variable in scorers_of(page)[0]["scorer"]["variables"]]
    assert len(set(names)) == 3


def test_the_scorers_in_the_page_score_as_those_of_the_analysis():
    analysis = made_up_analysis(n_variables=40)
    for entry in scorers_of(check(html(analysis))):
        own = analysis.scorers[entry["rule"]]
        case = {v["name"]: v["values"][0] if v["kind"] == "values" else 12 for v in own["variables"]}
        assert score(entry["scorer"], case).probabilities == pytest.approx(
            score(own, case).probabilities, abs=1e-10
        )


def test_the_most_informative_variables_are_kept_where_there_are_many():
    analysis = made_up_analysis(n_variables=130)
    page = check(html(analysis))
    kept = [variable["name"] for variable in scorers_of(page)[0]["scorer"]["variables"]]
    assert kept == [variable.name for variable in analysis.variables[:100]]
    words = page.text
    assert "30 others stay unknown here" in words
    assert "And 30 further variables with at most" in words


@pytest.mark.parametrize("n_classes", [2, 6, 50])
def test_a_hundred_columns_take_less_than_a_megabyte(n_classes):
    """Many values, long names, and characters that become longer when they are escaped."""
    long = "\"'&<>" * 12
    analysis = made_up_analysis(100, classes=tuple(f"{long}{k}" for k in range(n_classes)), prefix=long)
    profile = tuple(
        ValueProfile(f"{long}{n}", 60.0 - n, np.full(n_classes, 1 / n_classes)) for n in range(60)
    )
    rng = np.random.default_rng(0)
    for document in analysis.scorers.values():
        for variable in document["variables"]:
            variable |= {"kind": "values", "values": [value.label for value in profile]}
            variable |= {"table": rng.normal(size=(60, n_classes)).tolist(), "weights": [1 / 60] * 60}
    variables = tuple(replace(variable, profile=profile, n_values=60) for variable in analysis.variables)
    full = with_rows(replace(analysis, variables=variables, surprises=analysis.surprises * 20))
    text = html(full)
    assert len(text.encode()) < 1_000_000
    check(text)


def test_thousands_of_columns_are_cut_and_counted():
    text = html(made_up_analysis(2_000, classes=tuple(f"c{k}" for k in range(50))))
    assert len(text.encode()) < 1_000_000
    page = check(text)
    words = page.text
    assert "1,900 further variables" in words
    n_kept = len(scorers_of(page)[0]["scorer"]["variables"])
    assert 30 < n_kept <= 100
    assert f"{2_000 - n_kept:,} others stay unknown here" in words
    assert "38 other classes" in words
    assert "The 7 most common of 50 classes." in words


def test_one_class_is_nothing_to_predict():
    page = check(html(made_up_analysis(classes=("only",))))
    assert "has only one class in this table" in page.text
    assert [attributes["id"] for attributes in page.all("section")] == ["answer", "table", "settings"]


def test_directories_of_a_file_are_not_told():
    page = check(html(made_up_analysis(name="home/me/secret/weather.csv")))
    assert "weather.csv · 60 rows" in page.text
    told = page.text.replace(made_up_analysis(name="home/me/secret/weather.csv").command, "")
    assert "secret" not in told


def test_a_table_with_next_to_nothing_still_gives_a_page():
    bare = made_up_analysis()
    none = np.array([])
    bare = replace(
        bare,
        variables=(),
        surprises=(),
        learning_curve=None,
        reliability=replace(bare.reliability, promised=none, observed=none, low=none, high=none, n_rows=none),
        models=bare.models[:1],
        scorers={},
        gain=Estimate(0.0, float("nan"), 0.0, 0.0),
    )
    words = check(html(bare)).text
    assert words.count("There are too few rows to tell.") == 2
    assert "There is no column that could say anything about the class." in words
    assert "say nothing about" in words


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (Estimate(0.1, 0.01, 0.08, 0.12), "can be predicted from the other columns"),
        (Estimate(0.1, 0.1, -0.1, 0.3), "is not certain"),
        (Estimate(-0.1, 0.01, -0.12, -0.08), "say nothing about"),
    ],
)
def test_the_answer_does_not_promise_more_than_its_interval(gain, words):
    assert words in check(html(replace(made_up_analysis(), gain=gain))).text


def test_figures_that_are_unknown_or_endless_are_drawn_all_the_same():
    analysis = made_up_analysis()
    nan, inf = float("nan"), float("inf")
    odd = Estimate(0.2, nan, -inf, inf)
    variables = tuple(
        replace(variable, bits_alone=variable.bits_alone and odd) for variable in analysis.variables
    )
    curve = analysis.learning_curve
    curve = replace(
        curve, high=np.full(4, inf), low=np.full(4, nan), loss_bits=np.array([inf, 0.9, 0.8, 0.7])
    )
    text = html(replace(analysis, variables=variables, learning_curve=curve, accuracy=odd))
    check(text)
    assert not re.search(r'="[^"]*(nan|inf\b)[^"]*"', text)


def test_a_report_is_saved_whole_and_shown_in_a_notebook(tmp_path):
    made = report(made_up_analysis(), title="A <b> title")
    made.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == made.html
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert isinstance(made, Report)
    assert repr(made).startswith("<Report: ")
    frame = made._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert frame.count("<") == 2
    assert "A &lt;b&gt; title" in made.html


def test_the_answer_on_one_line():
    told = in_words(made_up_analysis())
    assert told == (
        "Model average saves 0.31 of 0.92 bits per row (0.21 to 0.41) and names the right class in 80.0 % of "
        "the rows (68.0 to 88.0 %)."
    )


def test_the_answer_on_one_line_where_there_is_little_to_say():
    assert in_words(made_up_analysis(classes=("only",))) == (
        "There is only one class, so there is nothing to predict."
    )
    told = in_words(replace(made_up_analysis(), gain=Estimate(0.0, 0.0, 0.0, 0.0)))
    assert told == (
        "Nothing is better than guessing the largest class, which is right in "
        f"{_largest(made_up_analysis())} % of the rows, or than the class shares as probabilities, which "
        "cost 0.92 bits per row."
    )


def _largest(analysis):
    counts = analysis.table.class_counts
    return f"{100 * counts.max() / counts.sum():.1f}"


def test_where_nothing_is_gained_no_figures_are_claimed():
    """A model that is worse than guessing has no accuracy worth telling."""
    prior, *others = sorted(made_up_analysis().models, key=lambda model: model.name != "class prior")
    best = replace(prior, behind_best=Estimate(0.0, 0.0, 0.0, 0.0), is_tied=True)
    noise = replace(
        made_up_analysis(),
        gain=Estimate(-0.1, 0.01, -0.12, -0.08),
        best="class prior",
        models=(best, *others),
    )
    words = check(html(noise)).text
    assert "nothing is better than guessing the largest class" in words
    assert f"{_largest(noise)}\u00a0% of the rows" in words
    assert "No model predicts better than the class prior" in words
    assert "names the right class" not in words
    assert "Right class named" not in words


def test_tied_models_are_marked():
    words = check(html(made_up_analysis())).text
    assert "Model average predicts best; naive Bayes, evidence is tied with it" in words
    assert words.count("0.030\u00a0±\u00a00.007, tied") + words.count("0.030\u00a0±\u00a00.008, tied") == 2
    assert words.count(", tied") == 2


def test_there_is_no_what_if_without_variables():
    analysis = made_up_analysis()
    bare = {rule: {**document, "variables": []} for rule, document in analysis.scorers.items()}
    page = check(html(replace(analysis, scorers=bare)))
    assert "what-if" not in [attributes.get("id") for attributes in page.all("section")]
    assert not page.all("script")
