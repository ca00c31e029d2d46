"""What was promised, and what came true."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import InvalidParameter
from ..typing import FloatArray
from ._check import check_classifier, columns
from ._display import Display

if TYPE_CHECKING:
    from ..scores import Predictions
    from ..typing import Scalar
    from .style import Axes, Panel


class CalibrationDisplay(Display):
    """A reliability diagram: the share of rows in which a class occurred over the probability it was given.

    On the diagonal, promises are kept. Where there are two classes, the second one is shown; where there
    are more, the most probable class of each row is.

    Parameters
    ----------
    promised : sequence of float
        Mean probability given, one per part of the rows.
    observed : sequence of float
        Share of the rows of the part in which it came true.
    low, high : sequence of float, optional
        Ends of an interval of that share.
    n_rows : sequence of float, optional
        Rows of each part, or their weight; shown by the size of the points.
    of : str
        What was promised.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

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
        """Draw how well the probabilities of a fitted classifier can be trusted.

        Parameters
        ----------
        estimator : classifier of codelength
            A fitted model.
        X, y, sample_weight
            Rows with their classes and weights.
        leave_one_out : bool
            Whether these are the rows that the model was fitted on, each to be predicted without itself.
            Otherwise they must be rows that it has not seen, or the picture flatters it. ``ModelAverage`` and
            its members need no rows then: they keep these predictions.
        of : class, optional
            The class to look at; by default the second of two, and the most probable one of more.
        n_bins : int
            Parts of about equal weight that the rows are cut into at most, by the probability given; those
            within a hundredth stay together.
        ax : matplotlib Axes, optional
            Where to draw.
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
        """Draw how well the probabilities of any classifier can be trusted.

        Parameters
        ----------
        probabilities : array of shape (n_rows, n_classes)
            What the classes were given.
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
        from ..naive_bayes.explanation import check_class
        from ..reporting.estimates import wilson
        from ..scores.calibration import calibration
        from ..table.checks import check_size

        check_size("n_bins", n_bins)
        if of is None and len(classes) == 2:
            of = classes[1]
        if of is None:
            promised, came_true, words = (
                np.exp(made.log_probs.max(axis=1)),
                made.hits,
                "the most probable class",
            )
        else:
            check_class("of", of, tuple(classes))
            k = list(classes).index(of)
            promised, came_true = np.exp(made.log_probs[:, k]), (made.class_codes == k).astype(np.float64)
            words = str(of)
        weights = np.ones(made.n_rows) if made.weights is None else made.weights
        if not weights.any():
            raise InvalidParameter("there are no predictions to draw; give at least one row")
        found = calibration(promised, came_true, weights, n_bins)
        low, high = wilson(found.observed * found.weights, found.weights)
        return cls(found.promised, found.observed, low, high, found.weights, of=words)

    def panels(self) -> "tuple[list[Panel], tuple[float, float]]":
        """What draws the picture, and its size in inches."""
        from .style import BLUE, GREY

        known = np.nan_to_num(self.n_rows, nan=1.0)
        areas = 16 + 50 * known / known.max(initial=1.0)

        def panel(axes: "Axes") -> None:
            axes.plot([0, 1], [0, 1], "--", color=GREY, linewidth=1.0, label="promises kept")
            axes.vlines(self.promised, self.low, self.high, color=BLUE, linewidth=1.4, alpha=0.6)
            axes.scatter(
                self.promised, self.observed, s=areas, color=BLUE, zorder=3, label="rows, with 95 % interval"
            )
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            of = self.of if len(self.of) <= 30 else f"{self.of[:29]}…"
            axes.set_xlabel(f"probability given to {of}", parse_math=False)
            axes.set_ylabel("share of rows in which it occurred")
            axes.legend(fontsize=8, loc="upper left")

        return [panel], self.size
