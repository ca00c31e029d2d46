"""The transformer: what it learns, what it hands on, and what it refuses."""

import copy
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from codelength.errors import DataError, InvalidParameter
from codelength.table.intervals.cuts import STRATEGIES, assign, cut_points, interval_labels
from codelength.table.intervals.discretize import Discretizer


class LabelNumbers(Discretizer):
    """Takes the labels that a Discretizer gives and looks up their numbers again."""

    def transform(self, X):
        labels = np.asarray(super().transform(X), dtype=object)
        known = [{None: np.nan, **{name: i for i, name in enumerate(names)}} for names in self.labels_]
        cells = [[places[cell] for cell in column] for places, column in zip(known, labels.T, strict=True)]
        return np.array(cells, dtype=float).T


@pytest.fixture
def table():
    generator = np.random.default_rng(3)
    X = np.column_stack(
        [generator.normal(size=60), generator.integers(0, 4, 60), generator.exponential(size=60)]
    )
    X[::7, 0] = np.nan
    return X


class TestScikitLearnChecks:
    @pytest.mark.parametrize("strategy", STRATEGIES)
    @pytest.mark.parametrize("kind", [Discretizer, LabelNumbers])
    def test_all_pass_where_outputs_can_be_compared(self, strategy, kind):
        estimator = kind(strategy, output="code" if kind is Discretizer else "label")
        results = check_estimator(estimator, on_skip=None, on_fail=None)
        status = Counter(result["status"] for result in results)
        failed = [result["check_name"] for result in results if result["status"] == "failed"]
        assert failed == []
        assert status["passed"] >= 45
        assert status["skipped"] <= 1


class TestFit:
    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_every_column_is_cut_by_itself(self, table, strategy):
        y = np.where(table[:, 1] > 1, "high", "low")
        classes = (y == "low").astype(int)
        fitted = Discretizer(strategy, 4).fit(table, y)
        for column, cuts, labels in zip(table.T, fitted.cut_points_, fitted.labels_, strict=True):
            assert cuts.tolist() == cut_points(column, strategy, 4, class_codes=classes).tolist()
            assert labels == interval_labels(cuts)

    @pytest.mark.parametrize("strategy", STRATEGIES)
    def test_weights_are_repetitions(self, table, strategy):
        y = (table[:, 1] > 1).astype(int)
        weights = np.arange(60) % 3
        weighted = Discretizer(strategy).fit(table, y, sample_weight=weights)
        repeated = Discretizer(strategy).fit(np.repeat(table, weights, axis=0), np.repeat(y, weights))
        for first, second in zip(weighted.cut_points_, repeated.cut_points_, strict=True):
            assert first.tolist() == second.tolist()

    @pytest.mark.parametrize(
        "y", [list("aabb"), np.array([False, False, True, True]), pd.Series(list("aabb"))]
    )
    def test_mdl_takes_any_class_labels(self, y):
        fitted = Discretizer("mdl").fit([[1.0], [2.0], [3.0], [4.0]], y)
        assert fitted.cut_points_[0].tolist() == [2.5]

    def test_y_does_not_matter_to_the_others(self, table):
        without, with_y = Discretizer().fit(table), Discretizer().fit(table, np.arange(60.0))
        assert [cuts.tolist() for cuts in without.cut_points_] == [
            cuts.tolist() for cuts in with_y.cut_points_
        ]

    def test_names_of_columns(self, table):
        fitted = Discretizer().fit(pd.DataFrame(table, columns=["a", "b", "c"]))
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
        assert fitted.get_feature_names_out().tolist() == ["a", "b", "c"]
        assert fitted.n_features_in_ == 3
        assert Discretizer().fit(table).get_feature_names_out().tolist() == ["x0", "x1", "x2"]

    def test_tags_say_what_is_needed(self):
        assert get_tags(Discretizer("mdl")).target_tags.required
        assert not get_tags(Discretizer()).target_tags.required
        assert get_tags(Discretizer()).input_tags.allow_nan


