"""Values that were not in training: counted at every prediction, told where they are most of a column."""

import warnings

import pytest

from codelength import FiniteMixture, NaiveBayes
from codelength.errors import IgnoredValues

# The tables are too small to identify classes, which fits are warned about.
pytestmark = pytest.mark.filterwarnings("ignore::codelength.errors.DoubtfulFit")

QUICK = {"n_init": 2, "random_state": 0}
TRAINING = {"c": ["x", "y"] * 20, "d": ["p", "q"] * 20}
TARGET = ["yes", "no", "no", "yes"] * 10


def test_they_are_counted_column_by_column():
    model = NaiveBayes().fit(TRAINING, TARGET)
    new = {"c": ["x", "z", None, "w"], "d": ["p", "q", "p", "q"]}
    assert model.unseen(new) == {"c": 2}
    assert model._encoded(new).unseen == {"c": 2}
    strict = NaiveBayes(handle_unknown="error").fit(TRAINING, TARGET)
    assert strict.unseen(new) == {"c": 2}
    assert FiniteMixture(2, **QUICK).fit(TRAINING).unseen(new) == {"c": 2}


def test_a_column_that_is_mostly_unseen_is_told():
    model = NaiveBayes().fit(TRAINING, TARGET)
    new = {"c": ["X", "Y"] * 20, "d": ["p"] * 40}
    with pytest.warns(IgnoredValues, match=r"column 'c', row 0: value 'X'.*40 of 40 cells.*same column"):
        model.predict(new)


@pytest.mark.parametrize("cells", [["z"] * 19, ["z"] * 10 + ["x"] * 10, ["z", None] * 19])
def test_a_few_are_not(cells):
    model = NaiveBayes().fit(TRAINING, TARGET)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict({"c": cells, "d": ["p"] * len(cells)})


def test_batches_with_values_that_the_first_lacked_warn_once():
    model = NaiveBayes().partial_fit({"c": ["x", "y"], "d": ["p", "q"]}, ["no", "yes"])
    with pytest.warns(IgnoredValues, match=r"column 'c'.*'z'.*schema=") as told:
        model.partial_fit({"c": ["x", "z"], "d": ["p", "q"]}, ["no", "yes"])
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit({"c": ["z", "w"], "d": ["p", "q"]}, ["no", "yes"])
    with pytest.warns(IgnoredValues, match="column 'd'") as told:
        model.partial_fit({"c": ["z", "w"], "d": ["r", "q"]}, ["no", "yes"])
    assert len(told) == 1
    assert model.counts_.n_rows == 8


def test_the_warning_points_at_the_caller():
    model = NaiveBayes().fit(TRAINING, TARGET)
    with pytest.warns(IgnoredValues) as told:
        model.predict({"c": ["X"] * 40, "d": ["p"] * 40})
    assert told[0].filename == __file__
