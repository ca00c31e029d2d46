"""The criteria that choose among clusterings."""

import numpy as np
import pytest

from codelength.errors import InvalidParameter
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.prequential import ORDERINGS, sample_orderings
from codelength.selection.clusterings import SELECTION_CRITERIA, SelectionCriterion, selection_scores
from codelength.table import Coded, Schema

QUICK = {"prequential", "prequential_best", "leave_one_out", "evidence", "evidence_with_clustering"}


def drawn(n_rows=20, seed=0):
    rng = np.random.default_rng(seed)
    coded = Coded.of(Schema.from_sizes([3, 2, 2]), rng.integers(0, [3, 2, 2], (n_rows, 3)))
    return FixedClustering.of(coded, rng.integers(0, 3, n_rows))


def expected_scores(clustering, random_state):
    """Every criterion, from what it is defined by."""
    sequence = clustering.sequence()
    sample = sample_orderings(sequence, 6, scheme="antithetic", random_state=random_state)
    return {
        "prequential": sample.mean,
        "prequential_best": sample.best,
        "leave_one_out": sequence.leave_one_out().sum(),
        **{name: sequence.code_length(ordering(sequence)) for name, ordering in ORDERINGS.items()},
        "evidence": clustering.code_length(),
        "evidence_with_clustering": clustering.code_length(with_clustering=True),
        "prequential_se": sample.standard_error,
    }


def test_every_criterion_is_what_it_says():
    clustering = drawn()
    expected = expected_scores(clustering, 3)
    for criterion in SELECTION_CRITERIA:
        scores = selection_scores(clustering, 6, criterion, 3)
        assert scores.keys() == QUICK | {criterion, "prequential_se"}
        for name, score in scores.items():
            assert score == pytest.approx(expected[name], rel=1e-12), name


def test_the_names_in_their_order():
    assert list(SELECTION_CRITERIA) == [
        "prequential",
        "prequential_best",
        "leave_one_out",
        "best_first",
        "worst_last",
        "best_last",
        "worst_first",
        "evidence",
        "evidence_with_clustering",
    ]


def test_one_ordering_has_no_standard_error():
    assert selection_scores(drawn(), 1, "evidence", 0)["prequential_se"] is None


def test_a_new_criterion_is_one_entry(monkeypatch):
    size = SelectionCriterion(lambda trial: float(trial.clustering.rows.schema.n_classes))
    monkeypatch.setitem(SELECTION_CRITERIA, "size", size)
    assert selection_scores(drawn(), 2, "size", 0)["size"] == 3


def test_an_unknown_criterion_is_refused():
    with pytest.raises(InvalidParameter, match="criterion='beauty': expected one of 'prequential'"):
        selection_scores(drawn(), 2, "beauty", 0)
