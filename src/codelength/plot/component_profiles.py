"""Profiles of the components of a mixture."""

from typing import TYPE_CHECKING, Any, Self

from ..typing import FloatArray, Scalar
from ._display import Display
from .drawing import Axes, heat_map, short

if TYPE_CHECKING:
    from ..estimators import FiniteMixture

MAX_ROWS = 40
"""Most rows of the plot; variables with less information about the component are left out."""

LONGEST = 34
"""Most characters of a name."""

Block = tuple[str, list[tuple[str, FloatArray]]]
"""A variable and the rows that show it."""


class ComponentProfilesDisplay(Display):
    """Heat map of the probability of each value in each component, in per cent.

    Variables with most information about the component are first. A variable with two values has one row.

    Parameters
    ----------
    estimator : FiniteMixture
        A fitted model.
    title : str
        Title of the plot.

    Examples
    --------
    >>> from codelength import FiniteMixture
    >>> from codelength.plot import ComponentProfilesDisplay
    >>> table = {name: ["yes", "no"] * 9 for name in ("eggs", "wings", "beak")}
    >>> model = FiniteMixture(2, random_state=0).fit(table)
    >>> display = ComponentProfilesDisplay.from_estimator(model)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['eggs = yes', 'wings = yes', 'beak = yes']
    """

    def __init__(self, estimator: "FiniteMixture", *, title: str = "") -> None:
        from ..estimators import FiniteMixture
        from ..table.checks import check_instance

        check_instance("estimator", estimator, FiniteMixture, "a fitted FiniteMixture")
        self.estimator, self.title, self._blocks = estimator, title, _blocks(estimator)
        n_rows = sum(len(rows) for _, rows in self._blocks)
        self.size = 3.4 + 0.62 * estimator.n_components_, 1.5 + 0.21 * n_rows

    @classmethod
    def from_estimator(cls, estimator: "FiniteMixture", *, title: str = "", ax: Any = None) -> Self:
        """Draw the profiles of a fitted mixture into given axes, or into a new figure."""
        return cls(estimator, title=title).plot(ax)

    def draw(self, axes: Axes) -> None:
        """Draw one row per value and one column per component."""
        probs = [row for _, rows in self._blocks for _, row in rows]
        heat_map(axes, probs, 1, "probability of the value", lambda p: f"{100 * p:.0f}", aspect="auto")
        names = [
            short(f"{name.replace('_', ' ')} = {label}", LONGEST)
            for name, rows in self._blocks
            for label, _ in rows
        ]
        axes.set_yticks(range(len(names)), names, fontsize=8, parse_math=False)
        shares = self.estimator.parameters_.class_probs
        columns = [f"{k + 1}\n{100 * share:.0f} %" for k, share in enumerate(shares)]
        axes.set_xticks(range(len(shares)), columns, fontsize=8)
        axes.xaxis.set_ticks_position("top")
        axes.spines[:].set_visible(False)
        edge = -0.5
        for _, rows in self._blocks[:-1]:
            edge += len(rows)
            axes.axhline(edge, color="white", linewidth=1.6)
        n_left = self.estimator.schema_.n_variables - len(self._blocks)
        left = f"; {n_left} of the variables left out" if n_left else ""
        axes.set_xlabel(f"component and its share of the rows{left}", fontsize=8)
        axes.set_title(self.title, fontsize=10, parse_math=False)


def _blocks(model: "FiniteMixture") -> list[Block]:
    """Return the variables to show with their rows, by information, within ``MAX_ROWS``."""
    from ..reporting.sections.hidden_classes import by_information

    chosen: list[Block] = []
    n_rows = 0
    for name, values, _ in by_information(model):
        rows = _rows(values)
        # A weaker variable with fewer values may still fit, so that the search goes on.
        if chosen and n_rows + len(rows) > MAX_ROWS:
            continue
        chosen.append((name, rows))
        n_rows += len(rows)
    return chosen


def _rows(values: dict[Scalar | None, FloatArray]) -> list[tuple[str, FloatArray]]:
    """Return the values to show, without those that are rare in every component."""
    shown = [("missing" if value is None else str(value), probs) for value, probs in values.items()]
    if len(shown) == 2:
        return [next((row for row in shown if row[0].lower() in _POSITIVE), shown[-1])]
    return [row for row in shown if row[1].max() >= 0.05]


_POSITIVE = ("yes", "true", "1", "y")
