"""Collected results of the tasks, sample by sample."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from codelength.decisions import first_best_of_rows
from codelength.typing import FloatArray

from ...spec import Result, Spec
from .tasks import LEVELS, SHARES, ApproximationsTask, PaperTask, SolutionsTask, TermsTask


class Collected:
    """Results of a specification, collected by table, rows and components.

    Parameters
    ----------
    spec : Spec
        The tasks.
    results : dict of str to result
        Results by the key of the task.
    """

    def __init__(self, spec: Spec[PaperTask], results: dict[str, Result]) -> None:
        self.spec = spec
        self._results = results
        self._lengths: dict[tuple[str, int, int], dict[str, list[float]]] = {}
        self.references: dict[int, str] = {}
        for task in spec.tasks:
            if isinstance(task, ApproximationsTask):
                self._add(task)

    def _add(self, task: ApproximationsTask) -> None:
        self.references[task.n_rows] = task.reference
        for k, columns in self._results[task.key].items():
            known = self._lengths.setdefault((task.source.name, task.n_rows, int(k)), {})
            for name, lengths in columns.items():
                known.setdefault(name, []).extend(lengths)

    @property
    def names(self) -> list[str]:
        """The tables."""
        return list(dict.fromkeys(task.source.name for task in self.spec.tasks))

    @property
    def cases(self) -> list[tuple[str, int, int]]:
        """Table, rows and components of all comparisons with a reference."""
        return list(self._lengths)

    def sizes(self, n_components: int | None = None) -> list[int]:
        """Return the numbers of rows for which there are references, in ascending order."""
        return sorted({n for _, n, k in self._lengths if n_components is None or k == n_components})

    def tables_with(self, n_rows: int, n_components: int) -> list[str]:
        """Return the tables of which there are samples of a size."""
        return [name for name in self.names if (name, n_rows, n_components) in self._lengths]

    def components(self, name: str, n_rows: int) -> list[int]:
        """Return the numbers of components of a table and a size."""
        return sorted(k for table, n, k in self._lengths if (table, n) == (name, n_rows))

    def lengths(self, name: str, n_rows: int, n_components: int, method: str) -> FloatArray:
        """Return the code lengths of the samples; empty if there are none."""
        return np.array(self._lengths[name, n_rows, n_components].get(method, ()))

    def errors(self, name: str, n_rows: int, n_components: int, method: str) -> FloatArray:
        """Return code lengths less the reference, in nats.

        Parameters
        ----------
        name : str
            Table.
        n_rows, n_components : int
            Rows of the samples, and components.
        method : str
            One of ``METHODS``, or ``"annealed"``.

        Returns
        -------
        array of shape (n_samples,)
            Positive for a code that is too long.
        """
        reference = self.lengths(name, n_rows, n_components, "reference")
        return self.lengths(name, n_rows, n_components, method) - reference

    def mean_error(self, names: Iterable[str], n_rows: int, n_components: int, method: str) -> float:
        """Return the mean absolute error over tables of equal weight."""
        parts = [np.abs(self.errors(name, n_rows, n_components, method)).mean() for name in names]
        return float(np.mean(parts))

    def chosen(self, name: str, n_rows: int, method: str) -> Any:
        """Return the number of components with the shortest code length in each sample."""
        sizes = self.components(name, n_rows)
        stacked = np.array([self.lengths(name, n_rows, k, method) for k in sizes])
        return np.array(sizes)[first_best_of_rows(-stacked.T)]

    def needed(self, name: str, n_rows: int, level: float) -> FloatArray:
        """Return the number of terms needed for a share of the sum in each sample.

        Parameters
        ----------
        name : str
            Table.
        n_rows : int
            Rows of the samples.
        level : float
            One of ``LEVELS``.
        """
        return np.array(self._terms(name, n_rows)["needed"])[:, LEVELS.index(level)]

    def mass(self, name: str, n_rows: int) -> FloatArray:
        """Return the mean share of the sum by share of the terms, at ``SHARES``."""
        curves = np.array(self._terms(name, n_rows)["mass"])
        assert curves.shape[1] == len(SHARES)
        return np.asarray(curves.mean(axis=0))

    def term_sizes(self, name: str) -> list[int]:
        """Return the numbers of rows for which all terms were computed."""
        return sorted(task.n_rows for task in self._of(TermsTask) if task.source.name == name)

    def solutions(self) -> dict[str, list[Result]]:
        """Return the code lengths of the methods at many clusterings, by table and sample."""
        return {task.source.name: self._results[task.key]["samples"] for task in self._of(SolutionsTask)}

    def annealing_note(self) -> str:
        """Describe the accuracy of annealing if the sum is known, and its standard errors otherwise."""
        apart, units, errors = [], [], []
        for case, columns in self._lengths.items():
            # With one component the sum has one term, and annealing is exact.
            if "annealed" in columns and case[2] > 1:
                difference = self.errors(*case, "annealed")
                apart += np.abs(difference).tolist()
                units += (np.abs(difference) / np.maximum(columns["annealed_se"], 1e-9)).tolist()
            errors += columns["standard_error"]
        text = f"its standard errors are {max(errors):.2f} nats at most."
        if apart:
            within = float(np.mean(np.array(units) <= 3))
            text = (
                f"with 20 rows it is {np.mean(apart):.2f} nats from the exact sum on average, and within "
                f"three of its standard errors in {within:.0%} of {len(apart)} cases; beyond, {text}"
            )
        return text

    def _terms(self, name: str, n_rows: int) -> Result:
        task = next(c for c in self._of(TermsTask) if (c.source.name, c.n_rows) == (name, n_rows))
        return self._results[task.key]

    def _of(self, kind: type[Any]) -> list[Any]:
        return [task for task in self.spec.tasks if isinstance(task, kind)]
