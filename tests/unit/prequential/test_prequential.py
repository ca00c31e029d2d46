"""Prequential criteria at the edges, over random orderings, and in races of models."""

from dataclasses import replace

import numpy as np
import pytest

from codelength.counts import count
from codelength.errors import DataError, InvalidParameter, SchemaMismatch
from codelength.mixture.fixed_clustering import FixedClustering
from codelength.naive_bayes import RULES, pseudocounts
from codelength.prequential import (
    SequentialModel,
    compare_models,
    naive_bayes_sequence,
    sample_orderings,
)
from codelength.prequential.orderings import group_seeds, linked_orders
from codelength.scores import evidence_code_length
from codelength.sources import as_coded, as_table
from codelength.table import Coded, Schema, encode
from golden.cases import DATA, cases


def real(name):
    case = next(case for case in cases("real_loo") if case["id"] == name)
    rows = np.loadtxt(DATA / case["file"], delimiter=",", dtype=np.int64)
    return encode(Schema.from_sizes(case["cards"], case["K"]), rows[:, :-1], rows[:, -1])


def drawn(n_rows=30, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_rows)
    values = np.column_stack(((classes + (rng.random(n_rows) < 0.2)) % 2, rng.integers(0, 3, n_rows)))
    return encode(Schema.from_sizes([2, 3], n_classes), values, classes)


def halves(coded, n_components=2):
    """A clustering by the first column."""
    labels = np.minimum(coded.codes[:, 0], n_components - 1)
    return FixedClustering.of(coded.with_class_as_column(), labels, n_components=n_components)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_rows", [0, 1])
def test_no_rows_and_one_row(rule, n_rows):
    model = naive_bayes_sequence(drawn(n_rows, 3), rule)
    # Before the first row all classes are alike, whether they have weight or not.
    np.testing.assert_allclose(model.terms(), [np.log(3)] * n_rows, rtol=1e-12)
    np.testing.assert_allclose(model.leave_one_out(), [np.log(3)] * n_rows, rtol=1e-12)
    assert model.code_length() == pytest.approx(n_rows * np.log(3), rel=1e-12)
    assert sample_orderings(model, 2, random_state=0).mean == pytest.approx(n_rows * np.log(3), rel=1e-12)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_clusterings_of_no_rows_and_of_one(n_rows):
    clustering = halves(drawn(n_rows, 3))
    np.testing.assert_allclose(clustering.sequence().terms(), [np.log(3)] * n_rows, rtol=1e-12)
    np.testing.assert_allclose(
        clustering.leave_one_out().log_probs, np.full((n_rows, 3), -np.log(3)), rtol=1e-12
    )
    assert clustering.code_length() >= 0


@pytest.mark.parametrize("rule", RULES)
def test_one_class_costs_nothing(rule):
    model = naive_bayes_sequence(drawn(8, 1), rule)
    assert model.terms().tolist() == [0.0] * 8
    assert model.leave_one_out().tolist() == [0.0] * 8


def test_one_class_value_in_a_mixture_costs_nothing():
    sequence = halves(drawn(8, 1)).sequence()
    np.testing.assert_allclose(sequence.terms(), 0, atol=1e-15)


def test_a_cost_near_zero_keeps_its_digits():
    """After many like rows the cost of the next is about 1 / n ** 3, and must not round to nothing."""
    schema = Schema.from_sizes([2] * 40, 2)
    coded = encode(schema, np.repeat([[0] * 40, [1] * 40], 50, axis=0), np.repeat([0, 1], 50))
    model = naive_bayes_sequence(coded)
    last = model.leave_one_out()[0]
    expected = 51 / 50 * (1 / 52) ** 40 / (50 / 51) ** 40
    assert last == pytest.approx(expected, rel=1e-10)


def test_a_cap_bounds_the_cost_of_a_row():
    honest, capped = (naive_bayes_sequence(drawn(), "map", cap=cap) for cap in (None, 10.0))
    assert np.isinf(honest.code_length())
    np.testing.assert_array_equal(capped.terms(), np.minimum(honest.terms(), 10))
    np.testing.assert_array_equal(capped.leave_one_out(), np.minimum(honest.leave_one_out(), 10))
    assert np.isfinite(sample_orderings(capped, 4, random_state=0).mean)


