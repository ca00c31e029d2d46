"""Explanation of the prediction of one row."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._display import counted
from ..decisions import ranked
from ..errors import InvalidParameter
from ._display import Display, check_classifier
from .drawing import BLUE, GREY, ORANGE, Axes, name_rows, short

if TYPE_CHECKING:
    from ..naive_bayes import Explanation
    from ..table import Table
    from ..typing import Scalar

LONGEST = 34
"""Most characters of a label."""


class ExplanationDisplay(Display):
    """Contributions of each variable of one row to the log-odds of a class.

    Bars are contributions to the log-odds of the class against the reference class, in bits: 1 bit doubles
    the odds. The first bar is the intercept. Variables without a contribution are left out.

    Parameters
    ----------
    explanation : Explanation
        Result of ``model.explain(X)``.
    row : int
        Number of the row, from 0.
    of : class, optional
        The class to explain; by default the most probable one other than the reference.
    labels : sequence of str, optional
        Labels of the variables; by default their names.
    n_variables : int
        Most variables, the strongest first; the others share one bar.

    Attributes
    ----------
    names : list of str
        Labels of the bars, from the top.
    bits : array
        Their contributions in bits; infinite if a value is impossible in one of the classes.
    total_bits : float
        The log-odds in bits.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> from codelength.plot import ExplanationDisplay
    >>> table = {"outlook": ["sun", "sun", "rain", "rain"], "wind": ["no", "yes", "no", "yes"]}
    >>> model = NaiveBayes().fit(table, ["out", "out", "in", "in"])
    >>> display = ExplanationDisplay.from_estimator(model, {"outlook": ["sun"], "wind": [None]})
    >>> display.names
    ['before any variable', 'outlook = sun']
    >>> display.bits.round(3).tolist()
    [0.0, 1.585]
    """

    def __init__(
        self,
        explanation: "Explanation",
        row: int = 0,
        of: "Scalar | None" = None,
        *,
        labels: Any = None,
        n_variables: int = 15,
    ) -> None:
        from ..naive_bayes import Explanation
        from ..naive_bayes.explanation import check_class
        from ..table.checks import check_instance, check_names, check_size

        check_instance("explanation", explanation, Explanation, "what model.explain(X) gives")
        check_size("n_variables", n_variables)
        if of is None:
            of = _most_probable(explanation, row)
        check_class("of", of, explanation.classes)
        if of == explanation.reference:
            raise InvalidParameter(
                f"of={of!r}: this is the class that the others are set against; name another one, or pass "
                "against= to explain"
            )
        ranked = explanation.ranked(row, of)
        known = explanation.feature_names
        given = known if labels is None else check_names("labels", labels)
        if len(given) != len(known):
            raise InvalidParameter(f"labels: {len(given)} for {len(known)} variables; give one for each")
        called = dict(zip(known, given, strict=True))
        # Zero contributions are those of missing values and of variables that the model does not use.
        speaking = [(called[name], value) for name, value in ranked if value != 0.0]
        # The bars must add up to the log-odds, so that weaker variables are drawn together and not left out.
        rest = speaking[n_variables:]
        parts = [
            ("before any variable", float(explanation.intercept[explanation.classes.index(of)])),
            *speaking[:n_variables],
        ]
        if rest:
            parts.append((f"{counted(len(rest), 'further variable')}", sum(value for _, value in rest)))
        self.of, self.against = of, explanation.reference
        self.names = [name for name, _ in parts]
        self.bits = np.array([value for _, value in parts]) / np.log(2)
        self.size = 5.2, 1.3 + 0.25 * len(self.names)
        self.total_bits = float(explanation.log_odds[row, explanation.classes.index(of)] / np.log(2))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        row: int = 0,
        *,
        of: "Scalar | None" = None,
        against: "Scalar | None" = None,
        n_variables: int = 15,
        ax: Any = None,
    ) -> Self:
        """Explain a prediction of a fitted classifier.

        Parameters
        ----------
        estimator : classifier of codelength
            A fitted model that can explain itself.
        X : table of any kind
            Rows; one of them is explained.
        row : int
            Number of that row, from 0.
        of, against : class, optional
            The class to explain and the reference class; by default the two most probable ones.
        n_variables
            As for the class.
        ax : matplotlib Axes, optional
            Axes to draw into.
        """
        from ..sources import as_table, known_rows
        from ..table.checks import check_whole

        check_classifier(estimator, "explain")
        table = as_table(known_rows(estimator.schema_, X))
        one = table.take(np.array([check_whole("row", row, 0, max(table.n_rows - 1, 0))]))
        classes = list(estimator.schema_.classes)
        order = [classes[k] for k in ranked(estimator.predict_proba(one)[0])]
        # The reference is the most probable class other than the one explained, the most interesting
        # alternative.
        if against is None:
            against = next((label for label in order if label != (order[0] if of is None else of)), None)
        if of is None:
            of = next((label for label in order if label != against), None)
        explanation = estimator.explain(one, against=against)
        labels = [_called(one, name) for name in explanation.feature_names]
        return cls(explanation, 0, of, labels=labels, n_variables=n_variables).plot(ax)

    def draw(self, axes: Axes) -> None:
        """Draw one bar per contribution, with its number."""
        finite = np.abs(self.bits[np.isfinite(self.bits)])
        # An infinite contribution gets a bar that is longer than all others, and an infinity sign.
        far = 1.3 * max(1.0, float(finite.max(initial=0.0)))
        lengths, places = np.clip(self.bits, -far, far), np.arange(len(self.bits))
        colours = [GREY] + [BLUE if bits > 0 else ORANGE for bits in self.bits[1:]]
        axes.barh(places, lengths, color=colours, height=0.7)
        for place, length, bits in zip(places, lengths, self.bits, strict=True):
            text = f"{bits:+.2f}" if np.isfinite(bits) else "+∞" if bits > 0 else "−∞"
            shift, side = (3, "left") if length >= 0 else (-3, "right")
            looks = {"textcoords": "offset points", "ha": side, "va": "center", "fontsize": 7}
            axes.annotate(text, (length, place), (shift, 0), **looks)
        axes.set_axisbelow(True)
        axes.margins(x=0.18)
        name_rows(axes, self.names, LONGEST)
        axes.grid(visible=False, axis="y")
        of, against = short(str(self.of), LONGEST), short(str(self.against), LONGEST)
        axes.set_xlabel(f"bits for {of} (+) or {against} (−)", parse_math=False)
        axes.set_title(f"{of}: log-odds {self.total_bits:+.2f} bits", fontsize=10, parse_math=False)


def _most_probable(explanation: "Explanation", row: int) -> "Scalar":
    """Return the class with the highest log-odds that is not the reference."""
    explanation.ranked(row, explanation.classes[0])  # refuses a row that is not there
    order = ranked(explanation.log_odds[row], scale=1.0)
    found = [explanation.classes[k] for k in order if explanation.classes[k] != explanation.reference]
    if not found:
        raise InvalidParameter("explanation: there is only one class, so that there is nothing to explain")
    return found[0]  # type: ignore[no-any-return]


def _called(table: "Table", name: str) -> str:
    """Return a variable and its value in the only row of a table."""
    if name not in table.names:
        return f"{name} (missing)"
    column = table.column(name)
    return f"{name} (missing)" if column.missing[0] else f"{name} = {column.cells[0]}"
