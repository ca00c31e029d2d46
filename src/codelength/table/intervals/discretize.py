"""Discretisation of numeric columns as a scikit-learn transformer.

Estimators of this library cut columns of numbers themselves, when they infer a schema. The transformer serves
other classifiers in a pipeline, and the strategy ``"mdl"``, which needs the classes and so is not part of the
inference of a schema.

Depends on ``cuts`` for the arithmetic and on ``table`` for reading the columns.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ...errors import DataError, InvalidParameter
from ...typing import FloatArray, IntArray
from .._messages import shown
from ..checks import check_choice
from ..column import Column, Numbers
from ..encode import cell_of, codes_of
from ..infer import target_variable
from ..table import Table, check_not_empty, table_of
from .cuts import Strategy, assign, check_options, cut_points, interval_labels


class NotANumberError(DataError, TypeError):
    """Raised for a cell that is not a number; also a TypeError, as scikit-learn expects."""


class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric columns into bins, each column by itself.

    Cut points are learned in ``fit`` alone. Missing cells (NaN, None, ``pd.NA``) stay missing, and new
    values outside the range seen in training fall in the first or the last bin.

    Parameters
    ----------
    strategy : {"frequency", "width", "kmeans", "mdl"}, default="frequency"
        How cut points are chosen, see :func:`codelength.table.intervals.cuts.cut_points`. ``"mdl"`` learns
        them from the classes ``y``.
    n_bins : int, default=5
        Largest number of bins per column; ``"mdl"`` finds its own.
    output : {"code", "label"}, default="code"
        ``"code"``: numbers of the bins as floats, and NaN if the cell is missing.
        ``"label"``: names of the intervals, and None if the cell is missing.

    Attributes
    ----------
    cut_points_ : list of arrays
        Cut points of each column; a value equal to a cut belongs to the bin above it.
    labels_ : list of tuples of str
        Names of the bins of each column.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, if the table has names.

    Notes
    -----
    Cut points of ``"mdl"`` know the classes of the rows that they were learned from. Scores of the same rows
    are optimistic, leave-one-out by :meth:`codelength.NaiveBayes.leave_one_out` too, because it leaves the
    cut points as they are. Cross-validation of a pipeline of both is honest: it learns them in every fold.

    Examples
    --------
    >>> ages = [[18.0], [25.0], [40.0], [67.0], [float("nan")]]
    >>> Discretizer(n_bins=2).fit_transform(ages).ravel()
    array([ 0.,  0.,  1.,  1., nan])
    >>> Discretizer(n_bins=2, output="label").fit_transform(ages).ravel().tolist()
    ['< 32.5', '< 32.5', '>= 32.5', '>= 32.5', None]
    """

    def __init__(
        self,
        strategy: Strategy = "frequency",
        n_bins: int = 5,
        *,
        output: Literal["code", "label"] = "code",
    ) -> None:
        self.strategy = strategy
        self.n_bins = n_bins
        self.output = output

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the cut points of every column.

        Parameters
        ----------
        X : data frame or array of numbers, (n_rows, n_columns)
            The table.
        y : array of class labels, optional
            Needed by ``strategy="mdl"``, ignored by the others.
        sample_weight : array of float, optional
            How many rows each row stands for.

        Returns
        -------
        Discretizer
            The fitted transformer.
        """
        check_options(self.strategy, self.n_bins)
        check_choice("output", self.output, ("code", "label"))
        if self.strategy == "mdl" and y is None:
            raise InvalidParameter(
                'strategy="mdl" requires y to be passed, but the target y is None; '
                "pass the classes as y or choose another strategy"
            )
        table = self._table(X, y if self.strategy == "mdl" else None, sample_weight, reset=True)
        target = table.target
        codes = None if target is None else codes_of(target_variable(target), target)
        self.cut_points_ = [
            cut_points(
                _numbers(column), self.strategy, self.n_bins, sample_weight=table.weights, class_codes=codes
            )
            for column in table.columns
        ]
        self.labels_ = [interval_labels(cuts) for cuts in self.cut_points_]
        return self

    def transform(self, X: Any) -> Any:
        """Return the bins of the cells of ``X``.

        Parameters
        ----------
        X : data frame or array of numbers, (n_rows, n_columns)
            The table.

        Returns
        -------
        array or data frame of shape (n_rows, n_columns)
            Bins or their names, see ``output``; a data frame after ``set_output``.
        """
        check_is_fitted(self)
        columns = self._table(X, reset=False).columns
        bins = [
            assign(_numbers(column), cuts) for column, cuts in zip(columns, self.cut_points_, strict=True)
        ]
        if self.output == "code":
            return np.stack(
                [
                    np.where(cells > len(cuts), np.nan, cells)
                    for cells, cuts in zip(bins, self.cut_points_, strict=True)
                ],
                axis=1,
            )
        if _container(self) == "polars":
            return _polars_labels(self.get_feature_names_out(), self.labels_, bins)
        names = [np.array([*labels, None], dtype=object) for labels in self.labels_]
        return np.stack([labels[cells] for labels, cells in zip(names, bins, strict=True)], axis=1)

    def _table(self, X: Any, y: Any = None, sample_weight: Any = None, *, reset: bool) -> Table:
        try:
            table = table_of(X)
        except DataError as error:
            raise NotANumberError(str(error)) from None
        check_not_empty(table)
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except Exception as error:  # what foreign objects raise is up to them
            raise DataError(str(error)) from None
        return table_of(table, y, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.strategy == "mdl"
        tags.transformer_tags.preserves_dtype = []
        return tags


def _numbers(column: Column) -> FloatArray:
    """Return the cells of a column of numbers or truth values; raise if there are others."""
    if isinstance(column, Numbers):
        return column.numbers.astype(np.float64)
    others = [place for place, value in enumerate(column.values) if isinstance(value, str)]
    rows = np.flatnonzero(np.isin(column.positions, others))
    if len(rows):
        raise NotANumberError(
            f"column {column.name!r}, row {rows[0]}: {shown(cell_of(column, rows[0]))} is not a number; "
            "convert the column to numbers, or choose the numeric columns with a ColumnTransformer"
        )
    return column.numbers


def _container(transformer: Discretizer) -> str:
    """Return the kind of table that ``set_output`` or the global configuration requests."""
    chosen = getattr(transformer, "_sklearn_output_config", {}).get("transform")
    return str(chosen or get_config()["transform_output"])


def _polars_labels(names: NDArray[Any], labels: list[tuple[str, ...]], bins: list[IntArray]) -> Any:
    """Return a frame of text columns; Polars would make objects of an array of objects."""
    import polars as pl

    texts = [pl.Series([*values, None], dtype=pl.String) for values in labels]
    return pl.DataFrame(
        [text.gather(cells).alias(name) for name, text, cells in zip(names, texts, bins, strict=True)]
    )