class TestTransform:
    def test_labels_and_codes_tell_the_same(self, table):
        fitted = Discretizer(n_bins=3, output="label").fit(table)
        labels = fitted.transform(table)
        codes = copy.deepcopy(fitted).set_params(output="code").transform(table)
        assert labels.dtype == object
        assert codes.dtype == np.float64
        for label, code, names in zip(labels.T, codes.T, fitted.labels_, strict=True):
            assert [None if np.isnan(c) else names[int(c)] for c in code] == label.tolist()

    def test_missing_stays_missing(self, table):
        labels = Discretizer(output="label").fit_transform(table)
        codes = Discretizer().fit_transform(table)
        assert ([[cell is None for cell in row] for row in labels] == np.isnan(table)).all()
        assert (np.isnan(codes) == np.isnan(table)).all()

    def test_missing_only_at_prediction(self):
        fitted = Discretizer(n_bins=2, output="label").fit([[1.0], [2.0]])
        assert fitted.transform([[None], [2.0]]).tolist() == [[None], [">= 1.5"]]

    def test_new_values_fall_in_the_end_bins(self):
        fitted = Discretizer("width", 3, output="code").fit([[0.0], [3.0]])
        assert fitted.transform([[-1e9], [1.0], [1e9]]).ravel().tolist() == [0.0, 1.0, 2.0]

    def test_a_column_without_values_is_one_bin(self):
        fitted = Discretizer(output="label").fit([[np.nan, 1.0], [np.nan, 2.0]])
        assert fitted.labels_[0] == ("any",)
        assert fitted.transform([[7.0, 1.0], [np.nan, 1.0]])[:, 0].tolist() == ["any", None]

    def test_codes_are_those_of_assign(self, table):
        fitted = Discretizer("kmeans", output="code").fit(table)
        for column, cuts, codes in zip(table.T, fitted.cut_points_, fitted.transform(table).T, strict=True):
            expected = assign(column, cuts).astype(float)
            expected[np.isnan(column)] = np.nan
            np.testing.assert_array_equal(codes, expected)

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            Discretizer().transform([[1.0]])

    def test_survives_pickling_and_cloning(self, table):
        fitted = Discretizer("kmeans", 3, output="label").fit(table)
        assert (pickle.loads(pickle.dumps(fitted)).transform(table) == fitted.transform(table)).all()
        assert clone(fitted).get_params() == {"strategy": "kmeans", "n_bins": 3, "output": "label"}


NUMBERS = [[1.0, np.nan], [2.0, 5.0], [np.nan, 6.0], [4.0, 7.0]]
WITH_NONE = {"a": [1, 2, None, 4], "b": [None, 5.0, 6.0, 7.0]}


class TestTables:
    @pytest.mark.parametrize(
        "X",
        [
            NUMBERS,
            np.array(NUMBERS, dtype=np.float32),
            np.array([[1, None], [2, 5], [None, 6.0], [4, np.nan]], dtype=object)[:, :1].repeat(2, axis=1),
            np.ma.masked_invalid(NUMBERS),
            pd.DataFrame(WITH_NONE),
            pd.DataFrame({name: pd.array(cells, dtype="Int64") for name, cells in WITH_NONE.items()}),
            pd.DataFrame({"a": pd.Series([1, 2, pd.NA, 4], dtype=object), "b": [None, 5.0, 6.0, 7.0]}),
            pl.DataFrame(WITH_NONE),
            pl.DataFrame({"a": [1, 2, None, 4], "b": [None, True, False, True]}),
        ],
        ids=["list", "float32", "object", "masked", "pandas", "Int64", "NA", "polars", "polars-bool"],
    )
    def test_many_kinds_of_tables(self, X):
        codes = Discretizer(n_bins=3, output="code").fit_transform(X)
        np.testing.assert_array_equal(codes[:, 0], [0.0, 1.0, np.nan, 2.0])

    def test_integers_and_booleans(self):
        X = np.array([[True], [False], [True]])
        assert Discretizer(n_bins=2, output="label").fit_transform(X).ravel().tolist() == [
            ">= 0.5",
            "< 0.5",
            ">= 0.5",
        ]
        assert Discretizer(n_bins=2).fit(X.astype(np.uint8)).cut_points_[0].tolist() == [0.5]

    @pytest.mark.parametrize("output", ["label", "code"])
    def test_pandas_out(self, output):
        frame = pd.DataFrame(WITH_NONE, index=[10, 11, 12, 13])
        plain = Discretizer(n_bins=3, output=output).fit_transform(frame)
        out = Discretizer(n_bins=3, output=output).set_output(transform="pandas").fit_transform(frame)
        assert out.columns.tolist() == ["a", "b"]
        assert out.index.tolist() == [10, 11, 12, 13]
        assert (out.isna() == frame.isna()).all(axis=None)
        assert (out.to_numpy()[out.notna()] == plain[out.notna()]).all()

    def test_polars_out_holds_text(self):
        # A missing cell comes first: from an array of objects polars would not recognise text here.
        frame = pl.DataFrame(WITH_NONE)
        out = Discretizer(n_bins=3, output="label").set_output(transform="polars").fit_transform(frame)
        assert out.schema == {"a": pl.String, "b": pl.String}
        assert out["a"].to_list() == ["< 1.5", "1.5 to 3", None, ">= 3"]
        codes = Discretizer(n_bins=3, output="code").set_output(transform="polars").fit_transform(frame)
        assert codes.schema == {"a": pl.Float64, "b": pl.Float64}

    def test_polars_out_by_the_global_setting(self):
        from sklearn import config_context

        with config_context(transform_output="polars"):
            out = Discretizer(output="label").fit_transform(NUMBERS)
        assert out.schema == {"x0": pl.String, "x1": pl.String}


