"""The slow oracle against numbers that another program computed from the same definitions."""

import csv
import json
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import naive

DATA = Path(__file__).parent / "data"
RULES = ("map", "ev", "sc", "ind")
ORDERS = {
    "best_first": naive.best_first_order,
    "worst_first": naive.worst_first_order,
    "best_last": naive.best_last_order,
    "worst_last": naive.worst_last_order,
}

Case = dict[str, Any]


def cases(family: str) -> list[Any]:
    """The cases of a golden file as pytest parameters named by their id."""
    loaded = json.loads((DATA / f"{family}.json").read_text(encoding="utf-8"))
    return [pytest.param(case, id=case["id"]) for case in loaded["cases"]]


def rows_of(table: Sequence[Sequence[int]]) -> list[list[int | None]]:
    """The table with None for missing cells."""
    return [[None if code < 0 else code for code in row] for row in table]


def prior_of(case: Case) -> naive.Prior:
    """The hyperparameters of a case as exact fractions."""
    return naive.Prior(
        [naive.exact(mu) for mu in case["mu"]],
        [[[naive.exact(s) for s in block] for block in blocks] for blocks in case["sigma"]],
    )


def weights_of(rule: str, row: naive.Row, counts: naive.Counts, prior: naive.Prior) -> naive.Weights:
    """Exact weights of all classes under the rule with this golden name."""
    if rule == "map":
        return naive.map_weights(row, counts, prior)
    if rule == "ev":
        return list(naive.evidence_weights(row, counts, prior))
    if rule == "sc":
        return list(naive.stochastic_complexity_weights(row, counts))
    return list(naive.indifferent_weights(row, counts))


def to_decimal(number: Any) -> Decimal:
    """The number in the precision of the current decimal context."""
    if isinstance(number, Decimal):
        return number
    fraction = naive.exact(number)
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def check(actual: Any, expected: Any, tolerance: float = 1e-13, smallest: float = 0.0) -> None:
    """Assert that numbers agree relatively, and everything else exactly, in nested lists."""
    if isinstance(expected, list):
        assert len(actual) == len(expected)
        for a, e in zip(actual, expected, strict=True):
            check(a, e, tolerance, smallest)
    elif expected is None or actual is None:
        assert actual is expected
    elif expected == "-inf":
        assert actual == -math.inf
    else:
        assert math.isclose(actual, expected, rel_tol=tolerance, abs_tol=smallest), (actual, expected)


def logs(weights: naive.Weights) -> list[float | None] | None:
    """Logs of weights, None where there is none."""
    return None if weights is None else [None if w is None else naive.log(w) for w in weights]


def log_score(probs: Sequence[Fraction | None]) -> float | None:
    """Sum of logs, or None where one of the probabilities is undefined."""
    known = [p for p in probs if p is not None]
    return math.fsum(map(naive.log, known)) if len(known) == len(probs) else None


