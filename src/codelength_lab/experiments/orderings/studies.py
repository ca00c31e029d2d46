"""Gains on the tables at hand, and studies of the paper's size drawn from our results."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from codelength.typing import FloatArray

from ...spec import Result, Spec
from ...summary import Mean
from ..prequential_selection import PRINTED_SPLITS
from ..prequential_selection.gains import Gains
from ..prequential_selection.task import MARGINAL
from .task import PRINTED, OrderingsTask

N_STUDIES = 10_000
"""Studies that are drawn."""

PEAK = 30
"""Number of orderings after which the paper sees a fall."""


@dataclass(frozen=True, eq=False)
class Studies:
    """All results of one specification.

    Attributes
    ----------
    spec : Spec
        The tasks.
    results : mapping of str to result
        Results by the key of the task.
    """

    spec: Spec[OrderingsTask]
    results: Mapping[str, Result]

    @cached_property
    def gains(self) -> Gains:
        """Relative gains over the marginal likelihood, table by table."""
        scores = {key: result["scores"] for key, result in self.results.items()}
        return Gains(self.spec, scores, with_class=True)

    @cached_property
    def tables(self) -> dict[str, list[OrderingsTask]]:
        """The tasks of each table."""
        found: dict[str, list[OrderingsTask]] = {}
        for task in self.spec.tasks:
            found.setdefault(task.source.name, []).append(task)
        return found

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of independent orderings."""
        return self.spec.tasks[0].sizes

    @property
    def printed_sizes(self) -> list[int]:
        """Numbers of orderings in the paper."""
        return [n for n in self.sizes if n <= PRINTED[-1]]

    def log_scores(self, table: str, criterion: str) -> FloatArray:
        """Return the mean test log score of the choices of a criterion, split by split."""
        return np.array(
            [self.results[task.key]["scores"][criterion][0] for task in self.tables[table]], dtype=np.float64
        )

    def lead(self, criterion: str, other: str) -> Mean:
        """Return the gain of one criterion less that of another on these tables, in points of log gain.

        The standard error is over splits within tables, the orderings of each split included. It is the
        uncertainty on the tables at hand, not on others.

        Parameters
        ----------
        criterion, other : str
            Names of the two criteria.
        """
        values, variances = [], []
        for table in self.tables:
            base = -float(self.log_scores(table, MARGINAL).mean())
            differences = 100 * (self.log_scores(table, criterion) - self.log_scores(table, other)) / base
            values.append(differences.mean())
            # Splits of one table are the repetitions here; tables are fixed.
            variances.append(differences.var(ddof=1) / len(differences) if len(differences) > 1 else np.nan)
        return Mean(float(np.mean(values)), float(np.sqrt(np.sum(variances)) / len(values)))

    def mean_over_tasks(self, name: str) -> float:
        """Return the mean of a number that every task has."""
        return float(np.mean([result[name] for result in self.results.values()]))

    def efficiency(self, scheme: str) -> float:
        """Return the variance of plain orderings over that of linked ones, geometric mean over splits."""
        logs = [np.log(result["efficiency"][scheme]) for result in self.results.values()]
        return float(np.exp(np.mean(logs)))

    @cached_property
    def drawn(self) -> FloatArray:
        """Mean gains of PREQ-RAND(n) in studies of the paper's size, shape (n_studies, n_sizes).

        A study has 15 splits of each table, drawn from ours, and one sample of orderings for each, which
        grows from the first number of orderings to the last.
        """
        rng = np.random.default_rng(self.spec.settings.seed)
        total = np.zeros((N_STUDIES, len(self.printed_sizes)))
        for table, tasks in self.tables.items():
            nested = np.array([self.results[task.key]["nested"] for task in tasks])
            bases = self.log_scores(table, MARGINAL)
            # A bootstrap of our splits: the paper has 15 splits per table, and we have more to draw from.
            splits = rng.integers(0, len(tasks), (N_STUDIES, PRINTED_SPLITS))
            samples = rng.integers(0, nested.shape[1], splits.shape)
            means, base = nested[splits, samples].mean(axis=1), bases[splits].mean(axis=1)[:, None]
            total += 100 * (means - base) / -base
        return total / len(self.tables)
