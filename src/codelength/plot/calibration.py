"""Reliability diagram."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import InvalidParameter
from ..typing import FloatArray
from ._display import Display, check_classifier, columns
from .drawing import BLUE, GREY, Axes, short

if TYPE_CHECKING:
    from ..scores import Predictions
    from ..typing import Scalar


class CalibrationDisplay(Display):
    """Reliability diagram: observed frequency of a class against its predicted probability.

    Points on the diagonal are perfectly calibrated. With two classes the second one is shown, with more the
    most probable class of each row.

    Parameters
    ----------
    promised : sequence of float
        Mean predicted probability of each bin.
    observed : sequence of float
        Share of the rows of the bin in which the class occurred.
    low, high : sequence of float, optional
        Ends of an interval of that share.
    n_rows : sequence of float, optional
        Rows of each bin, or their weight; shown by the size of the points.
    of : str
        Name of the class predicted.

    Examples
    --------
    >>> from codelength import NaiveBayes, datasets
    >>> from codelength.plot import CalibrationDisplay
    >>> lenses = datasets.load("lenses").table
    >>> display = CalibrationDisplay.from_estimator(NaiveBayes().fit(lenses), lenses, leave_one_out=True)
    >>> float(display.n_rows.sum())
    24.0
    """

    size = (4.4, 4.2)

    def __init__(
        self,
        promised: Sequence[float] | FloatArray,
        observed: Sequence[float] | FloatArray,
        low: Sequence[float] | FloatArray | None = None,
        high: Sequence[float] | FloatArray | None = None,
        n_rows: Sequence[float] | FloatArray | None = None,
        *,
        of: str = "the most probable class",
    ) -> None:
        self.promised, self.observed, self.low, self.high, self.n_rows = columns(
            promised=promised, observed=observed, low=low, high=high, n_rows=n_rows
        )
        self.of = of

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        leave_one_out: bool = False,
        sample_weight: Any = None,
        of: "Scalar | None" = None,
        n_bins: int = 10,
        ax: Any = None,
    ) -> Self:
        """Draw the reliability diagram of a fitted classifier.

        Parameters
        ----------
        estimator : classifier of codelength
            A fitted model.
        X, y, sample_weight
            Rows with their classes and weights.
        leave_one_out : bool
            Whether these are the rows that the model was fitted to, each to be predicted without itself.
            Otherwise they should be rows that the model was not fitted to, or the plot is too optimistic.
            ``ModelAverage`` and its members store these predictions and need no rows.
        of : class, optional
            The class to show; by default the second of two, and the most probable one of more.
        n_bins : int
            Most bins of about equal weight, by predicted probability; probabilities within 0.01 share a bin.
        ax : matplotlib Axes, optional
            Axes to draw into.
        """
        from ..scores import predictions_of
        from ..sources import as_table
        from ..table.checks import check_flag
        from ..table.target import target_column

        check_classifier(
            estimator, "leave_one_out" if check_flag("leave_one_out", leave_one_out) else "classes"
        )
        classes = estimator.schema_.classes
        if leave_one_out:
            made = estimator.leave_one_out(X, y, sample_weight)
        else:
            table = as_table(X, y, sample_weight)
            made = predictions_of(
                estimator.predict_proba(table), target_column(table.target), classes, table.weights
            )
        return cls._of(made, classes, of, n_bins).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        probabilities: Any,
        y: Any,
        *,
        classes: Sequence[Any] | None = None,
        sample_weight: Any = None,
        of: "Scalar | None" = None,
        n_bins: int = 10,
        ax: Any = None,
    ) -> Self:
        """Draw the reliability diagram of any classifier, from its predictions.

        Parameters
        ----------
        probabilities : array of shape (n_rows, n_classes)
            Predicted probabilities.
        y : series or array of shape (n_rows,)
            The classes that occurred.
        classes : sequence, optional
            The class of each column; by default the distinct classes of ``y`` in order.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows.
        of, n_bins, ax
            As in :meth:`from_estimator`.
        """
        from ..scores import predictions_of
        from ..table import Table, infer_schema
        from ..table.target import target_column

        made = predictions_of(probabilities, y, classes, sample_weight)
        if classes is None:
            classes = infer_schema(Table((), made.n_rows, target=target_column(y))).classes
        return cls._of(made, tuple(classes), of, n_bins).plot(ax)

    @classmethod
    def _of(cls, made: "Predictions", classes: "Sequence[Scalar]", of: "Scalar | None", n_bins: int) -> Self:
        """Return the display of some predictions."""
        from ..naive_bayes.explanation import check_class
        from ..reporting.sections.reliability import reliability
        from ..table.checks import check_size

        check_size("n_bins", n_bins)
        if of is not None:
            check_class("of", of, tuple(classes))
        if (made.weights is not None and not made.weights.any()) or not made.n_rows:
            raise InvalidParameter("there are no predictions to draw; give at least one row")
        found = reliability(made, tuple(classes), of, n_bins)
        return cls(found.promised, found.observed, found.low, found.high, found.n_rows, of=found.of)

    def draw(self, axes: Axes) -> None:
        """Draw one point per bin, with its interval, and the diagonal."""
        # Without numbers of rows all points have the same size.
        known = np.nan_to_num(self.n_rows, nan=1.0)
        areas = 16 + 50 * known / known.max(initial=1.0)
        axes.plot([0, 1], [0, 1], "--", color=GREY, linewidth=1.0, label="perfect calibration")
        axes.vlines(self.promised, self.low, self.high, color=BLUE, linewidth=1.4, alpha=0.6)
        axes.scatter(
            self.promised, self.observed, s=areas, color=BLUE, zorder=3, label="rows, with 95 % interval"
        )
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        axes.set_xlabel(f"probability given to {short(self.of, 30)}", parse_math=False)
        axes.set_ylabel("share of rows in which it occurred")
        axes.legend(fontsize=8, loc="upper left")
