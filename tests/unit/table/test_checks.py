"""The one door for options: the same mistake, the same words, the same exception."""

from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
import pytest

from codelength import Discretizer
from codelength.counts import count
from codelength.errors import CodelengthError, DataError, InvalidParameter, SchemaMismatch
from codelength.naive_bayes import Predictor, Prior, pseudocounts
from codelength.scores import log_score
from codelength.sources import as_table
from codelength.table import Coded, Cutting, Schema, encode, infer_schema
from codelength.table.checks import (
    check_cap,
    check_choice,
    check_distinct,
    check_number,
    check_random_state,
    check_same_rows,
    check_weights,
    check_whole,
    check_whole_weights,
    is_number,
    seed_of,
)

HUGE = 10**5000


def type_of(value):
    return type(value).__name__


class Unspeakable:
    """What cannot even be shown in a message."""

    def __repr__(self):
        raise RuntimeError("no words")


class TestChoices:
    @pytest.mark.parametrize(
        "choices", [("ignore", "value"), {"ignore": 1, "value": 2}, Literal["ignore", "value"]], ids=str
    )
    def test_any_collection_of_names(self, choices):
        check_choice("missing", "value", choices)
        check_choice("missing", np.str_("value"), choices)
        with pytest.raises(InvalidParameter, match=r"^missing='drop': expected one of 'ignore', 'value'$"):
            check_choice("missing", "drop", choices)

    @pytest.mark.parametrize(
        "value", [None, 1, True, b"value", ["value"], {"value"}, HUGE, Unspeakable()], ids=type_of
    )
    def test_what_is_no_text_is_no_choice(self, value):
        with pytest.raises(InvalidParameter, match=r"^missing=.*: expected one of 'ignore', 'value'$"):
            check_choice("missing", value, ("ignore", "value"))

    def test_long_values_are_cut(self):
        with pytest.raises(InvalidParameter) as caught:
            check_choice("missing", "x" * 10_000, ("ignore", "value"))
        assert len(str(caught.value)) < 200


class TestWholeNumbers:
    @pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.int64(3)], ids=repr)
    def test_any_type_of_whole_number(self, value):
        assert type(check_whole("n", value)) is int
        assert check_whole("n", value, 3, 3) == 3

    def test_numbers_of_any_length(self):
        assert check_whole("n", HUGE) == HUGE

    @pytest.mark.parametrize(
        "value",
        [
            0,
            -1,
            2.0,
            np.float64(2),
            True,
            np.True_,
            "2",
            None,
            [2],
            np.array(2),
            np.nan,
            Decimal(2),
            Fraction(2),
            np.timedelta64(2, "s"),
        ],
        ids=repr,
    )
    def test_anything_else(self, value):
        with pytest.raises(InvalidParameter, match=r"^n=.*: expected a whole number of at least 1$"):
            check_whole("n", value)

    @pytest.mark.parametrize("value", [0, 6, -HUGE, HUGE, np.uint64(2**63), Unspeakable()], ids=type_of)
    def test_out_of_range(self, value):
        with pytest.raises(InvalidParameter, match=r"^n=.*: expected a whole number from 1 to 5$"):
            check_whole("n", value, 1, 5)

    def test_what_else_would_do_is_said(self):
        with pytest.raises(InvalidParameter, match=r"of at least 1, or None$"):
            check_whole("n", 0, also=", or None")


class TestNumbers:
    @pytest.mark.parametrize(
        "value",
        [
            2,
            2.0,
            np.float32(2),
            np.float64(2),
            np.longdouble(2),
            np.int8(2),
            np.uint64(2),
            Fraction(2),
            Decimal(2),
        ],
        ids=repr,
    )
    def test_any_type_of_number(self, value):
        assert is_number(value)
        assert type(check_number("tol", value)) is float
        assert check_number("tol", value, 2, 2) == 2

    @pytest.mark.parametrize(
        "value",
        [
            *(-1, np.nan, np.inf, -np.inf, HUGE, -HUGE, Fraction(HUGE), Decimal("NaN"), Decimal("sNaN")),
            *(
                Decimal("Infinity"),
                np.longdouble("1e4000"),
                True,
                np.True_,
                "1",
                None,
                1j,
                [1],
                np.array([1.0]),
            ),
            *(np.array(1.0), np.timedelta64(1, "s"), object(), Unspeakable()),
        ],
        ids=type_of,
    )
    def test_anything_else(self, value):
        with pytest.raises(InvalidParameter, match=r"(?s)^tol=.*: expected a number of at least 0$"):
            check_number("tol", value)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"least": 1.0}, "of at least 1"),
            ({"least": 0.0, "above": True}, "above 0"),
            ({"least": 0.0, "most": 0.25}, "of at least 0 and at most 0.25"),
            ({"least": 0.0, "most": 0.5, "above": True, "below": True}, "above 0 and below 0.5"),
        ],
    )
    def test_bounds_are_said(self, options, words):
        for value in (options.get("most", np.inf) + 0.5, options["least"] - 0.5):
            with pytest.raises(InvalidParameter, match=f"^tol=.*: expected a number {words}$"):
                check_number("tol", value, **options)

    def test_bounds_themselves(self):
        assert check_number("x", 0, 0, 1) == 0
        assert check_number("x", 1, 0, 1) == 1
        for value, options in ((0, {"above": True}), (1, {"below": True})):
            with pytest.raises(InvalidParameter):
                check_number("x", value, 0, 1, **options)

    def test_caps(self):
        assert check_cap(None) is None
        assert check_cap(Fraction(1, 2)) == 0.5
        with pytest.raises(
            InvalidParameter, match=r"^cap=-1: expected a number of at least 0 \(nats\), or None"
        ):
            check_cap(-1)