@pytest.mark.parametrize("case", cases("nb"))
def test_naive_bayes_counts_and_evidence(case: Case) -> None:
    rows, prior = rows_of(case["X"]), prior_of(case)
    counts = naive.count(rows, case["y"], case["cards"], case["K"])
    assert counts.class_counts == case["h"]
    assert counts.value_counts == case["f"]
    for actual in (naive.log_evidence(counts, prior), naive.log(naive.evidence(counts, prior))):
        check(actual, case["log_evidence"])
    exact = naive.log(naive.evidence_given_labels(counts, prior))
    for actual in (naive.log_evidence_given_labels(counts, prior), exact):
        check(actual, case["log_evidence_given_class"])
    for actual in (naive.log_maximised_likelihood(counts), naive.log(naive.maximised_likelihood(counts))):
        check(actual, case["log_ml_likelihood"])


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", cases("nb"))
def test_naive_bayes_predictions(case: Case, rule: str) -> None:
    prior = prior_of(case)
    counts = naive.count(rows_of(case["X"]), case["y"], case["cards"], case["K"])
    for row, query in zip(rows_of([query["x"] for query in case["queries"]]), case["queries"], strict=True):
        expected = query[rule]
        weights = weights_of(rule, row, counts, prior)
        probs = naive.probabilities(weights)
        check(logs(weights), expected["log_weights"])
        check(probs, expected["probs"])
        if expected["probs_exact"] is not None:
            # A fraction too long to print is null beside a probability that is given.
            assert probs is not None
            given = [None if text is None else naive.exact(text) for text in expected["probs_exact"]]
            assert all(g is None or p == g for p, g in zip(probs, given, strict=True))
        assert (None if probs is None else naive.argmax(probs)) == expected["argmax"]
        if rule == "sc":
            log_weights = naive.stochastic_complexity_log_weights(row, counts)
            check(log_weights, expected["log_weights"])
            check(naive.probabilities_from_logs(log_weights), expected["probs"], 1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", [case for case in cases("nb") if "loo" in case.values[0]])
def test_naive_bayes_leave_one_out(case: Case, rule: str) -> None:
    rows, labels, prior = rows_of(case["X"]), case["y"], prior_of(case)
    refits = naive.leave_one_out_counts(rows, labels, case["cards"], case["K"])
    distributions = [
        naive.probabilities(weights_of(rule, row, counts, prior))
        for row, counts in zip(rows, refits, strict=True)
    ]
    true_probs = [None if p is None else p[k] for p, k in zip(distributions, labels, strict=True)]
    hits = [
        None if p is None else int(naive.argmax(p) == k) for p, k in zip(distributions, labels, strict=True)
    ]
    expected = case["loo"][rule]
    check(true_probs, expected["true_class_probs"])
    assert hits == expected["hits"]
    assert true_probs.count(None) == expected["n_undefined"]
    assert sum(p == 0 for p in true_probs) == expected["n_zero"]
    check(log_score(true_probs), expected["sum_log_score"])


def clustering_block(rows: naive.Rows, z: Sequence[int], prior: naive.Prior) -> dict[str, Any]:
    """Everything the golden files record at a clustering, under their names."""
    counts = naive.clustering_counts(rows, z, prior)
    mode = naive.mode_of_completed(counts, prior)
    return {
        "loglik": naive.log_likelihood(rows, mode),
        "complete_loglik": naive.complete_log_likelihood(counts, mode),
        "complete_log_evidence": naive.log_evidence(counts, prior),
        "d": naive.n_parameters(naive.n_values_of(prior), len(prior.class_pseudocounts)),
        "bic": naive.bic_at(rows, z, prior),
        "aic": naive.aic_at(rows, z, prior),
        "cs": naive.cheeseman_stutz_hard(rows, z, prior),
        "ln": naive.neighbourhood_code_length(rows, z, prior),
        "ln_excluding_centre": naive.neighbourhood_code_length(rows, z, prior, with_centre=False),
    }


def check_clustering_block(rows: naive.Rows, z: Sequence[int], prior: naive.Prior, expected: Case) -> None:
    actual = clustering_block(rows, z, prior)
    assert actual.keys() == expected.keys() - {"z"}
    for name, value in actual.items():
        check(value, expected[name])


@pytest.mark.parametrize("case", cases("mixture"))
def test_mixture(case: Case) -> None:
    rows, prior = rows_of(case["X"]), prior_of(case)
    terms = naive.mixture_terms(rows, prior)
    assert len(terms) == case["n_terms"]
    log_evidence = naive.log(naive.mixture_evidence(terms))
    check(log_evidence, case["log_evidence"])
    check(-log_evidence, case["sc_nats"])
    check(-log_evidence / math.log(2), case["sc_bits"])
    best = naive.best_terms(terms)
    assert list(best[0].clustering) == case["best_z"]
    assert len(best) == case["n_best"]
    assert [list(term.clustering) for term in best[:200]] == case["best_z_all"]
    check(naive.log(best[0].probability), case["best_log_prob"])
    for share, needed in case["terms_needed_mass"].items():
        assert naive.terms_needed_for_mass(terms, share) == needed
    for share, needed in case["terms_needed_codelength"].items():
        assert naive.terms_needed_for_code_length(terms, share) == needed
    if "star" in case:
        check_clustering_block(rows, case["best_z"], prior, case["star"])
    for given in case.get("given", []):
        check_clustering_block(rows, given["z"], prior, given)


@pytest.mark.parametrize("case", cases("em"))
def test_em_in_fifty_digits(case: Case) -> None:
    rows, prior = rows_of(case["X"]), prior_of(case)
    with localcontext() as context:
        context.prec = 50
        states = naive.em(rows, case["R0"], prior, case["iterations"], to_decimal)
        check([state.log_likelihood for state in states], case["loglik_trace"])
        first, last = states[0].parameters, states[-1]
        # The recorded numbers lost their tiny entries to a 1 added and subtracted in about fifty digits.
        for actual, expected in (
            (first.class_probs, case["after_1"]["alpha"]),
            (first.value_probs, case["after_1"]["phi"]),
            (last.parameters.class_probs, case["final"]["alpha"]),
            (last.parameters.value_probs, case["final"]["phi"]),
            (last.responsibilities, case["final"]["R"]),
        ):
            check(actual, expected, smallest=1e-52)
        check(naive.bic_code_length(rows, last.parameters), case["bic_em"])
        check(naive.aic_code_length(rows, last.parameters), case["aic_em"])
        soft = naive.cheeseman_stutz_soft(rows, last.responsibilities, prior, last.parameters)
        check(soft, case["cs_soft"])
    hard = naive.hard_clustering(last.responsibilities)
    assert hard == case["hard_z"]
    check_clustering_block(rows, hard, prior, case["hard"])


@pytest.mark.parametrize("case", cases("em"))
def test_em_in_floats_follows_the_fifty_digits(case: Case) -> None:
    rows, prior = rows_of(case["X"]), prior_of(case)
    start = [[naive.exact(share) for share in shares] for shares in case["R0"]]
    states = naive.em(rows, start, prior, case["iterations"])
    check([state.log_likelihood for state in states], case["loglik_trace"], 1e-12)
    check(states[-1].parameters.class_probs, case["final"]["alpha"], 1e-12)
    assert naive.hard_clustering(states[-1].responsibilities) == case["hard_z"]


@pytest.mark.parametrize("case", cases("prequential"))
def test_prequential(case: Case) -> None:
    rows, z, column, prior = rows_of(case["X"]), case["z"], case["class_column"], prior_of(case)
    scores = []
    for listed in case["orders"]:
        probs = naive.prequential_probs(rows, z, listed["order"], column, prior)
        check(probs, listed["step_probs"])
        scores.append(naive.code_length(probs))
        check(scores[-1], listed["score"])
    check(math.fsum(scores) / len(scores), case["preq_rand_mean"])
    check(min(scores), case["preq_max_best"])
    probs = naive.leave_one_out_probs(rows, z, column, prior)
    check(probs, case["loo"]["probs"])
    check(naive.code_length(probs), case["loo"]["score"])
    counts = naive.clustering_counts(rows, z, prior)
    check(naive.log_evidence_given_labels(counts, prior), case["log_p_data_given_z"])
    check(naive.log_evidence(counts, prior), case["log_p_data_and_z"])
    joint = naive.joint_prequential_code_length(rows, z, range(len(rows)), prior)
    check(joint, case["joint_prequential_code_length_identity_order"])


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("case", cases("prequential"))
def test_greedy_orders(case: Case, name: str) -> None:
    rows, z, column, prior = rows_of(case["X"]), case["z"], case["class_column"], prior_of(case)
    order = ORDERS[name](rows, z, column, prior)
    assert order == case[name]["order"]
    probs = naive.prequential_probs(rows, z, order, column, prior)
    check(probs, case[name]["step_probs"])
    check(naive.code_length(probs), case[name]["score"])


@pytest.mark.parametrize("case", cases("prequential"))
def test_prequential_predictions(case: Case) -> None:
    rows, z, column, prior = rows_of(case["X"]), case["z"], case["class_column"], prior_of(case)
    for test in case["test"]:
        (row,) = rows_of([test["x"]])
        probs = naive.predict_from_clustering(row, rows, z, column, prior)
        check(probs, test["probs"])
        exact = test["probs_exact"]
        if exact is not None:
            assert all(e is None or p == naive.exact(e) for p, e in zip(probs, exact, strict=True))


def float_weights(rule: str, row: naive.Row, counts: naive.Counts, prior: naive.Prior) -> naive.Weights:
    """Weights for a long table: those of stochastic complexity relative to the largest, ties kept equal."""
    if rule != "sc":
        return weights_of(rule, row, counts, prior)
    log_weights = naive.stochastic_complexity_log_weights(row, counts)
    largest = max(log_weights)
    # Exact ties must stay ties, so differences that only rounding makes are taken as none.
    return [Fraction(1.0 if largest - w < 1e-9 else math.exp(w - largest)) for w in log_weights]


@pytest.mark.parametrize("case", cases("real_loo"))
def test_leave_one_out_on_real_tables(case: Case) -> None:
    with (DATA / case["file"]).open(encoding="utf-8", newline="") as file:
        table = [[int(code) for code in line] for line in csv.reader(file)]
    rows, labels = [row[:-1] for row in table], [row[-1] for row in table]
    assert len(rows) == case["N"]
    prior = naive.uniform_prior(case["cards"], case["K"])
    check(
        naive.log_evidence(naive.count(rows, labels, case["cards"], case["K"]), prior), case["log_evidence"]
    )
    refits = naive.leave_one_out_counts(rows, labels, case["cards"], case["K"])
    for rule in RULES:
        distributions = [
            naive.probabilities(float_weights(rule, row, counts, prior))
            for row, counts in zip(rows, refits, strict=True)
        ]
        defined = [(p, k) for p, k in zip(distributions, labels, strict=True) if p is not None]
        positive = [p[k] for p, k in defined if p[k] > 0]
        expected = case["loo"][rule]
        assert sum(naive.argmax(p) == k for p, k in defined) == expected["hits"]
        assert len(rows) - len(defined) == expected["n_undefined"]
        assert len(defined) - len(positive) == expected["n_zero"]
        check(math.fsum(map(naive.log, positive)), expected["sum_log_score_of_positive"], 1e-12)
        # Differences of logs of thousands of nats leave stochastic complexity one digit less.
        check(min(positive), expected["min_true_prob"], 1e-11 if rule == "sc" else 1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_a_whole_weight_repeats_the_row(rule: str) -> None:
    rows: list[list[int | None]] = [[0, 1], [1, None], [1, 2], [0, 2]]
    labels, weights = [0, 1, 1, 0], [2, 1, 3, 1]
    repeated = [j for j, weight in enumerate(weights) for _ in range(weight)]
    weighted = naive.count(rows, labels, [2, 3], 2, weights)
    plain = naive.count([rows[j] for j in repeated], [labels[j] for j in repeated], [2, 3], 2)
    prior = naive.Prior([2, Fraction(3, 2)], [[[1, 2], [1, 1, 3]], [[2, 2], [1, 2, 1]]])
    assert weighted == plain
    assert weights_of(rule, [1, 2], weighted, prior) == weights_of(rule, [1, 2], plain, prior)
    first_left_out = naive.leave_one_out_counts(rows, labels, [2, 3], 2, weights)[0]
    assert first_left_out == naive.count(rows, labels, [2, 3], 2, [1, *weights[1:]])


def test_fractional_weights_enter_every_rule() -> None:
    """One variable, half a row of class 0 with value 0 and three halves of class 1 with value 1."""
    half, prior = Fraction(1, 2), naive.uniform_prior([2], 2)
    counts = naive.count([[0], [1]], [0, 1], [2], 2, [half, 3 * half])
    assert counts.class_counts == [half, 3 * half]
    assert counts.value_counts == [[[half, 0]], [[0, 3 * half]]]
    assert naive.map_weights([0], counts, prior) == [Fraction(1, 4), 0]
    assert naive.evidence_weights([0], counts, prior) == [Fraction(9, 40), Fraction(5, 28)]
    assert naive.indifferent_weights([0], counts) == [Fraction(1, 4), Fraction(1, 6)]
    with pytest.raises(ValueError, match="not a whole number"):
        naive.stochastic_complexity_weights([0], counts)
    first, second = naive.stochastic_complexity_log_weights([0], counts)
    # Class 0 keeps a single value; class 1 then holds one row of value 0 and 3/2 of value 1.
    check(first, 2 * 1.5 * math.log(1.5 / 3))
    check(second, 0.5 * math.log(0.5 / 3) + 2.5 * math.log(2.5 / 3) + math.log(0.4) + 1.5 * math.log(0.6))


def test_indifferent_is_evidence_with_its_own_pseudocounts() -> None:
    rows: list[list[int | None]] = [[0, 2, 1], [1, None, 0], [1, 1, 1]]
    labels, n_values = [0, 1, 1], [2, 4, 3]
    counts = naive.count(rows, labels, n_values, 2)
    ones = naive.uniform_prior(n_values, 2).value_pseudocounts
    prior = naive.Prior([1 + sum(n - 1 for n in n_values)] * 2, ones)
    for row in rows:
        assert naive.evidence_weights(row, counts, prior) == naive.indifferent_weights(row, counts)


def test_evidence_weight_is_a_ratio_of_evidences() -> None:
    """P1 equation (6): the closed form is P(d[k], D) / P(D)."""
    counts = naive.count([[0, 2], [1, None], [1, 1]], [0, 1, 1], [2, 4], 2)
    prior = naive.Prior([Fraction(1, 2), 2], [[[1, 2], [1, 1, 1, 2]], [[Fraction(1, 2), 1], [1, 3, 1, 1]]])
    for k, weight in enumerate(naive.evidence_weights([1, 2], counts, prior)):
        more = naive.with_row(counts, [1, 2], k)
        assert weight == naive.evidence(more, prior) / naive.evidence(counts, prior)


def test_map_tells_zero_from_undefined() -> None:
    """Variable 1 is never observed in class 0, so its distribution there is 0/0."""
    counts = naive.count([[0, None], [0, 1], [1, 0]], [0, 1, 1], [2, 2], 2)
    prior = naive.uniform_prior([2, 2], 2)
    assert naive.map_weights([0, 1], counts, prior) == [None, Fraction(1, 6)]
    assert naive.map_weights([1, 1], counts, prior) == [0, Fraction(1, 6)]
    assert naive.map_weights([0, None], counts, prior) == [Fraction(1, 3), Fraction(1, 3)]