def test_many_rows_of_many_kinds():
    """A general prior, for which every cell has its own list of entries."""
    coded, rng = real("australian"), np.random.default_rng(0)
    prior = pseudocounts("uniform", coded.schema)
    prior.value_pseudocounts[prior.value_pseudocounts > 0] = (
        rng.random((prior.value_pseudocounts > 0).sum()) + 0.1
    )
    model = naive_bayes_sequence(coded, prior=prior)
    expected = evidence_code_length(count(coded), prior)
    assert model.joint_terms(rng.permutation(coded.n_rows)).sum() == pytest.approx(expected, rel=1e-12)


def test_joint_terms_need_a_rule_that_averages():
    for rule in ("map", "stochastic_complexity"):
        with pytest.raises(InvalidParameter, match="not a distribution over rows"):
            naive_bayes_sequence(drawn(), rule).joint_terms()


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3], [0.0, 1.0, 2.0], [[0, 1, 2]], [-1, 0, 1]])
def test_an_order_must_be_a_permutation(order):
    model = naive_bayes_sequence(drawn(3))
    with pytest.raises(InvalidParameter, match="order"):
        model.terms(order)


def test_bad_models_are_refused():
    coded = drawn()
    wide, labels = coded.with_class_as_column(), np.zeros(coded.n_rows, dtype=np.int64)
    with pytest.raises(InvalidParameter, match="rule='best'"):
        naive_bayes_sequence(coded, "best")
    with pytest.raises(InvalidParameter, match="no most probable model"):
        naive_bayes_sequence(coded, "map", "jeffreys")
    with pytest.raises(InvalidParameter, match="cap=-1"):
        naive_bayes_sequence(coded, cap=-1)
    with pytest.raises(InvalidParameter, match="not whole numbers"):
        naive_bayes_sequence(replace(coded, weights=np.full(coded.n_rows, 0.5)))
    with pytest.raises(DataError, match="class_codes, row"):
        naive_bayes_sequence(Coded.of(Schema.from_sizes([2, 3], 1), coded.codes, coded.class_codes))
    with pytest.raises(DataError, match="no class to predict"):
        naive_bayes_sequence(wide)
    with pytest.raises(InvalidParameter, match="no target"):
        wide.with_class_as_column()
    with pytest.raises(SchemaMismatch, match="class_column=3"):
        FixedClustering.of(wide, labels, 3)
    with pytest.raises(SchemaMismatch, match="'colour'"):
        FixedClustering.of(wide, labels, "colour")
    with pytest.raises(DataError, match="component 2"):
        FixedClustering.of(wide, labels + 2, n_components=2)
    with pytest.raises(DataError, match="one whole number"):
        FixedClustering.of(wide, ["a"] * coded.n_rows)
    wide.codes[4, -1] = 2
    with pytest.raises(DataError, match="column 'class', row 4: the class is missing"):
        FixedClustering.of(wide, labels)


def test_the_class_column_by_name_by_position_and_by_default():
    coded = drawn()
    wide = coded.with_class_as_column()
    terms = [
        FixedClustering.of(wide, coded.class_codes, *given).sequence().terms().tolist()
        for given in ((), ("class",), (2,), (-1,))
    ]
    assert terms[0] == terms[1] == terms[2] == terms[3]


def test_predictions_do_not_look_at_the_class_column():
    clustering = halves(drawn())
    rows = clustering.rows
    predict = clustering.predictor.log_probs
    before = predict(rows).log_probs
    codes = rows.codes.copy()
    codes[:, -1] = 1 - codes[:, -1]
    np.testing.assert_array_equal(predict(replace(rows, codes=codes)).log_probs, before)
    np.testing.assert_array_equal(predict(rows.select([0, 1])).log_probs, before)
    np.testing.assert_allclose(np.exp(before).sum(axis=1), 1, rtol=1e-12)


