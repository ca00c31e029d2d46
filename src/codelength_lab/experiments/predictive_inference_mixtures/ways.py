"""Scores with the class hidden and with it observed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from codelength import datasets
from codelength.scores.means import Mean

from ...claims import Leads
from ...results import Results
from ...spec import Result, Spec
from .task import OBSERVED, RULES, HiddenTask

SMALL = 0.1
"""Largest share of the rows of a table that counts as a small training set."""


def results_of(spec: Spec[HiddenTask], results: Mapping[str, Result]) -> Results:
    """Return the scores of every repetition; the size is None under leave-one-out."""

    def records() -> Iterable[tuple[tuple[Any, ...], list[float]]]:
        for task in spec.tasks:
            sizes = (None,) if task.protocol == "leave-one-out" else task.sizes
            for model, scores in results[task.key].items():
                for score, units in scores.items():
                    for size, column in zip(sizes, zip(*units, strict=True), strict=True):
                        yield (task.source.name, task.n_components, size, model, score), list(column)

    return Results(("table", "components", "size", "model", "score"), records())


def sizes_of(results: Results, table: str, share: float = 1.0) -> list[int]:
    """Return the numbers of training rows of the learning curves of a table, up to a share of its rows."""
    most = share * datasets.describe(table).rows
    sizes = results.at(table=table, model="EV", score="log_score", components=results.levels("components")[0])
    return [size for size in sizes.levels("size") if size is not None and size <= most]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to model the class: latent with some components, or observed with none.

    Attributes
    ----------
    results : Results
        The scores.
    n_components : int
        Components of the mixture; 0 for the class observed.
    """

    results: Results
    n_components: int

    @property
    def title(self) -> str:
        """Title of the way in tables."""
        return f"hidden, {self.n_components} components" if self.n_components else "observed"

    @property
    def tables(self) -> list[str]:
        """The tables."""
        return self.results.levels("table")

    def named(self, rule: str) -> dict[str, Any]:
        """Return the keys of a rule of ``RULES`` in the results."""
        # Scores of naive Bayes are stored with every number of components; any of them will do.
        n = self.n_components or self.results.levels("components")[0]
        return {"components": n, "model": rule if self.n_components else OBSERVED[list(RULES).index(rule)]}

    def mean(self, table: str, rule: str, score: str = "log_score", size: int | None = None) -> Mean:
        """Return the mean score of a rule, from some training rows or from all other rows."""
        return self.results.mean(table=table, size=size, score=score, **self.named(rule))

    def lead(
        self, table: str, rule: str, other: str, score: str = "log_score", size: int | None = None
    ) -> Mean:
        """Return the lead of one rule over another, from some training rows or from all other rows."""
        keys = self.named(rule) | {"other": self.named(other)["model"]}
        return self.results.lead(table=table, size=size, score=score, **keys)

    def leads(self, rule: str, other: str, score: str = "log_score", *, small: bool = False) -> Leads[str]:
        """Return the leads on all tables, from all other rows, or from a tenth of the table."""
        sizes = {table: sizes_of(self.results, table, SMALL)[-1] if small else None for table in self.tables}
        return Leads({table: self.lead(table, rule, other, score, size) for table, size in sizes.items()})


def ways_of(results: Results) -> list[Way]:
    """Return every number of components, and the class observed."""
    return [Way(results, n) for n in (*results.levels("components"), 0)]
