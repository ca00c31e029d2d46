"""Variable selection against scoring every set of variables anew."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from codelength.counts import count
from codelength.errors import DataError, InvalidParameter
from codelength.naive_bayes import RULES, Predictor, Prior, Pseudocounts, dirichlet_log_evidence, pseudocounts
from codelength.prequential import naive_bayes_sequence, sample_orderings
from codelength.scores import evidence_code_length, leave_one_out
from codelength.selection import VARIABLE_CRITERIA, _criteria, select_variables
from codelength.sources import as_coded
from codelength.table import Coded, Schema, encode
from toy_rules import TOY_RULES

CRITERIA = tuple(VARIABLE_CRITERIA)
CAP = 20.0
by_criterion = pytest.mark.parametrize("criterion", CRITERIA)
by_direction = pytest.mark.parametrize("direction", ["forward", "backward", "both"])


def drawn(n_rows=60, missing=0.1, seed=0):
    """Two variables that tell the class, one that repeats the first, and two of noise."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    first = np.where(rng.random(n_rows) < 0.8, classes, rng.integers(0, 3, n_rows))
    second = np.where(rng.random(n_rows) < 0.6, classes % 2, rng.integers(0, 2, n_rows))
    noise = rng.integers(0, 4, (n_rows, 2))
    values = np.column_stack((noise[:, 0], first, second, first, noise[:, 1]))
    values[rng.random(values.shape) < missing] = -1
    return encode(Schema.from_sizes([4, 3, 2, 3, 4], 3), values, classes)


def restricted_prior(prior, schema, chosen):
    if not isinstance(prior, Pseudocounts):
        return prior
    cells = [np.arange(schema.offsets[i], schema.offsets[i + 1]) for i in chosen]
    flat = np.concatenate([*cells, np.zeros(0, dtype=np.int64)])
    return Pseudocounts(prior.class_pseudocounts, prior.value_pseudocounts[:, flat])


def score(coded, chosen, criterion, rule="evidence", prior="uniform"):
    """The score of a set, from a model of these variables alone."""
    schema, rows = coded.schema, coded.select(chosen)
    own = restricted_prior(prior, schema, chosen)
    if criterion == "prequential":
        model = naive_bayes_sequence(rows, rule, own, cap=CAP)
        return sample_orderings(model, 4, random_state=3).mean
    counts = count(rows)
    if criterion == "leave_one_out":
        left_out = leave_one_out(Predictor.of(counts, rule, own), rows)
        return -np.maximum(left_out.true_log_probs, -CAP).sum()
    spread = pseudocounts("indifferent" if rule == "indifferent" else own, rows.schema)
    total, everything = evidence_code_length(counts, spread), count(coded)
    for i in set(range(schema.n_variables)) - set(chosen):
        alone = Schema((schema.variables[i],))
        if isinstance(prior, Pseudocounts):
            cells = np.s_[schema.offsets[i] : schema.offsets[i + 1] - 1]
            own_prior = prior.value_pseudocounts[:, cells].mean(axis=0)
        else:
            named = "indifferent" if rule == "indifferent" else prior
            own_prior = pseudocounts(named, alone).value_pseudocounts[0, :-1]
        total -= float(dirichlet_log_evidence(everything.of(i).sum(axis=0), own_prior))
    return total


def select(coded, criterion, **options):
    """The search by the scores alone; what its choice costs has tests of its own."""
    options = {"price_choice": False} | options
    return select_variables(coded, criterion, cap=CAP, n_orderings=4, random_state=3, **options)


@by_direction
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_variable_is_added_where_it_saves_more_than_its_name_costs(criterion, direction):
    coded = drawn()
    found = select(coded, criterion, direction=direction, price_choice=True)
    free = select(coded, criterion, direction=direction)
    assert len(found.selected) <= len(free.selected)
    reached = found.start_score
    for move in found.path:
        assert move.score < reached + (-math.log(5) if move.added else math.log(5))
        reached = move.score


def test_among_many_columns_of_noise_next_to_none_is_chosen():
    rng = np.random.default_rng(0)
    coded = Coded.of(
        Schema.from_sizes([3] * 400, n_classes=2), rng.integers(0, 3, (150, 400)), rng.integers(0, 2, 150)
    )
    assert len(select(coded, "leave_one_out", price_choice=True).selected) <= 3
    assert len(select(coded, "leave_one_out").selected) > 20


