"""The experiments of a paper as a library function, and what a new paper takes."""

import math
from dataclasses import dataclass, replace

import pytest

from codelength.errors import DataError, InvalidParameter
from codelength_lab import EXPERIMENTS, PUBLISHED, registry, reproduce
from codelength_lab import pages as reports
from codelength_lab.claims import Claim, by_lead
from codelength_lab.experiment import Experiment
from codelength_lab.published import NOISE, compared, published
from codelength_lab.registry import specify
from codelength_lab.settings import Settings


def test_findings_come_with_their_results_and_progress_is_told(tmp_path):
    told = []
    made = reproduce(
        "bayes-optimal-ibl",
        quick=True,
        settings=["repeats=1"],
        directory=tmp_path,
        jobs=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert made.directory == tmp_path / "bayes-optimal-ibl-quick-repeats=1"
    assert len(told) == made.outcome.n_run == len(made.outcome.results)
    assert told[-1][0] == pytest.approx(told[-1][1])
    assert made.findings.changed == ["repeats=1"]
    assert len(made.findings.comparisons) == 72
    # Nothing but finished tasks is written; the report does that.
    assert [path.name for path in made.directory.iterdir()] == ["tasks.sqlite"]
    again = reproduce(specify("bayes-optimal-ibl", quick=True, settings=["repeats=1"]), directory=tmp_path)
    # As text, because what is not a number equals nothing.
    assert (again.outcome.n_run, repr(again.findings)) == (0, repr(made.findings))


def test_bad_calls_are_refused_before_anything_runs(tmp_path):
    with pytest.raises(InvalidParameter, match="did you mean 'indifferent-naive-bayes'"):
        reproduce("indiferent-naive-bayes", directory=tmp_path)
    with pytest.raises(InvalidParameter, match="did you mean 'bins'"):
        reproduce("bayes-optimal-ibl", settings=["bin=3"], directory=tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="cannot be written"):
        reproduce("bayes-optimal-ibl", quick=True, directory=tmp_path / "file")


@dataclass(frozen=True)
class Sum:
    """The task of a paper that nobody wrote."""

    number: int
    group = "sums"
    work = 1.0

    @property
    def key(self):
        return f"sums/{self.number}"

    def run(self):
        return {"sum": sum(range(self.number))}


def test_a_sixth_paper_is_a_file_and_a_line(tmp_path, monkeypatch):
    defaults = Settings()

    def find(opened, spec, results):
        total = sum(result["sum"] for result in results.values())
        claims = [Claim("section 1", "Sums grow.", by_lead(total - 3), str(total))]
        return replace(opened, claims=claims)

    toy = Experiment(
        "toy", defaults, lambda quick, settings: [Sum(n) for n in range(2 if quick else 5)], find
    )
    monkeypatch.setitem(EXPERIMENTS, "toy", toy)
    printed = {"title": "Toys", "citation": "Somebody (1999).", "table": []}
    monkeypatch.setattr(registry, "published", lambda key: printed)
    made = reproduce("toy", directory=tmp_path, jobs=1)
    assert made.findings.verdicts() == {"held": 1, "not held": 0, "unsettled": 0}
    assert reports.save(made.findings, made.directory)
    assert reports.blocks_of(reports.read(made.directory))[0].text == "Toys"


def test_a_tolerance_is_slack_and_rounding_and_noise():
    made = compared("bayes-optimal-ibl", "Table 1", "Glass", "0/1 100% MLNB", 66.9, 66.0, 0.2)
    assert (made.slack, made.rounding, made.noise) == (1.0, 0.05, NOISE)
    assert made.tolerance == pytest.approx(1.05 + 2 * math.sqrt(2) * 0.2)
    assert made.matches
    assert not made.is_exact
    under_leave_one_out = compared("predictive-inference", "Table 1", "Glass", "EV-LS", -0.981, -0.99, 0.1)
    assert under_leave_one_out.tolerance == pytest.approx(0.0055)
    assert not under_leave_one_out.matches
    no_error = compared("bayes-optimal-ibl", "Table 1", "Glass", "0/1 100% MLNB", 66.9, 66.0, math.nan)
    assert no_error.tolerance == pytest.approx(1.05)


def test_half_a_unit_of_the_last_digit_is_rounding_however_it_is_written():
    made = compared("predictive-inference", "Table 1", "Glass", "EV-01", 0.668, 0.6735, 0.0)
    assert made.matches
    assert not compared("predictive-inference", "Table 1", "Glass", "EV-01", 0.668, 0.67351, 0.0).matches


def test_a_reason_found_with_the_figure_goes_before_the_one_in_the_file():
    made = compared("predictive-inference", "Table 1", "Glass", "SC-LS", -0.954, -1.024, 0.1)
    assert "equation (8)" in made.reason
    assert replace(made, ours=-0.954).matches


@pytest.mark.parametrize("key", PUBLISHED)
def test_every_column_says_what_is_allowed(key):
    for table in published(key)["table"]:
        for meaning in table["columns"].values():
            assert {"decimals", "slack"} <= set(meaning)
            assert meaning["slack"] >= 0
            assert meaning.get("rounding", 0) <= 0.5
            assert meaning.get("noise", 0) <= NOISE


def test_improvements_are_judged_like_everything_else():
    made = compared(
        "indifferent-naive-bayes",
        "Figures 4 and 5",
        "4(a) against BIBL, accuracy",
        "largest improvement, %",
        6.0,
        2.8,
        0.21,
    )
    assert made.tolerance == pytest.approx(0.5 + NOISE * 0.21, abs=1e-6)
    assert not made.matches
    assert made.reason