def test_samples_can_be_repeated_and_continued():
    model = naive_bayes_sequence(drawn(200))
    for scheme in ("plain", "antithetic", "rotated"):
        few = sample_orderings(model, 16, scheme=scheme, random_state=5, n_threads=1)
        many = sample_orderings(model, 64, scheme=scheme, random_state=5, n_threads=3)
        np.testing.assert_array_equal(few.code_lengths, many.code_lengths[:16])
        assert model.code_length(many.best_order) == many.best == many.code_lengths.min()
        assert many.mean == pytest.approx(many.code_lengths.mean(), rel=1e-12)
        assert many.standard_error < few.standard_error * 2
    assert sample_orderings(model, 1, scheme="plain", random_state=0).standard_error == np.inf
    generator = np.random.default_rng(5)
    assert (
        sample_orderings(model, 16, random_state=generator).mean
        == sample_orderings(model, 16, random_state=5).mean
    )


def test_errors_are_counted_along_the_same_orderings():
    model = naive_bayes_sequence(drawn(60))
    few = sample_orderings(model, 6, errors=True, random_state=2)
    assert np.array_equal(few.code_lengths, sample_orderings(model, 6, random_state=2).code_lengths)
    assert few.errors[few.code_lengths.argmin()] == model.errors(few.best_order).sum()
    assert few.mean_errors == few.errors.mean()
    with pytest.raises(InvalidParameter, match="errors=True"):
        _ = sample_orderings(model, 2).mean_errors


def test_results_are_shown_in_nats_and_bits():
    model = naive_bayes_sequence(drawn(12))
    sample = sample_orderings(model, 4, errors=True, random_state=0)
    race = compare_models([model, model], max_orderings=8)
    for found, length in (
        (sample, sample.mean),
        (race, race.means[race.best]),
    ):
        assert repr(found).endswith(f"{length:.1f} nats ({length / np.log(2):.1f} bits)>")
    assert "rows predicted wrongly" in str(sample)
    assert str(race).count("±") == 2


def test_linked_orderings_are_permutations_of_each_other():
    for scheme, n_linked in (("plain", 1), ("antithetic", 2), ("rotated", 8)):
        orders = list(linked_orders(10, 3, scheme))
        assert len(orders) == n_linked
        assert all(sorted(order.tolist()) == list(range(10)) for order in orders)
        assert len({tuple(order.tolist()) for order in orders}) == n_linked


@pytest.mark.parametrize("name", ["heart", "glass"])
@pytest.mark.parametrize("of", ["naive Bayes", "mixture"])
def test_linked_orderings_have_less_variance(name, of):
    """A mean over as many orderings, when each comes with its reverse."""
    coded = real(name)
    model = naive_bayes_sequence(coded) if of == "naive Bayes" else halves(coded, 3).sequence()
    plain = sample_orderings(model, 600, scheme="plain", random_state=0)
    for scheme in ("antithetic", "rotated"):
        linked = sample_orderings(model, 600, scheme=scheme, random_state=1)
        assert linked.standard_error**2 < 0.7 * plain.standard_error**2
        assert abs(linked.mean - plain.mean) < 4 * np.hypot(linked.standard_error, plain.standard_error)


@pytest.mark.parametrize(
    ("n_orderings", "scheme", "message"),
    [
        (0, "plain", "n_orderings=0"),
        (3, "antithetic", "a multiple of 2"),
        (4, "rotated", "a multiple of 8"),
        (2, "best", "scheme='best'"),
    ],
)
def test_samples_refuse(n_orderings, scheme, message):
    with pytest.raises(InvalidParameter, match=message):
        sample_orderings(naive_bayes_sequence(drawn(3)), n_orderings, scheme=scheme)


def heart_models():
    """Clusterings by one column each."""
    coded = real("heart").with_class_as_column()
    return [FixedClustering.of(coded, coded.codes[:, i]).sequence() for i in range(13)]


def test_a_race_finds_the_best_model_with_fewer_orderings():
    models = heart_models()
    truth = [sample_orderings(model, 1000, random_state=9).mean for model in models]
    race = compare_models(models, random_state=0, max_orderings=400)
    assert race.settled
    assert race.best == int(np.argmin(truth))
    assert race.n_orderings.min() < race.n_orderings.max() < 100
    np.testing.assert_allclose(race.means, truth, rtol=0.05)
    assert race.excess[race.best] == 0
    assert (np.delete(race.excess, race.best) > 0).all()