class TestPseudocounts:
    """A prior may be given in numbers of any type."""

    SCHEMA = Schema.from_sizes([2], n_classes=2)

    @pytest.mark.parametrize(
        "number", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.float16(0.5), np.array(0.5)], ids=repr
    )
    def test_any_type_of_number(self, number):
        assert Prior(number, [[number, number]]) == Prior(0.5, [[0.5, 0.5]])
        if not isinstance(number, np.ndarray):
            assert pseudocounts(number, self.SCHEMA).class_pseudocounts.tolist() == [0.25, 0.25]

    @pytest.mark.parametrize(
        "number",
        [0, -1, np.nan, np.inf, 1e-320, 1e301, HUGE, "1", True, None, 1j, {1}, Unspeakable()],
        ids=type_of,
    )
    def test_anything_else(self, number):
        with pytest.raises(
            InvalidParameter, match=r"^a pseudocount=.*: expected a number of at least 1e-310"
        ):
            Prior(number)
        with pytest.raises(
            InvalidParameter, match=r"^a pseudocount=.*: expected a number of at least 1e-310"
        ):
            Prior(1, [[1, number]])

    @pytest.mark.parametrize(
        "prior", [0, -1, np.nan, np.inf, HUGE, "", "none", True, None, 1j, [1], Unspeakable()], ids=type_of
    )
    def test_priors_that_are_none(self, prior):
        with pytest.raises(InvalidParameter, match=r"^prior="):
            pseudocounts(prior, self.SCHEMA)


class TestWeights:
    @pytest.mark.parametrize(
        "weights",
        [
            *([1, 2.5], (1, 2.5), np.array([1, 2.5], dtype=np.float32), np.array([1, 2.5], dtype=object)),
            *([Fraction(1), Decimal("2.5")], np.array([1, 0, 2.5])[[0, 2]], np.array([[1, 2.5]] * 2)[0]),
            np.ma.masked_array([1, 2.5]),
        ],
        ids=repr,
    )
    def test_any_form(self, weights):
        checked = check_weights(weights, 2)
        assert checked.tolist() == [1, 2.5]
        assert checked.dtype == np.float64
        assert checked.flags.c_contiguous

    def test_series(self):
        pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
        for weights in (
            pandas.Series([1, 2.5]),
            polars.Series([1.0, 2.5]),
            pandas.Series([1, 2.5], index=[7, 8]),
        ):
            assert check_weights(weights, 2).tolist() == [1, 2.5]

    def test_none_and_one_number(self):
        assert check_weights(None, 3) is None
        assert check_weights(2, 3).tolist() == [2, 2, 2]
        assert check_weights(np.array(0.5), 2).tolist() == [0.5, 0.5]
        assert check_weights(np.True_, 2).tolist() == [1, 1]
        assert check_weights([True, False], 2).tolist() == [1, 0]

    @pytest.mark.parametrize(
        "weights",
        [
            *(
                ["1", "2"],
                "1",
                "abc",
                b"1",
                [1j, 2],
                np.array([1j, 2]),
                [[1], [2, 3]],
                {1: 2},
                {1, 2},
                object(),
            ),
            *(np.array(["2020", "2021"], dtype="M8[Y]"), np.array([1, 2], dtype="m8[s]"), [HUGE, 1], HUGE),
            (weight for weight in (1, 2)),
        ],
        ids=type_of,
    )
    def test_what_are_no_numbers(self, weights):
        with pytest.raises(DataError, match=r"^sample_weight: expected one number per row$"):
            check_weights(weights, 2)

    @pytest.mark.parametrize("weights", [[1], [1, 2, 3], [[1], [2]], []], ids=str)
    def test_another_shape(self, weights):
        with pytest.raises(
            DataError, match=r"^sample_weight has shape \(.*\); expected one weight per row, \(2,\)$"
        ):
            check_weights(weights, 2)

    @pytest.mark.parametrize(
        "weights",
        [
            *([1, -1], [1, np.nan], [1, np.inf], [1, 1e91], [1, None], [1, Decimal("NaN")]),
            *(np.ma.masked_array([1.0, 2.0], [False, True]), np.array([1, "1e4000"], dtype=np.longdouble)),
        ],
        ids=repr,
    )
    def test_what_cannot_be_a_weight(self, weights):
        with pytest.raises(
            DataError, match=r"^sample_weight, row 1: .*; weights must be finite, not negative and"
        ):
            check_weights(weights, 2)

    def test_weights_that_add_up_to_too_much(self):
        with pytest.raises(DataError, match=r"^sample_weight: the weights add up to 1.2e\+90, more"):
            check_weights([6e89, 6e89], 2)

    def test_some_row_must_count(self):
        with pytest.raises(DataError, match="all weights are zero; at least one row must count"):
            check_weights([0, 0], 2)
        assert check_weights([0, 0], 2, positive=False).tolist() == [0, 0]
        assert check_weights([], 0).tolist() == []

    def test_whole_weights(self):
        check_whole_weights(None, "this")
        check_whole_weights(np.array([0.0, 3.0]), "this")
        with pytest.raises(
            InvalidParameter, match=r"^this works on single rows, and the weights are not whole"
        ):
            check_whole_weights(np.array([0.5]), "this")


