"""Gains on the tables at hand, and studies of the paper's size drawn from our results."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from codelength.scores.means import Mean
from codelength.typing import FloatArray

from ...claims import Leads
from ...results import Results
from ...spec import Result, Spec
from ..prequential_selection import PRINTED_SPLITS
from ..prequential_selection.gains import gains_of
from ..prequential_selection.task import MARGINAL
from .task import PRINTED, OrderingsTask

N_STUDIES = 10_000
"""Studies that are drawn."""

PEAK = 30
"""Number of orderings after which the paper sees a fall."""


class Studies:
    """All results of one specification.

    Attributes
    ----------
    scores : Results
        Test log scores of the choices by table and criterion (``model``), split by split.
    sizes, printed_sizes : list of int
        Numbers of independent orderings, and those of them that the paper has.
    """

    def __init__(self, spec: Spec[OrderingsTask], results: Mapping[str, Result]) -> None:
        self.spec, self._results = spec, results
        self.scores = Results(
            ("table", "model"),
            (
                ((task.source.name, criterion), scores[:1])
                for task in spec.tasks
                for criterion, scores in results[task.key]["scores"].items()
            ),
        )
        self.tables: list[str] = self.scores.levels("table")
        self.sizes = list(spec.tasks[0].sizes)
        self.printed_sizes = [n for n in self.sizes if n <= PRINTED[-1]]

    @cached_property
    def gains(self) -> Results:
        """Relative gains over the marginal likelihood; units are the tables."""
        return gains_of(self.spec, {key: result["scores"] for key, result in self._results.items()})

    def lead(self, criterion: str, other: str) -> Mean:
        """Return the gain of one criterion less that of another on these tables, in points of log gain.

        The standard error is over splits within tables, the orderings of each split included. It is the
        uncertainty on the tables at hand, not on others.
        """
        values, variances = [], []
        for table in self.tables:
            base = -float(self.scores.units(table=table, model=MARGINAL).mean())
            differences = 100 * self.scores.gains(criterion, other, table=table) / base
            values.append(differences.mean())
            # Splits of one table are the repetitions here; tables are fixed.
            variances.append(differences.var(ddof=1) / len(differences) if len(differences) > 1 else np.nan)
        return Mean(float(np.mean(values)), float(np.sqrt(np.sum(variances)) / len(values)))

    def leads(self, pairs: Iterable[tuple[str, str]]) -> Leads[tuple[str, str]]:
        """Return the leads of pairs of criteria on these tables."""
        return Leads({pair: self.lead(*pair) for pair in pairs})

    @property
    def race(self) -> float:
        """Mean number of orderings of a candidate in a race."""
        return float(np.mean([result["race"] for result in self._results.values()]))

    def efficiency(self, scheme: str) -> float:
        """Return the variance of plain orderings over that of linked ones, geometric mean over splits."""
        logs = [np.log(result["efficiency"][scheme]) for result in self._results.values()]
        return float(np.exp(np.mean(logs)))

    @cached_property
    def drawn(self) -> FloatArray:
        """Mean gains of PREQ-RAND(n) in studies of the paper's size, shape (n_studies, n_sizes).

        A study has 15 splits of each table, drawn from ours, and one sample of orderings for each, which
        grows from the first number of orderings to the last.
        """
        rng = np.random.default_rng(self.spec.settings.seed)
        total = np.zeros((N_STUDIES, len(self.printed_sizes)))
        for table in self.tables:
            keys = [task.key for task in self.spec.tasks if task.source.name == table]
            nested = np.array([self._results[key]["nested"] for key in keys])
            bases = self.scores.units(table=table, model=MARGINAL)
            # A bootstrap of our splits: the paper has 15 splits per table, and we have more to draw from.
            splits = rng.integers(0, len(keys), (N_STUDIES, PRINTED_SPLITS))
            samples = rng.integers(0, nested.shape[1], splits.shape)
            means, base = nested[splits, samples].mean(axis=1), bases[splits].mean(axis=1)[:, None]
            total += 100 * (means - base) / -base
        return total / len(self.tables)

    @property
    def falls(self) -> float:
        """Share of studies in which the last number of orderings gains less than the peak."""
        return float(np.mean(self.drawn[:, -1] < self.drawn[:, self.printed_sizes.index(PEAK)]))
