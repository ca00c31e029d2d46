"""The search for the most probable clustering."""

import numpy as np
import pytest
from hypothesis import given, settings

import naive
from codelength.errors import Infeasible, InvalidParameter
from codelength.mixture import best_clustering as module
from codelength.mixture.best_clustering import best_clustering, local_optima
from codelength.mixture.code_length.neighbourhood import neighbourhood_code_length
from codelength.table import Schema, encode
from unit.scores.mixture_tables import case_of, cases, random_table


@settings(max_examples=60)
@given(cases(pseudocounts=(1, 2, 0.5)))
def test_exhaustive_search_finds_the_first_of_the_best(case):
    best = best_clustering(case.schema, case.codes, case.n_components, case.prior, n_starts=1)
    slow = naive.best_terms(naive.mixture_terms(case.rows, case.naive_prior))
    assert best.exact
    assert tuple(best.clustering.tolist()) == slow[0].clustering
    assert -best.code_length == pytest.approx(naive.log(slow[0].probability), rel=1e-12, abs=1e-12)


def test_no_single_move_improves_a_local_optimum():
    schema = Schema.from_sizes([2, 3, 2, 4])
    codes = encode(schema, random_table(3, 50, [2, 3, 2, 4], n_groups=3, missing=0.1)).codes
    optima = local_optima(schema, codes, 3, n_starts=6)
    assert [optimum.code_length for optimum in optima] == sorted(optimum.code_length for optimum in optima)
    full = module.with_components(schema, 3)
    for optimum in optima:
        counts = module.clustering_counts(full, codes, optimum.clustering)
        assert optimum.code_length == module.evidence_code_length(
            counts, module.pseudocounts("uniform", full)
        )
        for n in range(50):
            for k in range(3):
                moved = optimum.clustering.copy()
                moved[n] = k
                counts = module.clustering_counts(full, codes, moved)
                length = module.evidence_code_length(counts, module.pseudocounts("uniform", full))
                assert length > optimum.code_length - 1e-8


def test_well_separated_groups_are_found_by_climbing():
    groups = np.repeat([0, 1, 2], 40)
    codes = (groups[:, None] == np.arange(3)).repeat(4, axis=1).astype(np.uint8)
    best = best_clustering(Schema.from_sizes([2] * 12), codes, 3, method="climb")
    assert not best.exact
    assert best.clustering.tolist() == groups.tolist()


def test_a_search_that_takes_too_long_says_so(monkeypatch):
    monkeypatch.setattr(module, "MAX_STEPS", 50)
    schema = Schema.from_sizes([2, 3])
    codes = encode(schema, random_table(0, 25, [2, 3])).codes
    assert not best_clustering(schema, codes, 3).exact
    with pytest.raises(Infeasible, match="25 rows in 3 components"):
        best_clustering(schema, codes, 3, method="exact")


def test_edges():
    nothing = best_clustering(Schema.from_sizes([2]), np.zeros((0, 1), dtype=np.uint8), 2)
    assert (nothing.clustering.tolist(), nothing.code_length, nothing.exact) == ([], 0.0, True)
    case = case_of([1, 2], 4, [[None, None], [0, None]])
    best = best_clustering(case.schema, case.codes, 4)
    assert best.clustering.tolist() == [0, 0]
    assert neighbourhood_code_length(case.schema, case.codes, best.clustering) < best.code_length
    with pytest.raises(InvalidParameter, match="method"):
        best_clustering(case.schema, case.codes, 2, method="guess")
    with pytest.raises(InvalidParameter, match="n_starts=0"):
        best_clustering(case.schema, case.codes, 2, n_starts=0)