class TestComposition:
    def test_pipeline_and_grid_search(self, table):
        y = (table[:, 1] > 1).astype(int)
        model = make_pipeline(Discretizer(output="code"), CategoricalNB(min_categories=9))
        search = GridSearchCV(
            model, {"discretizer__strategy": STRATEGIES, "discretizer__n_bins": [2, 4]}, cv=3
        )
        search.fit(np.nan_to_num(table), y)
        assert search.best_score_ == 1.0

    @pytest.mark.parametrize("container", ["pandas", "polars"])
    def test_beside_other_columns(self, container):
        frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "colour": list("rgbr")})
        X = frame if container == "pandas" else pl.from_pandas(frame)
        columns = ColumnTransformer(
            [("bins", Discretizer(n_bins=2, output="label"), ["age"])], remainder="passthrough"
        )
        out = columns.set_output(transform=container).fit_transform(X)
        assert list(out.columns) == ["bins__age", "remainder__colour"]
        assert out["bins__age"].to_list() == ["< 2.5", "< 2.5", ">= 2.5", ">= 2.5"]
        assert out["remainder__colour"].to_list() == list("rgbr")


COLOURS = {"size": [1.0, 2.0], "colour": ["red", "blue"]}
DAYS = {"size": [1.0, 2.0], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])}


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"strategy": "best"},
                r"strategy='best': expected one of 'frequency', 'width', 'kmeans', 'mdl'",
            ),
            ({"n_bins": 0}, r"n_bins=0: expected a whole number of at least 1"),
            ({"output": "both"}, r"output='both': expected one of 'code', 'label'"),
            (
                {"strategy": "mdl"},
                r'strategy="mdl" requires y to be passed, but the target y is None; pass the cl',
            ),
        ],
    )
    def test_options_are_checked_in_fit(self, options, message):
        estimator = Discretizer(**options)
        with pytest.raises(InvalidParameter, match=message):
            estimator.fit([[1.0], [2.0]])

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (
                pd.DataFrame(COLOURS),
                r"column 'colour', row 0: 'red' is not a number; convert the",
            ),
            (pl.DataFrame(COLOURS), r"column 'colour', row 0: 'red' is not a number; .*ColumnTransformer"),
            (np.array([["1", "2"]]), r"column 'x0', row 0: '1' is not a number"),
            (
                np.array([[1, 2], [3, {}]], dtype=object),
                r"column 'x1', row 1: a cell of type dict is not a value",
            ),
            (
                np.array([[10**400], [1]], dtype=object),
                r"column 'x0', row 0: the number 10{5,}.* is too large",
            ),
            (
                pd.DataFrame(DAYS),
                r"column 'day', row 0: '2020-01-01' is not a number; convert the column",
            ),
            (pl.DataFrame(DAYS), r"column 'day', row 0: '2020-01-01' is not a number"),
            (
                np.array([["2020-01-01"]], dtype="M8[ns]"),
                r"column 'x0', row 0: '2020-01-01' is not a n",
            ),
            (
                np.array([[1.0, 2.0], [3.0, np.inf]]),
                r"column 'x1', row 1: the value is infinite \(infinity\); replace it by a number",
            ),
            (pd.DataFrame({"size": [-np.inf, 1.0]}), r"column 'size', row 0: the value is infinite"),
        ],
    )
    def test_cells_that_are_no_numbers_are_named(self, X, message):
        with pytest.raises(DataError, match=message):
            Discretizer().fit(X)

    def test_cells_are_checked_in_transform_too(self):
        fitted = Discretizer().fit(pd.DataFrame({"size": [1.0, 2.0]}))
        with pytest.raises(DataError, match="column 'size', row 0: 'big' is not a number"):
            fitted.transform(pd.DataFrame({"size": ["big"]}))
        with pytest.raises(DataError, match="column 'size', row 1: the value is infinite"):
            fitted.transform(pd.DataFrame({"size": [1.0, np.inf]}))

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([0.0, 0.0], r"sample_weight: all weights are zero; at least one row must count"),
            ([1.0], r"sample_weight has shape \(1,\); expected one weight per row"),
            ([1.0, -2.0], r"sample_weight, row 1: -2.0; weights must be finite, not negative"),
        ],
    )
    def test_weights_are_checked(self, weights, message):
        with pytest.raises(DataError, match=message):
            Discretizer().fit([[1.0], [2.0]], sample_weight=weights)

    def test_mdl_wants_classes_not_measurements(self):
        with pytest.raises(ValueError, match="Unknown label type"):
            Discretizer("mdl").fit([[1.0], [2.0], [3.0]], [0.1, 0.25, 0.7])

    def test_other_columns_than_in_fit(self):
        fitted = Discretizer().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}))
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.transform(pd.DataFrame({"a": [1.0, 2.0], "c": [1.0, 2.0]}))
        with pytest.raises(ValueError, match="3 features"):
            Discretizer().fit([[1.0, 2.0]]).transform([[1.0, 2.0, 3.0]])

    def test_a_single_column_must_be_a_table(self):
        with pytest.raises(ValueError, match=r"Reshape your data|Expected a 2-dimensional|Expected 2D"):
            Discretizer().fit(pd.Series([1.0, 2.0]))