@by_direction
@pytest.mark.parametrize(
    ("criterion", "rule", "prior"),
    [
        (criterion, rule, prior)
        for criterion in CRITERIA
        for rule in RULES
        for prior in ("uniform", "jeffreys", "indifferent", 6.0)
        if criterion != "evidence" or rule in ("evidence", "indifferent")
        if rule != "map" or prior in ("uniform", "indifferent")
    ],
)
def test_every_move_is_the_best_one(criterion, direction, rule, prior):
    coded = drawn()
    found = select(coded, criterion, direction=direction, rule=rule, prior=prior)
    chosen = set(range(5)) if direction == "backward" else set()
    assert found.start_score == pytest.approx(score(coded, sorted(chosen), criterion, rule, prior), rel=1e-9)
    reached = found.start_score
    for move in [*found.path, None]:
        options = [i for i in range(5) if direction == "both" or (i in chosen) == (direction == "backward")]
        after = [score(coded, sorted(chosen ^ {i}), criterion, rule, prior) for i in options]
        if move is None:
            assert min(after, default=np.inf) >= reached - 1e-8
            break
        assert move.score == pytest.approx(min(after), rel=1e-9)
        assert move.variable == options[int(np.argmax(np.array(after) <= min(after) + 1e-8))]
        assert move.added == (move.variable not in chosen)
        assert move.score < reached
        chosen ^= {move.variable}
        reached = move.score
    assert found.selected == tuple(sorted(chosen))
    assert found.score == reached


@pytest.mark.parametrize("prior", ["uniform", 6.0, "spelled out"])
def test_the_greedy_choice_by_evidence_is_the_best_of_all(prior):
    coded = drawn()
    if prior == "spelled out":
        prior = Prior(1.0, [0.5, 1, [0.5, 2], 1, 1]).spread(coded.schema)
    sets = [chosen for size in range(6) for chosen in itertools.combinations(range(5), size)]
    scores = [score(coded, chosen, "evidence", prior=prior) for chosen in sets]
    for direction in ("forward", "backward", "both"):
        found = select(coded, "evidence", direction=direction, prior=prior)
        assert found.selected == sets[int(np.argmin(scores))]
        assert found.score == pytest.approx(min(scores), rel=1e-11)


@by_criterion
def test_what_tells_the_class_is_found_and_noise_is_not(criterion):
    coded = drawn(400, missing=0.0)
    found = select(coded, criterion)
    assert {1, 2} <= set(found.selected)
    assert [move.variable for move in found.path[:2]] in ([1, 2], [1, 3])
    if criterion != "leave_one_out":  # which lets a little noise in
        assert not {0, 4} & set(found.selected)
    # A copy tells nothing new: the evidence takes it for a second witness, prediction does not.
    assert (3 in found.selected) == (criterion == "evidence")


@by_criterion
def test_ties_go_to_the_first(criterion):
    coded = drawn(missing=0.0)
    assert select(coded, criterion, max_variables=1).selected == (1,)


@by_criterion
def test_limits(criterion):
    coded = drawn()
    nothing = select(coded, criterion, max_variables=0)
    assert (nothing.selected, nothing.path, nothing.score) == ((), (), nothing.start_score)
    assert len(select(coded, criterion, max_variables=2).selected) <= 2


@by_criterion
@by_direction
def test_no_rows(criterion, direction):
    """Nothing is known, so nothing is gained."""
    coded = drawn(0)
    found = select(coded, criterion, direction=direction)
    assert found.path == ()
    assert found.score == pytest.approx(0, abs=1e-12)


def test_no_variables():
    coded = Coded.of(Schema.from_sizes([], 2), np.zeros((3, 0), dtype=np.uint8), [0, 1, 1])
    for criterion in CRITERIA:
        assert select(coded, criterion).selected == ()


@pytest.mark.parametrize("criterion", ["leave_one_out", "prequential"])
def test_without_room_to_keep_contributions_the_result_is_the_same(criterion, monkeypatch):
    coded = drawn()
    roomy = select(coded, criterion, direction="both")
    monkeypatch.setattr(_criteria, "MAX_CACHED", 0)
    assert select(coded, criterion, direction="both") == roomy


def test_maximum_likelihood_without_a_cap_is_infinite_and_stays_put():
    coded = drawn(20)
    found = select_variables(coded, "leave_one_out", rule="map", direction="backward")
    assert np.isinf(found.start_score) or found.score <= found.start_score