def test_a_race_is_the_same_for_any_number_of_threads():
    models = heart_models()
    one, three = (compare_models(models, random_state=2, n_threads=n) for n in (1, 3))
    np.testing.assert_array_equal(one.means, three.means)
    assert (one.best, one.settled) == (three.best, three.settled)


def test_equal_models_are_settled_at_the_first_look():
    model = heart_models()[0]
    race = compare_models([model, model], random_state=0)
    assert (race.best, race.settled) == (0, True)
    assert race.n_orderings.tolist() == [8, 8]


def test_a_race_ends_at_its_budget_or_within_its_margin():
    models = [naive_bayes_sequence(drawn(40), prior=prior) for prior in (2.0, 2.0001)]
    fair = compare_models(models, random_state=0, max_orderings=12, confidence=0.9999)
    lenient = compare_models(models, random_state=0, max_orderings=200, margin=5.0)
    assert lenient.settled
    assert fair.n_orderings.max() <= 12
    assert lenient.n_orderings.max() < 200


def test_a_race_of_one_clustering_under_several_names_is_settled():
    """They differ by rounding, which no number of orderings would settle."""
    coded = real("iris").with_class_as_column()
    rng = np.random.default_rng(0)
    for seed in range(4):
        labels = rng.integers(0, 4, coded.n_rows)
        names = [rng.permutation(4) for _ in range(4)]
        race = compare_models(
            [FixedClustering.of(coded, own[labels]).sequence() for own in names], random_state=seed
        )
        assert race.settled
        assert race.best == 0
        assert race.n_orderings.tolist() == [8] * 4
        assert race.excess.tolist() == [0.0] * 4


def test_the_best_ordering_is_the_first_of_those_that_tie_up_to_rounding():
    """Rows of one value and class: all orderings cost the same, in another order of summation."""
    coded = Coded.of(Schema.from_sizes([3], n_classes=2), [[0]] * 50, [0, 1] * 25)
    sample = sample_orderings(naive_bayes_sequence(coded), 40, random_state=0)
    close = np.flatnonzero(sample.code_lengths <= sample.best * (1 + 1e-12))
    first = next(iter(linked_orders(50, int(group_seeds(20, 0)[close[0] // 2]), "antithetic")))
    np.testing.assert_array_equal(sample.best_order, first if close[0] % 2 == 0 else first[::-1])


def test_a_race_of_one():
    model = heart_models()[0]
    race = compare_models([model], random_state=0)
    assert (race.best, race.settled) == (0, True)


def test_races_refuse():
    model, other = naive_bayes_sequence(drawn(10)), naive_bayes_sequence(drawn(11))
    with pytest.raises(InvalidParameter, match="at least one model"):
        compare_models([])
    with pytest.raises(InvalidParameter, match="the same rows"):
        compare_models([model, other])
    with pytest.raises(InvalidParameter, match=r"confidence=1\.5"):
        compare_models([model], confidence=1.5)
    with pytest.raises(InvalidParameter, match="max_orderings=2"):
        compare_models([model], max_orderings=2)
    with pytest.raises(InvalidParameter, match="scheme='best'"):
        compare_models([model], scheme="best")
    with pytest.raises(InvalidParameter, match="model 0: its code length is infinite"):
        compare_models([naive_bayes_sequence(drawn(30), "map")], random_state=0)


def test_a_table_is_coded_on_the_way():
    table = as_table({"colour": ["red", "blue", "red"]}, ["ripe", "raw", "ripe"])
    np.testing.assert_array_equal(
        naive_bayes_sequence(table).terms(), naive_bayes_sequence(as_coded(table)).terms()
    )


def test_a_table_without_columns():
    """Laplace's rule of succession."""
    coded = Coded.of(Schema.from_sizes([], 2), np.zeros((3, 0), dtype=np.uint8), [0, 0, 1])
    model = naive_bayes_sequence(coded)
    assert isinstance(model, SequentialModel)
    np.testing.assert_allclose(np.exp(-model.terms()), [1 / 2, 2 / 3, 1 / 4], rtol=1e-12)
