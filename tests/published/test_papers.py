"""Our figures against the printed ones and against those of an independent oracle."""

from pathlib import Path

import pytest

from codelength import datasets
from codelength_lab import PUBLISHED
from codelength_lab import pages as reports
from codelength_lab.experiment import Model
from codelength_lab.experiments.predictive_inference import bernoulli
from codelength_lab.predictions import results_of
from codelength_lab.published import published
from codelength_lab.registry import find, specify
from codelength_lab.run import run

DOCS = Path(__file__).parents[2] / "docs"

# Leave-one-out by an independent program in exact arithmetic: the three 0/1-scores, then the log-scores, of
# MAP (with 0.002 added to every count), evidence, and stochastic complexity by equation (8) of that paper.
ORACLE = {
    "Australian": (0.851, 0.848, 0.848, -0.456, -0.457, -0.458),
    "Glass": (0.701, 0.673, 0.654, -1.204, -0.980, -1.024),
    "Heart": (0.830, 0.837, 0.837, -0.471, -0.439, -0.444),
    "Hepatitis": (0.845, 0.819, 0.832, -0.873, -0.670, -0.712),
}


@pytest.fixture(scope="module")
def predictive_inference(tmp_path_factory):
    spec = specify("predictive-inference", settings=["repeats=2"])
    return find(spec, run(spec, tmp_path_factory.mktemp("run"), jobs=1).results)


@pytest.mark.parametrize("row", ORACLE)
def test_table_1_of_1997_equals_the_oracle_as_printed(predictive_inference, row):
    ours = [c.ours for c in predictive_inference.comparisons if c.row == row]
    assert ours == pytest.approx(ORACLE[row], abs=0.0006)


def test_evidence_matches_the_printed_log_scores_and_stochastic_complexity_does_not(predictive_inference):
    verdicts = {
        column: [c.matches for c in predictive_inference.comparisons if c.column == column]
        for column in ("EV-01", "EV-LS", "SC-LS")
    }
    assert verdicts == {"EV-01": [True] * 4, "EV-LS": [True] * 4, "SC-LS": [False] * 4}
    reasons = {c.reason for c in predictive_inference.comparisons if c.column == "SC-LS"}
    assert len(reasons) == 1
    assert "equation (8)" in reasons.pop()


def test_tempering_the_weights_gives_the_printed_stochastic_complexity(tmp_path):
    spec = specify("predictive-inference", settings=["repeats=1", "sc_power=0.72"])
    found = find(spec, run(spec, tmp_path, jobs=1).results)
    apart = [abs(c.difference) for c in found.comparisons if c.column == "SC-LS" and c.row != "Glass"]
    assert max(apart) < 0.02
    assert found.changed == ["sc_power=0.72", "repeats=1"]


@pytest.mark.parametrize(
    ("rule", "expected"), [("map", 1.0), ("evidence", 2 / 3), ("stochastic_complexity", 4 / 5)]
)
def test_the_bernoulli_example(rule, expected):
    assert bernoulli(Model("any", rule)) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("name", ["breast-cancer", "lymphography", "primary-tumor"])
def test_tables_without_numbers_match_the_printed_ones_of_1998(tmp_path, name):
    """No setting is open for these tables, except what becomes of probabilities of zero."""
    spec = specify("bayes-optimal-ibl", quick=True)
    tasks = tuple(task for task in spec.tasks if task.source.name == name and task.fraction == 1)
    results = run(type(spec)(spec.experiment, True, spec.settings, tasks), tmp_path, jobs=1).results
    scores = results_of(type(spec)(spec.experiment, True, spec.settings, tasks), results)
    row = next(
        row for row in published(spec.experiment)["table"][0]["rows"].values() if row["dataset"] == name
    )
    for model, printed in zip(("MLNB", "BIBL"), row["values"][:2], strict=True):
        value, error = scores.mean(
            table=name, protocol="cross-validation", fraction=1.0, model=model, score="accuracy"
        )
        assert 100 * value == pytest.approx(printed, abs=0.5 + 300 * error)


@pytest.mark.parametrize("key", PUBLISHED)
def test_printed_sizes_are_those_of_the_registry(key):
    for table in published(key)["table"]:
        for row in table["rows"].values():
            assert len(row["values"]) == len(table["columns"])
            if "size" not in row:
                continue
            quoted = next(
                size
                for paper, size in datasets.describe(row["dataset"]).quoted.items()
                if paper.startswith(key)
            )
            rows, attributes, classes = row["size"]
            assert tuple(quoted) == (rows, attributes - 1, classes)


def test_the_tables_of_2003_are_those_it_lists():
    document = published("indifferent-naive-bayes")
    assert len(document["datasets"]) + len(document["not_available"]) == 16
    for name in document["datasets"].values():
        assert "indifferent-naive-bayes-2003" in datasets.describe(name).papers
    (table,) = document["table"]
    assert [row["values"] for row in table["rows"].values()] == [[12, 6], [11, 11], [10, 40], [14, 100]]


@pytest.mark.parametrize("key", PUBLISHED)
def test_committed_results_are_of_full_runs_with_the_usual_settings(key):
    found = reports.read(DOCS / "results" / key)
    assert (found.quick, found.changed) == (False, [])


def test_the_pages_of_validation_are_up_to_date():
    parts = reports.parts_of(DOCS / "results")
    for name, n_parts in {"validation": 2, "comparison": 1, **dict.fromkeys(PUBLISHED, 1)}.items():
        page = (DOCS / "results" / f"{name}.md").read_text(encoding="utf-8")
        assert page.count("<!-- table: ") == n_parts
        assert reports.filled(page, parts) == page


def test_committed_results_are_small():
    for experiment in (DOCS / "results").iterdir():
        assert sum(path.stat().st_size for path in experiment.rglob("*") if path.is_file()) < 1_000_000
