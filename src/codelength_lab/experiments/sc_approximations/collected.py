"""Results of all tasks, sample by sample."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from codelength.decisions import first_best_of_rows
from codelength.typing import FloatArray

from ...experiment import Result, Spec
from ...results import Results
from .tasks import LEVELS, ApproximationsTask, PaperTask, SolutionsTask, TermsTask


class Collected:
    """Results of a specification, by table, rows and components.

    Attributes
    ----------
    names : list of str
        The tables.
    lengths : Results
        Code lengths by table, rows, components and method (``model``); units are samples.
    references : dict of int to str
        Method of the reference by the number of rows.
    solutions : dict of str to list
        Code lengths of the methods at many clusterings, by table and sample.
    """

    def __init__(self, spec: Spec[PaperTask], results: Mapping[str, Result]) -> None:
        self.spec = spec
        self.names: list[str] = list(dict.fromkeys(task.source.name for task in spec.tasks))
        compared = [task for task in spec.tasks if isinstance(task, ApproximationsTask)]
        self.references = {task.n_rows: task.reference for task in compared}
        self.lengths = Results(
            ("table", "rows", "components", "model"),
            (
                ((task.source.name, task.n_rows, int(k), method), lengths)
                for task in compared
                for k, columns in results[task.key].items()
                for method, lengths in columns.items()
            ),
        )
        self._terms = {
            (task.source.name, task.n_rows): results[task.key]
            for task in spec.tasks
            if isinstance(task, TermsTask)
        }
        self.solutions: dict[str, list[Any]] = {
            task.source.name: results[task.key]["samples"]
            for task in spec.tasks
            if isinstance(task, SolutionsTask)
        }

    @property
    def cases(self) -> list[tuple[str, int, int]]:
        """Table, rows and components of all comparisons with a reference."""
        return self.lengths.at(model="reference").keys

    def sizes(self, n_components: int | None = None) -> list[int]:
        """Return the numbers of rows for which there are references, in ascending order."""
        return sorted({n for _, n, k in self.cases if n_components in (None, k)})

    def tables_with(self, n_rows: int, n_components: int) -> list[str]:
        """Return the tables of which there are samples of a size."""
        return [name for name, n, k in self.cases if (n, k) == (n_rows, n_components)]

    def components(self, name: str, n_rows: int) -> list[int]:
        """Return the numbers of components of a table and a size."""
        return sorted(k for table, n, k in self.cases if (table, n) == (name, n_rows))

    def errors(self, name: str, n_rows: int, n_components: int, method: str) -> FloatArray:
        """Return code lengths of the samples less the reference, in nats."""
        return self.lengths.gains(method, "reference", table=name, rows=n_rows, components=n_components)

    def mean_error(self, names: Iterable[str], n_rows: int, n_components: int, method: str) -> float:
        """Return the mean absolute error over tables of equal weight."""
        parts = [np.abs(self.errors(name, n_rows, n_components, method)).mean() for name in names]
        return float(np.mean(parts))

    def chosen(self, name: str, n_rows: int, method: str) -> Any:
        """Return the number of components with the shortest code length in each sample."""
        sizes, own = self.components(name, n_rows), self.lengths.at(table=name, rows=n_rows, model=method)
        stacked = np.array([own.units(components=k) for k in sizes])
        return np.array(sizes)[first_best_of_rows(-stacked.T)]

    def needed(self, name: str, n_rows: int, level: float) -> FloatArray:
        """Return the number of terms needed for a share of the sum, one of ``LEVELS``, in each sample."""
        return np.array(self._terms[name, n_rows]["needed"])[:, LEVELS.index(level)]

    def mass(self, name: str, n_rows: int) -> FloatArray:
        """Return the mean share of the sum by share of the terms, at ``SHARES``."""
        return np.asarray(np.array(self._terms[name, n_rows]["mass"]).mean(axis=0))

    def term_sizes(self, name: str) -> list[int]:
        """Return the numbers of rows for which all terms were computed."""
        return sorted(n_rows for table, n_rows in self._terms if table == name)

    def annealing_note(self) -> str:
        """Describe the accuracy of annealing if the sum is known, and its standard errors otherwise."""
        largest = max(
            float(self.lengths.units(table=name, rows=n, components=k, model="standard_error").max())
            for name, n, k in self.cases
        )
        text = f"its standard errors are {largest:.2f} nats at most."
        # With one component the sum has one term, and annealing is exact.
        checked = [case for case in self.lengths.at(model="annealed").keys if case[2] > 1]
        if not checked:
            return text
        apart = [np.abs(self.errors(name, n, k, "annealed")) for name, n, k in checked]
        errors = [
            self.lengths.units(table=name, rows=n, components=k, model="annealed_se")
            for name, n, k in checked
        ]
        distances = np.concatenate(apart)
        within = np.mean(distances / np.maximum(np.concatenate(errors), 1e-9) <= 3)
        return (
            f"with 20 rows it is {distances.mean():.2f} nats from the exact sum on average, and within three "
            f"of its standard errors in {within:.0%} of {len(distances)} cases; beyond, {text}"
        )
