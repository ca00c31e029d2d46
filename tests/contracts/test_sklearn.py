"""scikit-learn's own checks of an estimator, all of them."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from codelength import (
    Discretizer,
    EvidenceAverage,
    FiniteMixture,
    IndifferentTrees,
    MixtureClassifier,
    ModelAverage,
    NaiveBayes,
)
from codelength.research import MemberClassifier

ESTIMATORS = [
    NaiveBayes(),
    NaiveBayes("map"),
    NaiveBayes("indifferent"),
    NaiveBayes("stochastic_complexity"),
    NaiveBayes(prior=1.0),
    NaiveBayes(missing="value"),
    NaiveBayes(numeric="discretize"),
    NaiveBayes(numeric="average"),
    FiniteMixture(random_state=0),
    FiniteMixture(3, random_state=0),
    MixtureClassifier(candidates=4, n_components=(2, 4), n_orderings=2, random_state=0),
    ModelAverage(),
    MemberClassifier("trees"),
    MemberClassifier("log_ratios"),
    MemberClassifier("kernel"),
    MemberClassifier("forests"),
    MemberClassifier("best_tree"),
    MemberClassifier("subsets"),
    IndifferentTrees(),
    EvidenceAverage(),
    Discretizer(),
    Discretizer("mdl"),
]


# The rule "map" warns where its definition gives 0/0, all warn where there is only one class, and mixtures
# where their classes are not identified; the checks themselves must hold all the same.
@pytest.mark.filterwarnings("default::codelength.errors.UndefinedPrediction")
@pytest.mark.filterwarnings("default::codelength.errors.OneClass")
@pytest.mark.filterwarnings("default::codelength.errors.DoubtfulFit")
@parametrize_with_checks(ESTIMATORS)
def test_estimator_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_all_checks_were_collected(estimator):
    checks = list(estimator_checks_generator(estimator))
    assert len(checks) >= (61 if isinstance(estimator, NaiveBayes) else 52)
