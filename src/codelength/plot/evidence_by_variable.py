"""Information of each variable about the class, in bits."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..decisions import ranked
from ..errors import InvalidParameter
from ..table.coded import changed
from ..typing import FloatArray
from ._display import Display, check_classifier, columns
from .drawing import BLUE, ORANGE, Axes, name_rows

if TYPE_CHECKING:
    from ..estimators import TableClassifier
    from ..naive_bayes import Distributions
    from ..table import Coded

LONGEST = 30
"""Most characters of a name."""


class EvidenceByVariableDisplay(Display):
    """Bits that each variable gains about the class, alone and given the others, with standard errors.

    Parameters
    ----------
    names : sequence of str
        The variables.
    alone : sequence of float
        Mean gain over the class prior in the log probability of the class that occurred, with this variable
        alone, in bits per row.
    given_others : sequence of float
        Mean gain over a prediction from all other variables: the loss without this one.
    alone_errors, given_others_errors : sequence of float, optional
        Standard errors.
    n_variables : int
        Most variables to draw: those with the largest gain alone.

    Examples
    --------
    >>> from codelength import NaiveBayes, datasets
    >>> from codelength.plot import EvidenceByVariableDisplay
    >>> lenses = datasets.load("lenses").table
    >>> display = EvidenceByVariableDisplay.from_estimator(NaiveBayes().fit(lenses), lenses)
    >>> display.names[0]
    'tear_rate'
    """

    def __init__(
        self,
        names: Sequence[str],
        alone: Sequence[float] | FloatArray,
        given_others: Sequence[float] | FloatArray,
        alone_errors: Sequence[float] | FloatArray | None = None,
        given_others_errors: Sequence[float] | FloatArray | None = None,
        *,
        n_variables: int = 20,
    ) -> None:
        from ..table.checks import check_names, check_size

        check_size("n_variables", n_variables)
        given = check_names("names", names)
        numbers = columns(
            alone=alone,
            given_others=given_others,
            alone_errors=alone_errors,
            given_others_errors=given_others_errors,
        )
        if len(given) != len(numbers[0]):
            raise InvalidParameter(f"names: {len(given)} for {len(numbers[0])} variables; give one for each")
        # Variables without a number rank last.
        order = ranked(np.where(np.isnan(numbers[0]), -np.inf, numbers[0]), scale=1.0)
        self.names = [given[i] for i in order]
        self.alone, self.given_others, self.alone_errors, self.given_others_errors = (
            column[order] for column in numbers
        )
        self.n_variables = n_variables
        self.size = 5.2, 1.3 + 0.3 * min(n_variables, len(given))

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, n_variables: int = 20, ax: Any = None
    ) -> Self:
        """Hide variables from a fitted classifier, and measure the loss of information.

        Parameters
        ----------
        estimator : classifier of codelength
            A fitted model.
        X, y
            Rows with their classes. Rows that the model was fitted to make it look better than it is,
            variables with many values most of all; pass rows that it was not fitted to if possible.
        n_variables
            As for the class.
        ax : matplotlib Axes, optional
            Axes to draw into.
        """
        from ..scores.means import mean_of
        from ..sources import as_table
        from ..table.target import target_column

        check_classifier(estimator)
        table = as_table(X, y)
        target_column(table.target)
        if not table.n_rows:
            raise InvalidParameter("X: there are no rows to look at; give at least one")
        alone, beside = _gains(estimator, estimator._coded(table))
        (bits, errors), (lost, lost_errors) = (
            np.array([mean_of(column, table.weights) for column in gains.T]).reshape(-1, 2).T
            for gains in (alone, beside)
        )
        names = estimator.schema_.names
        return cls(names, bits, lost, errors, lost_errors, n_variables=n_variables).plot(ax)

    def draw(self, axes: Axes) -> None:
        """Draw two points per variable, with two standard errors to both sides."""
        shown = slice(self.n_variables)
        places = np.arange(len(self.names[shown]))
        series = (
            ("alone", self.alone, self.alone_errors, BLUE, "o", -0.14),
            ("beside all others", self.given_others, self.given_others_errors, ORANGE, "s", 0.14),
        )
        for label, bits, errors, colour, mark, shift in series:
            axes.errorbar(
                bits[shown], places + shift, xerr=np.nan_to_num(2 * errors[shown]), fmt=mark, color=colour,
                markersize=4.5, linewidth=1.4, label=label,
            )  # fmt: skip
        name_rows(axes, self.names[shown], LONGEST)
        n_left = len(self.names) - len(places)
        left = f"; {n_left} variables left out" if n_left else ""
        axes.set_xlabel(f"bits per row about the class, ± 2 s.e.{left}")
        axes.legend(fontsize=8, loc="lower right")


def _gains(estimator: "TableClassifier", coded: "Coded") -> tuple[FloatArray, FloatArray]:
    """Return the gains of each variable in bits, row by row: alone, and given the others."""
    labels = np.asarray(coded.class_codes, dtype=np.int64)
    rows = np.arange(coded.n_rows)
    missing = np.array([variable.n_values for variable in coded.schema.variables])

    def true_log_probs(codes: Any) -> FloatArray:
        made: Distributions = estimator._fitted.log_probs(changed(coded, codes=codes))
        return made.log_probs[rows, labels]

    # The code after the last value stands for missing, which every model of the library integrates out.
    nothing = coded.codes.copy(order="F")
    nothing[:] = missing
    of_nothing, of_all = true_log_probs(nothing), true_log_probs(coded.codes)
    alone, beside = (np.empty((coded.n_rows, len(missing))) for _ in range(2))
    for i, code in enumerate(missing):
        only, without = nothing.copy(order="F"), coded.codes.copy(order="F")
        only[:, i], without[:, i] = coded.codes[:, i], code
        alone[:, i] = true_log_probs(only) - of_nothing
        beside[:, i] = of_all - true_log_probs(without)
    return alone / np.log(2), beside / np.log(2)
