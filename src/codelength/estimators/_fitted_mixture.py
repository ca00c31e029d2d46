"""What a finite mixture learned: its probabilities, and the way there."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._display import Shown, counted
from ..blocks import Block, Facts, Grid
from ..errors import DataError
from ..mixture.em import RestartsInfo
from ..mixture.parameters import MixtureParameters
from ..table import Coded
from ..table.checks import check_whole
from ..typing import FloatArray, IntArray, Scalar
from .contract import Fitted


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ImputedCells(Shown):
    """What the missing cells of one variable may be.

    Attributes
    ----------
    rows : array of shape (n_missing,)
        The rows in which the variable is missing.
    values : tuple
        The values it can take.
    probs : array of shape (n_missing, n_values)
        The probability of each value, given the cells of the row that are there.
    """

    rows: IntArray
    values: tuple[Scalar | None, ...]
    probs: FloatArray

    def _title(self) -> str:
        cells, values = counted(len(self.rows), "missing cell"), counted(len(self.values), "value")
        return f"ImputedCells: {cells}, {values}"

    def _blocks(self) -> list[Block]:
        names = ["row", *(_shown(value) for value in self.values[:10])]
        cells = zip(self.rows, self.probs[:, :10], strict=True)
        return [Grid("", names, [[str(row), *(f"{p:.2f}" for p in probs)] for row, probs in cells])]


@dataclass(frozen=True, eq=False)
class FittedMixture(Fitted):
    """The mixture chosen and the way there; the rows and the runs of EM are not kept in files.

    Attributes
    ----------
    mixture : MixtureParameters
        The probabilities.
    path : dict of int to float
        Code length of every number of components tried, in nats.
    converged : bool
        Whether the best run of EM converged.
    n_iter : int
        Iterations of that run.
    seed : int
        Where the random streams began.
    restarts : RestartsInfo, optional
        All runs of EM for the number chosen.
    rows : Coded, optional
        The training rows.
    """

    mixture: MixtureParameters
    path: dict[int, float]
    converged: bool
    n_iter: int
    seed: int
    restarts: RestartsInfo | None = None
    rows: Coded | None = None

    @cached_property
    def memberships(self) -> FloatArray:
        """Probability of each component for each training row."""
        return self.mixture.responsibilities(self.training)

    @property
    def training(self) -> Coded:
        """The training rows, which a model read from a file no longer has."""
        if self.rows is None:
            raise DataError("the training rows are not kept in a model file; pass them as X=")
        return self.rows

    def profiles(self) -> dict[str, dict[Scalar | None, FloatArray]]:
        """The probability of each value of each variable in each component."""
        return {
            variable.name: {value: self.mixture.of(i)[:, code] for code, value in enumerate(variable.values)}
            for i, variable in enumerate(self.schema.variables)
        }

    def imputed(self, coded: Coded) -> dict[str, ImputedCells]:
        """The predictive distribution of every missing cell, variable by variable."""
        memberships = self.mixture.responsibilities(coded)
        found = {}
        for i, variable in enumerate(self.schema.variables):
            rows = np.flatnonzero(coded.codes[:, i] == variable.n_values)
            if len(rows):
                found[variable.name] = ImputedCells(
                    rows, variable.values, memberships[rows] @ self.mixture.of(i)
                )
        return found

    def findings(self) -> list[Block]:
        """What was found, for people."""
        n_components, shortest = self.mixture.n_components, min(self.path.values())
        path = [
            [str(size), f"{length:.1f}", f"{length - shortest:.1f}", "*" * (size == n_components)]
            for size, length in self.path.items()
        ]
        rows = [["all", "share of rows", *(f"{p:.2f}" for p in self.mixture.class_probs)]]
        for name, values in self.profiles().items():
            for position, (value, probs) in enumerate(values.items()):
                rows.append(["" if position else name, _shown(value), *(f"{p:.2f}" for p in probs)])
        numbers = [str(number) for number in range(1, n_components + 1)]
        return [
            Facts([("components", str(n_components)), ("EM converged", "yes" if self.converged else "no")]),
            Grid(
                f"code length by {self.params['criterion']}",
                ["components", "nats", "above the best", ""],
                path,
            ),
            Grid(
                "probability of each value in each component", ["variable", "value", *numbers], rows, n_text=2
            ),
        ]

    def findings_document(self) -> dict[str, Any]:
        """What was found, as JSON types."""
        return {
            "components": self.mixture.n_components,
            "component_probs": self.mixture.class_probs.tolist(),
            "code_lengths_nats": dict(self.path),
            "profiles": {
                name: {str(value): probs.tolist() for value, probs in values.items()}
                for name, values in self.profiles().items()
            },
        }

    def content(self) -> dict[str, Any]:
        """What a file keeps beside parameters and schema."""
        return {
            "parameters": self.mixture.to_json(),
            "criterion_path": {str(size): length for size, length in self.path.items()},
            "converged": self.converged,
            "n_iter": self.n_iter,
            "seed": self.seed,
        }

    @classmethod
    def restored(cls, fitted: Fitted, content: Mapping[str, Any]) -> "FittedMixture":
        """What :meth:`content` came from, checked."""
        if fitted.schema.target is not None:
            raise DataError("a mixture has no classes to predict")
        return cls(
            **vars(fitted),
            mixture=MixtureParameters.from_json(content["parameters"], fitted.schema),
            path={int(size): float(length) for size, length in content["criterion_path"].items()},
            converged=bool(content["converged"]),
            n_iter=check_whole("n_iter", content["n_iter"], 0),
            seed=check_whole("seed", content["seed"], 0),
        )


def _shown(value: Scalar | None) -> str:
    return "missing" if value is None else str(value)