def test_refusals():
    coded = drawn(5)
    for options, message in (
        ({"criterion": "accuracy"}, "criterion='accuracy'"),
        ({"direction": "up"}, "direction='up'"),
        ({"rule": "best"}, "rule='best'"),
        ({"criterion": "evidence", "rule": "map"}, "averages over models"),
        ({"max_variables": -1}, "max_variables=-1"),
        ({"cap": -1.0}, "cap=-1"),
        ({"criterion": "prequential", "n_orderings": 3}, "a multiple of 2"),
        ({"rule": "map", "prior": "jeffreys"}, "no most probable model"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            select_variables(coded, **options)
    with pytest.raises(DataError, match="no class to predict"):
        select_variables(coded.with_class_as_column())


@by_direction
@pytest.mark.parametrize("criterion", ["leave_one_out", "prequential"])
@pytest.mark.parametrize("rule", TOY_RULES.values(), ids=TOY_RULES)
def test_rules_that_nobody_has_thought_of(criterion, direction, rule):
    coded = drawn()
    found = select(coded, criterion, direction=direction, rule=rule)
    start = range(5) if direction == "backward" else ()
    assert found.start_score == pytest.approx(score(coded, start, criterion, rule), rel=1e-9)
    assert found.score == pytest.approx(score(coded, found.selected, criterion, rule), rel=1e-9)
    for i in range(5):
        neighbour = sorted(set(found.selected) ^ {i})
        if direction == "both" or (len(neighbour) < len(found.selected)) == (direction == "backward"):
            assert score(coded, neighbour, criterion, rule) >= found.score - 1e-8


def test_the_evidence_of_a_rule_that_averages_and_is_refused_for_others():
    coded = drawn()
    found = select(coded, "evidence", rule=TOY_RULES["jeffreys"])
    assert found == select(coded, "evidence", prior="jeffreys")
    for name in ("rooted", "flattened"):
        with pytest.raises(InvalidParameter, match=f"rule='{name}'.*averages over models"):
            select(coded, "evidence", rule=TOY_RULES[name])


def test_a_new_criterion_is_one_entry(monkeypatch):
    class Fewest:
        """The number of variables, the fewer the better."""

        def place(self, selected):
            self.size = int(selected.sum())
            return float(self.size)

        def after(self, variable):
            return float(self.size - 1)

    monkeypatch.setitem(VARIABLE_CRITERIA, "fewest", lambda problem: Fewest())
    found = select_variables(drawn(), "fewest", direction="backward")
    assert (found.selected, found.score, found.start_score) == ((), 0.0, 5.0)


@by_criterion
def test_weights_are_repetitions(criterion):
    coded = drawn()
    weights = np.arange(60) % 3
    weighted = select(replace(coded, weights=weights.astype(np.float64)), criterion)
    repeated = select(coded.take(np.repeat(np.arange(60), weights)), criterion)
    assert weighted.selected == repeated.selected
    assert weighted.score == pytest.approx(repeated.score, rel=1e-12)


def test_fractional_weights_have_an_evidence_and_no_rows():
    coded = drawn()
    halved = replace(coded, weights=np.full(60, 0.5))
    assert select(halved, "evidence").score < select(coded, "evidence").score
    with pytest.raises(InvalidParameter, match="not whole numbers"):
        select(halved, "leave_one_out")


def test_the_result_has_names_and_reads_well():
    found = select(drawn(400, missing=0.0), "evidence")
    assert found.names == ("x1", "x2", "x3")
    ends = (found.score, found.start_score)
    last, first = (f"{length:.1f} nats ({length / np.log(2):.1f} bits)" for length in ends)
    text = f"(code length {last}, from {first} in 3 moves)"
    assert str(found) == f"3 variables: x1, x2, x3 {text}"
    priced = select(drawn(400, missing=0.0), "evidence", price_choice=True)
    price = f"{priced.price:.1f} nats ({priced.price / np.log(2):.1f} bits)"
    assert priced.price == np.log(len(priced.variables))
    assert str(priced).endswith(f"; naming a variable costs {price})")
    nothing = select(drawn(), "evidence", max_variables=0)
    assert str(nothing).startswith("0 variables: none (")


@by_criterion
def test_variables_that_tie_are_chosen_by_content_not_by_their_places(criterion):
    """Two variables that tell the classes apart alike, of which one is to be chosen."""
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1], 30)
    columns = {"noise": rng.integers(0, 2, 60), "early": classes.copy(), "late": classes.copy()}
    columns["early"][:3], columns["late"][27:30] = 1, 1
    found = set()
    for names in itertools.permutations(columns):
        codes = np.column_stack([columns[name] for name in names])
        coded = Coded.of(Schema.from_sizes([2] * 3, 2), codes, classes)
        result = select_variables(coded, criterion, max_variables=1)
        found.add(names[result.selected[0]])
    assert len(found) == 1


def test_moves_name_the_variables_that_were_removed():
    table = {"wings": ["yes", "yes", "no", "no"] * 5, "colour": ["red", "blue"] * 10}
    coded = as_coded(table, ["bird", "bird", "fish", "fish"] * 5)
    found = select_variables(coded, "evidence", direction="backward")
    assert found.names == ("wings",)
    assert found.variables == ("wings", "colour")
    (grid,) = found._blocks()
    assert [row[:2] for row in grid.rows] == [["remove", "colour"]]