class TestRandomStates:
    @pytest.mark.parametrize("state", [None, 0, 7, np.uint32(7), [1, 2], (1, np.int64(2)), HUGE], ids=type_of)
    def test_forms_that_numpy_understands(self, state):
        np.random.default_rng(check_random_state(state))
        np.random.SeedSequence(check_random_state(state))
        assert seed_of(state) >= 0

    def test_generators_stay_themselves(self):
        for state in (np.random.default_rng(1), np.random.SeedSequence(1)):
            assert check_random_state(state) is state
        generator = np.random.default_rng(1)
        assert seed_of(generator) != seed_of(generator)

    def test_a_random_state_moves_on(self):
        state = np.random.RandomState(3)
        assert check_random_state(state) != check_random_state(state)
        assert check_random_state(np.random.RandomState(3)) == check_random_state(np.random.RandomState(3))

    @pytest.mark.parametrize(
        "state",
        [-1, 1.5, True, "a", [], [-1], [1.5], np.array([1, 2]), np.nan, {}, Unspeakable()],
        ids=type_of,
    )
    def test_anything_else(self, state):
        with pytest.raises(
            InvalidParameter, match=r"^random_state=.*: expected a whole number of at least 0"
        ):
            check_random_state(state)

    def test_a_seed_is_itself(self):
        assert seed_of(12) == seed_of(np.int64(12)) == 12
        assert seed_of([1, 2]) == seed_of((1, 2))


def test_names_that_repeat():
    check_distinct(["a", "b"])
    with pytest.raises(SchemaMismatch, match=r"^duplicate column names \('a', 'b'\)"):
        check_distinct(["b", "a", "a", "b", "c"])
    with pytest.raises(SchemaMismatch, match=r"^duplicate model names"):
        check_distinct(["b", "b"], "model names")


def test_a_target_of_another_length():
    check_same_rows(3, 3)
    with pytest.raises(DataError, match="X has 3 rows and y has 2"):
        check_same_rows(3, 2)


class TestEveryDoor:
    """The same wrong option at every entry of the core."""

    TABLE: ClassVar = {"a": [1.5, 2.5, 3.5]}
    CODED = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [1]], [0, 1, 1])

    @pytest.mark.parametrize("weights", [[1, -1, 1], [1, 1], ["a", "b", "c"], [0, 0, 0]], ids=str)
    def test_weights(self, weights):
        probs = [[0.5, 0.5]] * 3
        doors = [
            lambda: as_table(self.TABLE, None, weights),
            lambda: as_table(self.TABLE).with_weights(weights),
            lambda: infer_schema(self.TABLE, sample_weight=weights),
            lambda: Discretizer().fit([[1.5], [2.5], [3.5]], sample_weight=weights),
            lambda: encode(Schema.from_sizes([2]), [[0], [1], [1]], sample_weight=weights),
            lambda: log_score(probs, [0, 1, 1], sample_weight=weights),
        ]
        if any(weights):
            doors += [lambda: Coded.of(self.CODED.schema, self.CODED.codes, weights=weights)]
        self.assert_same_words(doors, DataError)

    @pytest.mark.parametrize("n_bins", [0, -3, 2.5, "5", True, None])
    def test_numbers_of_bins(self, n_bins):
        self.assert_same_words(
            [
                lambda: Discretizer(n_bins=n_bins).fit([[1.5], [2.5]]),
                lambda: infer_schema(self.TABLE, cutting=Cutting(n_bins=n_bins)),
            ]
        )

    @pytest.mark.parametrize("strategy", ["equal", None, 3])
    def test_ways_of_cutting(self, strategy):
        self.assert_same_words(
            [
                lambda: Discretizer(strategy).fit([[1.5], [2.5]]),
                lambda: infer_schema(self.TABLE, cutting=Cutting(strategy)),
            ]
        )

    @pytest.mark.parametrize("prior", ["flat", -1, None, True])
    def test_priors(self, prior):
        self.assert_same_words(
            [
                lambda: pseudocounts(prior, self.CODED.schema),
                lambda: Predictor.of(count(self.CODED), "evidence", prior),
            ]
        )

    @staticmethod
    def assert_same_words(doors, kind=InvalidParameter):
        words = []
        for door in doors:
            with pytest.raises(CodelengthError) as caught:
                door()
            assert type(caught.value) is kind
            words.append(str(caught.value))
        assert len(set(words)) == 1, words
