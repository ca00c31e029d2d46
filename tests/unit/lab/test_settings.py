"""Settings on the command line, and specifications."""

import pytest

from codelength.errors import Infeasible, InvalidParameter
from codelength_lab.registry import EXPERIMENTS, directory_name, specify
from codelength_lab.settings import ALTERNATIVES, Settings, changed, differences


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bins", "expected key=value"),
        ("bin=4", "did you mean 'bins'"),
        ("zzz=4", "there are discretization, bins"),
        ("bins=0", "at least 1"),
        ("bins=four", "whole number"),
        ("learned=test", "one of 'whole', 'train'"),
        ("cap=-1", "at least 0"),
        ("cap=nan", "at least 0"),
        ("sc_power=0", "above 0"),
        ("folds=1", "at least 2"),
        ("folds=²", "whole number"),
        ("seed=" + "9" * 5000, "whole number"),
    ],
)
def test_bad_settings_are_refused_with_a_remedy(text, message):
    with pytest.raises(InvalidParameter, match=message):
        changed(Settings(), [text])


@pytest.mark.parametrize("text", ["bins=99999999", "repeats=99999999", "bins=10001"])
def test_sizes_that_cannot_work_are_refused_at_once(text):
    with pytest.raises(Infeasible, match="too many; at most 10,000 work"):
        specify("bayes-optimal-ibl", settings=[text])


@pytest.mark.parametrize("key", ["bayes-optimal-ibl", "indifferent-naive-bayes"])
def test_more_folds_than_rows_are_refused_before_anything_runs(key):
    with pytest.raises(InvalidParameter, match="use at most one fold per row"):
        specify(key, settings=["folds=99999999"])


def test_changes_are_found_again():
    texts = ["discretization=width", "bins=7", "cap=none", "sc_power=0.72", "seed=3"]
    start = Settings(cap=100.0)
    assert differences(start, changed(start, texts)) == texts


def test_every_setting_can_be_what_its_help_says():
    assert [text.partition("=")[0] for text in ALTERNATIVES] == list(Settings().to_json())
    for text in ALTERNATIVES:
        key, _, values = text.partition("=")
        for value in values.split("|"):
            made = getattr(changed(Settings(), [f"{key}={value}"]), key)
            assert (f"{made:g}" if isinstance(made, float) else str(made).lower()) == value


def test_an_unknown_paper_and_a_setting_without_effect_are_refused():
    with pytest.raises(InvalidParameter, match="did you mean 'bayes-optimal-ibl'"):
        specify("bayes-optimal")
    with pytest.raises(InvalidParameter, match="plays no part in bayes-optimal-ibl"):
        specify("bayes-optimal-ibl", settings=["sc_power=0.5"])
    assert specify("bayes-optimal-ibl", settings=["sc_power=0.5"], strict=False).tasks


@pytest.mark.parametrize("key", EXPERIMENTS)
def test_tasks_have_keys_of_their_own_and_quick_ones_are_among_the_full_ones(key):
    full, quick = specify(key), specify(key, quick=True)
    keys = [task.key for task in full.tasks]
    assert len(set(keys)) == len(keys)
    groups = [{task.key.rpartition("/")[0] for task in spec.tasks} for spec in (quick, full)]
    assert groups[0] <= groups[1]
    assert sum(task.work for task in quick.tasks) < sum(task.work for task in full.tasks)
    assert directory_name(full) == key
    assert directory_name(quick) == f"{key}-quick"
    assert full.to_json() != quick.to_json()
