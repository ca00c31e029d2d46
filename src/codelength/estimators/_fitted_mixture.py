"""What a finite mixture learned: its probabilities, and the way there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._display import Shown, counted
from ..blocks import Block, Grid
from ..errors import DataError, InvalidParameter
from ..latent.identifiability import Identifiability, identifiability
from ..latent.residuals import BivariateResiduals
from ..mixture.classification import Classification
from ..mixture.em import RestartsInfo, Trust
from ..mixture.observed import Observed
from ..mixture.parameters import MixtureParameters, mode_prior
from ..mixture.prediction import Effort, Learned, Method, MixtureRule, predict
from ..naive_bayes import PriorLike, pseudocounts, rule_of
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Question
from ..selection.comparison import Comparison, with_criteria
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence, check_whole
from ..typing import FloatArray, IntArray, Scalar
from ._kept_rows import packed_rows, restored_rows
from .contract import Fitted

HALF_A_ROW = 0.5
"""A class whose share is worth less than this has no rows of its own."""


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
        names = ["row", *(shown_value(value) for value in self.values[:10])]
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
        Code length of every number of components that could be chosen, in nats.
    comparison : Comparison
        All numbers of components beside each other.
    trust : Trust
        How often the best solution was found.
    observed : Observed
        How much of the table was there to see.
    classification : Classification
        Assigned against expected classes of the training rows.
    residuals : BivariateResiduals or None
        Residuals of all pairs of variables; None where there are more than 300 variables.
    seed : int
        Where the random streams began.
    restarts : RestartsInfo, optional
        All runs of EM for the number chosen.
    rows : Coded, optional
        The training rows.
    mixtures : dict of int to MixtureParameters, optional
        The best mixture of every number of components compared.
    kept_rows : Coded, optional
        The training rows as a file keeps them where the rule needs them.
    """

    mixture: MixtureParameters
    path: dict[int, float]
    comparison: Comparison
    trust: Trust
    observed: Observed
    classification: Classification
    residuals: BivariateResiduals | None
    seed: int
    restarts: RestartsInfo | None = None
    rows: Coded | None = None
    mixtures: dict[int, MixtureParameters] | None = None
    kept_rows: Coded | None = None

    @cached_property
    def memberships(self) -> FloatArray:
        """Probability of each component for each training row."""
        return self.mixture.responsibilities(self.training)

    @property
    def without_rows(self) -> str:
        """Why the training rows are not there."""
        if self.restarts is None:
            return "the training rows are not kept in a model file"
        return f"{self.observed.n_distinct:,} distinct training rows were more than memory= allows to keep"

    @property
    def training(self) -> Coded:
        """The training rows, which a model read from a file no longer has."""
        if self.rows is None:
            raise DataError(f"{self.without_rows}; pass them as X=")
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

    @property
    def mode_prior(self) -> PriorLike:
        """The prior under which the mixture is the most probable one."""
        return mode_prior(self.params["prior"], self.mixture.schema)

    @property
    def own_rows(self) -> Coded | None:
        """The training rows, as far as they are kept."""
        return self.rows if self.kept_rows is None else self.kept_rows

    @cached_property
    def learned(self) -> Learned:
        """What there is to predict from, by any rule."""
        if self.own_rows is None:
            raise DataError(
                'the training rows are not kept with this model, and only rule="map" does without them; fit '
                "it to rows in memory with another rule, which keeps them in its file"
            )
        return Learned(self.own_rows, self.mixture, self.params["prior"])

    def answered(
        self,
        question: Question,
        coded: Coded,
        rule: MixtureRule | None = None,
        method: Method = "auto",
        effort: Effort | None = None,
    ) -> Answer:
        """The answer to a question about several variables."""
        chosen = self.params["rule"] if rule is None else rule
        check_choice("rule", chosen, MixtureRule)
        is_enough = rule_of(chosen).settles
        learned = Learned(coded, self.mixture, self.params["prior"]) if is_enough else self.learned
        return predict(learned, question, coded, chosen, method=method, random_state=self.seed, effort=effort)

    @cached_property
    def identifiability(self) -> Identifiability:
        """Whether the parameters are determined."""
        return identifiability(self.mixture)

    def compared(self, criteria: Any, report: Callable[[float, float], None] | None = None) -> Comparison:
        """The comparison with criteria that take longer."""
        rows = self.training.distinct()
        assert self.mixtures is not None
        prior = self.params["prior"]
        return with_criteria(
            self.comparison, rows, self.mixtures, criteria, prior, seed=self.seed, report=report
        )

    def reordered(self, order: Any) -> "FittedMixture":
        """The same with the components in another order, checked to name each of them once."""
        n_components = self.mixture.n_components
        given = [check_whole("order", k, 0) for k in check_sequence("order", order, of="components")]
        if sorted(given) != list(range(n_components)):
            raise InvalidParameter(
                f"order={shown(order)}: expected each of the components 0 to {n_components - 1} once"
            )
        mixture = self.mixture.permuted(given)
        mixtures = None if self.mixtures is None else self.mixtures | {n_components: mixture}
        table = self.classification.permuted(given)
        return replace(self, mixture=mixture, mixtures=mixtures, classification=table)

    def remarks(self) -> list[str]:
        """What a reader must know before anything else, in sentences."""
        n_components, n_distinct = self.mixture.n_components, self.observed.n_distinct
        told = self.observed.remarks()
        if n_components > max(n_distinct, 1):
            told.append(many_classes(n_components, n_distinct))
        if len(self.path) > 1 and n_components == max(self.path):
            told.append(
                f"The largest number of classes that was tried, {n_components}, was chosen, so more may be "
                "better still; raise max_components."
            )
        total = self.observed.total_weight
        empty = [str(k + 1) for k, p in enumerate(self.mixture.class_probs) if p * total < HALF_A_ROW]
        if empty and total and n_components > 1:
            told.append(
                f"Class {', '.join(empty)}: less than half a row, so its profile means nothing; take "
                f"{counted(n_components - len(empty), 'class')}."
            )
        return told

    def findings_document(self) -> dict[str, Any]:
        """What was found, as JSON types."""
        return {
            "components": self.mixture.n_components,
            "component_probs": self.mixture.class_probs.tolist(),
            "code_lengths_nats": dict(self.path),
            "comparison": self.comparison.to_json(),
            "trust": self.trust.to_json(),
            "observed": self.observed.to_json(),
            "identifiability": self.identifiability.to_json(),
            "remarks": self.remarks(),
            "classification": self.classification.to_json(),
            "bivariate_residuals": None if self.residuals is None else self.residuals.to_json(),
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
            "comparison": self.comparison.to_json(),
            "trust": self.trust.to_json(),
            "observed": self.observed.to_json(),
            "classification": self.classification.to_json(),
            "residuals": None if self.residuals is None else self.residuals.content(),
            "seed": self.seed,
            **self._content_of_rows(),
        }

    def _content_of_rows(self) -> dict[str, Any]:
        """The rows, where the rule predicts from them."""
        needed = not rule_of(self.params["rule"]).settles and self.own_rows is not None
        return {"rows": packed_rows(self.learned.rows)} if needed else {}

    @classmethod
    def restored(cls, fitted: Fitted, content: Mapping[str, Any]) -> "FittedMixture":
        """What :meth:`content` came from, checked."""
        if fitted.schema.target is not None:
            raise DataError("a mixture has no classes to predict")
        mixture = MixtureParameters.from_json(content["parameters"], fitted.schema)
        pseudocounts(fitted.params["prior"], mixture.schema)  # refuses what is not a prior
        residuals = content["residuals"]
        return cls(
            **vars(fitted),
            mixture=mixture,
            path={int(size): float(length) for size, length in content["criterion_path"].items()},
            comparison=Comparison.from_json(content["comparison"]),
            trust=Trust.from_json(content["trust"]),
            observed=Observed.from_json(content["observed"]),
            classification=Classification.from_json(content["classification"], mixture.class_probs),
            residuals=None if residuals is None else BivariateResiduals.restored(residuals, fitted.schema),
            seed=check_whole("seed", content["seed"], 0),
            kept_rows=restored_rows(content["rows"], fitted.schema) if "rows" in content else None,
        )


def many_classes(n_components: int, n_distinct: int) -> str:
    """That there are more classes than rows can tell apart."""
    return (
        f"n_components={n_components}: there are only {counted(n_distinct, 'distinct row')}, which "
        f"{counted(n_distinct, 'class')} would fit perfectly; ask for fewer classes"
    )


def unidentified(n_components: int, found: Identifiability) -> str:
    """That other classes fit as well."""
    return f"{counted(n_components, 'class')}: the profiles are {found.sentence()}"


def shown_value(value: Scalar | None) -> str:
    """A value of a variable for people."""
    return "missing" if value is None else str(value)
