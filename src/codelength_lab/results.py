"""One long table of results: scores of units under named keys."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from codelength.scores.means import Mean, mean_of
from codelength.typing import FloatArray

from .claims import Leads


class Results:
    """Scores of units under named keys, such as table, model and score.

    A unit is whatever was repeated: a row, a whole cross-validation or a random split. Units of equal keys
    are joined in the order of the records, so that the units of two models on the same rows are pairs.

    Parameters
    ----------
    names : sequence of str
        Names of the keys; leads are between two values of the key ``model``.
    records : iterable of (tuple, sequence of float)
        Values of the keys, and scores of some units.

    Examples
    --------
    >>> records = [(("iris", "MAP"), [0.1, 0.2]), (("iris", "EV"), [0.3, 0.4]), (("iris", "EV"), [0.8])]
    >>> results = Results(["table", "model"], records)
    >>> results.mean(table="iris", model="EV").value
    0.5
    >>> results.at(table="iris").levels("model")
    ['MAP', 'EV']
    """

    def __init__(
        self, names: Sequence[str], records: Iterable[tuple[tuple[Any, ...], Sequence[float]]]
    ) -> None:
        self.names = tuple(names)
        parts: dict[tuple[Any, ...], list[Any]] = {}
        for key, units in records:
            parts.setdefault(key, []).append(units)
        self._units = {key: np.concatenate(own, dtype=np.float64) for key, own in parts.items()}

    def at(self, **fixed: Any) -> "Results":
        """Return the part under some values of keys, without these keys."""
        rest = [place for place, name in enumerate(self.names) if name not in fixed]
        wanted = [(self.names.index(name), value) for name, value in fixed.items()]
        return Results(
            [self.names[place] for place in rest],
            (
                (tuple(key[place] for place in rest), units)  # type: ignore[misc]
                for key, units in self._units.items()
                if all(key[place] == value for place, value in wanted)
            ),
        )

    @property
    def keys(self) -> list[tuple[Any, ...]]:
        """All combinations of values of keys, in the order of the records."""
        return list(self._units)

    def levels(self, name: str) -> list[Any]:
        """Return the values of a key, in the order of the records."""
        place = self.names.index(name)
        return list(dict.fromkeys(key[place] for key in self._units))

    def units(self, **keys: Any) -> FloatArray:
        """Return the scores of all units under values of all keys."""
        return self._units[tuple(keys[name] for name in self.names)]

    def mean(self, **keys: Any) -> Mean:
        """Return a mean score, with its standard error over units."""
        return mean_of(self.units(**keys))

    def row(self, scores: Iterable[str], **keys: Any) -> dict[str, float]:
        """Return mean scores under values of all other keys, each followed by its standard error."""
        found = {}
        for score in scores:
            found[score], found[f"{score}_se"] = self.mean(score=score, **keys)
        return found

    def means(self, **keys: Sequence[Any]) -> FloatArray:
        """Return mean scores as an array with an axis for each key, in the order of the arguments."""
        values = [self.mean(**dict(zip(keys, one, strict=True))).value for one in product(*keys.values())]
        return np.array(values).reshape([len(values) for values in keys.values()])

    def gains(self, model: Any, other: Any, **keys: Any) -> FloatArray:
        """Return the score of one model less that of another, unit by unit."""
        # The difference of two infinite scores is NaN, without a warning.
        with np.errstate(invalid="ignore"):
            return self.units(model=model, **keys) - self.units(model=other, **keys)

    def lead(self, model: Any, other: Any, **keys: Any) -> Mean:
        """Return the mean gain of one model over another, with its standard error over units."""
        return mean_of(self.gains(model, other, **keys))

    def leads(
        self, model: Any, other: Any, over: str, values: Iterable[Any] | None = None, **keys: Any
    ) -> Leads[Any]:
        """Return the leads under each value of a key, or under some."""
        chosen = self.levels(over) if values is None else values
        return Leads({value: self.lead(model, other, **{over: value}, **keys) for value in chosen})
