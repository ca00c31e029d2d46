"""Learning curve of a classifier."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..typing import FloatArray
from ._display import Display, check_classifier, columns
from .drawing import BLUE, GREY, Axes, plain


class LearningCurveDisplay(Display):
    """Log loss in bits per row over the number of training rows, with a band.

    Parameters
    ----------
    n_rows : sequence of float
        Training rows.
    loss_bits : sequence of float
        Mean of minus the log probability of the class that occurred, in bits; lower is better.
    low, high : sequence of float, optional
        Ends of the band.
    label : str
        Label of the curve.
    prior_bits : float, optional
        Loss of the class prior, drawn as a line.

    Examples
    --------
    >>> from codelength import NaiveBayes, datasets
    >>> from codelength.plot import LearningCurveDisplay
    >>> display = LearningCurveDisplay.from_estimator(NaiveBayes(), datasets.load("lenses").table, n_sizes=2)
    >>> display.n_rows.tolist()
    [9.0, 19.0]
    """

    def __init__(
        self,
        n_rows: Sequence[float] | FloatArray,
        loss_bits: Sequence[float] | FloatArray,
        low: Sequence[float] | FloatArray | None = None,
        high: Sequence[float] | FloatArray | None = None,
        *,
        label: str = "",
        prior_bits: float | None = None,
    ) -> None:
        self.n_rows, self.loss_bits, self.low, self.high = columns(
            n_rows=n_rows, loss_bits=loss_bits, low=low, high=high
        )
        self.label = label
        self.prior_bits = prior_bits

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        n_sizes: int = 5,
        n_folds: int = 5,
        repeats: int = 5,
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Fit a classifier to fewer and fewer rows, and score it on rows it was not fitted to.

        Cross-validation with all training rows of a fold, a half of them, a quarter, and so on. The band is a
        95 % interval of the loss on rows from the same source: folds share most of their training rows, and
        their variance is corrected for that (Nadeau and Bengio 2003), as in :func:`codelength.report`.
        The number of fits is ``n_sizes`` times ``n_folds`` times ``repeats``.

        Parameters
        ----------
        estimator : classifier of codelength
            Model to fit; it is cloned and not changed.
        X, y
            The rows and their classes, as ``fit`` takes them.
        n_sizes : int
            Numbers of training rows: all, a half, a quarter, ...
        n_folds, repeats
            Folds, and repeats with new folds.
        random_state : int, generator or None
            Seed of the folds.
        ax : matplotlib Axes, optional
            Axes to draw into.
        """
        from ..evaluation import cross_validation
        from ..evaluation.fits import predictions_over
        from ..reporting.sections.learning_curve import bits_by_split, loss_over_splits
        from ..sources import as_table
        from ..table.checks import check_size, seed_of

        check_classifier(estimator)
        table = as_table(X, y).counted()
        seed = seed_of(random_state)
        check_size("n_sizes", n_sizes)
        # Halved, so that sizes are evenly spaced on a logarithmic axis.
        fractions = [0.5**halving for halving in reversed(range(n_sizes))]
        splits = [
            split
            for share in fractions
            for split in cross_validation(
                table.n_rows, n_folds, repeats=repeats, train_fraction=share, random_state=seed
            )
        ]
        scores = predictions_over(table, {"": estimator}, splits)[""].predictions.true_log_probs
        losses = np.array([bits.mean() for bits in bits_by_split(scores, splits)]).reshape(n_sizes, -1)
        bands = [loss_over_splits(figures, 1 / n_folds) for figures in losses]
        n_train = table.n_rows - -(-table.n_rows // n_folds)
        sizes = [int(fraction * n_train) for fraction in fractions]
        means, low, high = np.array([(band.value, band.low, band.high) for band in bands]).T
        return cls(sizes, means, low, high, label=type(estimator).__name__).plot(ax)

    def draw(self, axes: Axes) -> None:
        """Draw the curve with its band."""
        axes.fill_between(self.n_rows, self.low, self.high, color=BLUE, alpha=0.15, linewidth=0)
        axes.plot(self.n_rows, self.loss_bits, "o-", color=BLUE, markersize=4, label=self.label or None)
        if self.prior_bits is not None:
            axes.axhline(self.prior_bits, color=GREY, linestyle="--", linewidth=1.0, label="class prior")
        axes.set_xscale("log")
        axes.set_xticks(self.n_rows, [plain(n, 0) for n in self.n_rows])
        # Minor ticks of a logarithmic axis would label numbers of rows that were not tried.
        axes.minorticks_off()
        axes.set(xlabel="rows learned from (log scale)", ylabel="log loss, bits per row")
        if self.label or self.prior_bits is not None:
            axes.legend(fontsize=8)
