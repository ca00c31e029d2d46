"""Fitted finite mixture: its probabilities, the comparison of numbers of components, and diagnostics.

Order of reading: :class:`FittedMixture`: learning, predictions, training rows and what needs them, queries,
findings, files; then :func:`found_components`, the search. Depends on :mod:`codelength.mixture`, and on
:mod:`codelength.latent` for diagnostics.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, DoubtfulFit, InvalidParameter
from ..latent.identifiability import Identifiability, identifiability
from ..latent.inference.bootstrap import draw_codes
from ..latent.residuals import MAX_DENSE, BivariateResiduals, bivariate_residuals
from ..mixture.cache import Rows
from ..mixture.cache.streams import GatheredRows, gathered_rows
from ..mixture.classification import Classification, classification
from ..mixture.code_length import CRITERIA
from ..mixture.em import RestartsInfo, SearchSummary
from ..mixture.parameters import MixtureParameters, mode_prior
from ..mixture.prediction import (
    Effort,
    ImputedCells,
    Learned,
    Method,
    MixtureRule,
    packed_rows,
    predict,
    restored_rows,
)
from ..mixture.summaries import DataSummary, observed
from ..naive_bayes import PriorLike, pseudocounts, rule_of
from ..naive_bayes.query import Answer, Known, Question
from ..selection.comparison import Comparison, with_criteria
from ..selection.components import ComponentsResult, Restarts, choose_components
from ..table import Coded
from ..table._messages import shown, tell
from ..table.checks import check_choice, check_sequence, check_whole, seed_of
from ..typing import FloatArray, IntArray, Scalar
from ._fitted import Fitted, scaled
from ._latent_summary import many_classes, remarks_of, unidentified

if TYPE_CHECKING:
    from .described import Described

MAX_VARIABLES = 300
"""Largest number of variables for which ``fit`` computes the residuals of all pairs; otherwise on request."""

OF_RESTARTS = ("n_init", "reached", "max_init", "init", "max_iter", "tol")
"""Parameters that are passed on to EM with restarts."""


@dataclass(frozen=True, eq=False)
class FittedMixture(Fitted):
    """The mixture chosen and its diagnostics; rows and runs of EM are not kept in files.

    Attributes
    ----------
    mixture : MixtureParameters
        The probabilities.
    path : dict of int to float
        Code length of every number of components that could be chosen, in nats.
    comparison : Comparison
        Comparison of all numbers of components.
    trust : SearchSummary
        Number of starts that found the best solution, and convergence.
    observed : DataSummary
        Rows used and missing cells.
    classification : Classification
        Assigned against expected classes of the training rows.
    residuals : BivariateResiduals or None
        Residuals of all pairs of variables; None if there are more than 300 variables.
    seed : int
        Seed of all random streams.
    restarts : RestartsInfo, optional
        All runs of EM for the number chosen.
    rows : Coded, optional
        The training rows.
    mixtures : dict of int to MixtureParameters, optional
        The best mixture of every number of components compared.
    kept_rows : Coded, optional
        The training rows of a file, which has them if the rule needs them.
    """

    mixture: MixtureParameters
    path: dict[int, float]
    comparison: Comparison
    trust: SearchSummary
    observed: DataSummary
    classification: Classification
    residuals: BivariateResiduals | None
    seed: int
    restarts: RestartsInfo | None = None
    rows: Coded | None = None
    mixtures: dict[int, MixtureParameters] | None = None
    kept_rows: Coded | None = None

    kind = "finite-mixture"
    outcome = "component"

    @classmethod
    def title(cls, params: Mapping[str, Any]) -> str:
        return f"{cls.kind} of {params['n_components']}"

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        rows = scaled(params, coded)
        # EM runs on distinct rows with weights, whose likelihood is the same.
        distinct = rows.distinct()
        seen = observed(rows, distinct.n_rows)
        return cls.chosen(params, GatheredRows(coded.schema, distinct, seen), named, rows)

    @classmethod
    def streamed(
        cls, params: dict[str, Any], source: Any, target: str | None, memory: int, **read: Any
    ) -> Self:
        """Learn from a table of any size; see :meth:`codelength.FiniteMixture.fit_table`."""
        with gathered_rows(params, source, target, memory, **read) as gathered:
            # Rows on disk are removed with the context, so a fitted model cannot keep them.
            training = gathered.rows if isinstance(gathered.rows, Coded) else None
            return cls.chosen(params, gathered, True, training)

    @classmethod
    def chosen(
        cls, params: dict[str, Any], gathered: GatheredRows, named: bool, training: Coded | None
    ) -> Self:
        """Learn from distinct rows, in memory or on disk, and keep ``training`` as the training rows."""
        seed, rows = seed_of(params["random_state"]), gathered.rows
        found = found_components(rows, params, seed, needs_mode=rule_of(params["rule"]).settles)
        are_few = rows.schema.n_variables <= MAX_VARIABLES and rows.schema.n_cells <= MAX_DENSE
        learned = cls(
            params,
            gathered.schema,
            named,
            mixture=found.mixture,
            path=found.path,
            comparison=found.comparison,
            trust=found.restarts.summary,
            observed=gathered.observed,
            classification=classification(rows, found.mixture),
            residuals=bivariate_residuals(rows, found.mixture) if are_few else None,
            seed=seed,
            restarts=found.restarts,
            rows=training,
            mixtures=found.mixtures,
        )
        learned.warn_of_doubts()
        return learned

    @classmethod
    def described(cls, params: dict[str, Any], coded: Coded) -> "Described":
        """Return the model of whole rows for :class:`codelength.EvidenceAverage`."""
        from .described import MixtureOfRows

        return MixtureOfRows.learn(params, coded)

    def warn_of_doubts(self) -> None:
        """Warn if there are more classes than distinct rows, or the classes are not identified."""
        n_components, n_distinct = self.mixture.n_components, self.observed.n_distinct
        # Only for a number that was asked for: with "auto" the criterion decides, and the summary remarks it.
        has_cells = self.observed.n_rows and self.schema.n_variables
        is_asked_for = self.params["n_components"] != "auto"
        if is_asked_for and has_cells and n_components > max(n_distinct, 1):
            tell(many_classes(n_components, n_distinct), DoubtfulFit)
        elif n_components > 1 and self.identifiability.is_identified is False:
            tell(unidentified(n_components, self.identifiability), DoubtfulFit)

    @property
    def outcomes(self) -> tuple[Scalar, ...]:
        """Numbers of the components, from 1."""
        return tuple(range(1, self.mixture.n_components + 1))

    def probs(self, coded: Coded) -> tuple[FloatArray, int]:
        # No undefined rows: one that the mixture excludes has uniform probabilities, by definition.
        return self.mixture.responsibilities(self.mixture.coded(coded)), 0

    def sample(self, n_samples: int, seed: int | None) -> tuple[NDArray[Any], IntArray]:
        """Draw rows: an array of values, and the component of each row."""
        codes, components = draw_codes(self.mixture, n_samples, np.random.default_rng(seed))
        rows = np.empty(codes.shape, dtype=object)
        for i, variable in enumerate(self.schema.variables):
            rows[:, i] = np.array(variable.values, dtype=object)[codes[:, i]]
        return rows, components

    def code_length(self, criterion: str | None, rows: Coded) -> float:
        """Return the code length of rows by a criterion, in nats."""
        name = self.params["criterion"] if criterion is None else criterion
        check_choice("criterion", name, CRITERIA)
        # Fixed by the model, so that criteria that draw random numbers give the same figure every time.
        seed = [self.seed, self.mixture.n_components]
        return float(CRITERIA[name](rows.distinct(), self.mixture, self.params["prior"], random_state=seed))

    def known_residuals(self) -> BivariateResiduals:
        """Return the residuals of all pairs of variables, computed now if there are many."""
        # Not cached: with many variables the table of all pairs is large.
        if self.residuals is None:
            return bivariate_residuals(self._rows_for("residuals_"), self.mixture)
        return self.residuals

    @cached_property
    def memberships(self) -> FloatArray:
        """Probability of each component for each training row."""
        rows = self._rows_for("memberships_")
        if rows.is_distinct:
            raise AttributeError(
                "labels_ and memberships_: fit_table keeps distinct rows, and no order; use predict_table"
            )
        return self.mixture.responsibilities(rows)

    def _rows_for(self, name: str) -> Coded:
        """Return the training rows for an attribute of the estimator, which does not exist without them."""
        if self.rows is None:
            raise AttributeError(f"{name}: {self.without_rows}")
        return self.rows

    @property
    def without_rows(self) -> str:
        """Reason why the training rows are absent, for messages."""
        # Files never keep the runs of EM, so their absence marks a model that was read from a file.
        if self.restarts is None:
            return "the training rows are not kept in a model file"
        return f"{self.observed.n_distinct:,} distinct training rows were more than memory= allows to keep"

    @property
    def training(self) -> Coded:
        """The training rows; raise DataError if the model was read from a file, or they were too many."""
        if self.rows is None:
            raise DataError(f"{self.without_rows}; pass them as X=")
        return self.rows

    def profiles(self) -> dict[str, dict[Scalar | None, FloatArray]]:
        """Return the probability of each value of each variable in each component."""
        return {
            variable.name: {value: self.mixture.of(i)[:, code] for code, value in enumerate(variable.values)}
            for i, variable in enumerate(self.schema.variables)
        }

    def imputed(self, coded: Coded) -> dict[str, ImputedCells]:
        """Return the predictive distribution of every missing cell, variable by variable."""
        memberships = self.mixture.responsibilities(coded)
        found = {}
        for i, variable in enumerate(self.schema.variables):
            # The code after that of the last value is a missing cell.
            rows = np.flatnonzero(coded.codes[:, i] == variable.n_values)
            if len(rows):
                found[variable.name] = ImputedCells(
                    rows, variable.values, memberships[rows] @ self.mixture.of(i)
                )
        return found

    @property
    def mode_prior(self) -> PriorLike:
        """The prior that EM maximised under: the one given, or the uniform prior if that has no mode."""
        return mode_prior(self.params["prior"], self.mixture.schema)

    @property
    def own_rows(self) -> Coded | None:
        """The training rows of the fit or of the file, if they are kept."""
        return self.rows if self.kept_rows is None else self.kept_rows

    @cached_property
    def learned(self) -> Learned:
        """Training rows and mixture, for rules that average over clusterings of the rows."""
        if self.own_rows is None:
            raise DataError(
                'the training rows are not kept with this model, and only rule="map" does without them; fit '
                "it to rows in memory with another rule, which keeps them in its file"
            )
        return Learned(self.own_rows, self.mixture, self.params["prior"])

    def answer(
        self,
        question: Question,
        known: Known,
        rule: MixtureRule | None = None,
        method: Method = "auto",
        effort: Effort | None = None,
    ) -> Answer:
        """Answer a question about several variables."""
        chosen = self.params["rule"] if rule is None else rule
        check_choice("rule", chosen, MixtureRule)
        # A rule that settles on one mixture needs no training rows; the rows to predict fill their place.
        is_enough = rule_of(chosen).settles
        rows = known.coded
        learned = Learned(rows, self.mixture, self.params["prior"]) if is_enough else self.learned
        return predict(learned, question, rows, chosen, method=method, random_state=self.seed, effort=effort)

    @cached_property
    def identifiability(self) -> Identifiability:
        """Rank of the parameters: are they determined by the data?"""
        return identifiability(self.mixture)

    def compared(self, criteria: Any, report: Callable[[float, float], None] | None = None) -> Comparison:
        """Return the comparison with further criteria, which take longer."""
        rows = self.training.distinct()
        # Only a fit has training rows at this point, and it keeps its mixtures; a file restores neither.
        assert self.mixtures is not None
        prior = self.params["prior"]
        return with_criteria(
            self.comparison, rows, self.mixtures, criteria, prior, seed=self.seed, report=report
        )

    def reordered(self, order: Any) -> "FittedMixture":
        """Return the model with its components in another order; raise unless it names each of them once."""
        n_components = self.mixture.n_components
        given = [check_whole("order", k, 0) for k in check_sequence("order", order, of="components")]
        if sorted(given) != list(range(n_components)):
            raise InvalidParameter(
                f"order={shown(order)}: expected each of the components 0 to {n_components - 1} once"
            )
        # Everything that is indexed by component is permuted together; criteria do not depend on the order.
        mixture = self.mixture.permuted(given)
        mixtures = None if self.mixtures is None else self.mixtures | {n_components: mixture}
        table = self.classification.permuted(given)
        return replace(self, mixture=mixture, mixtures=mixtures, classification=table)

    def findings_document(self) -> dict[str, Any]:
        return {
            "components": self.mixture.n_components,
            "component_probs": self.mixture.class_probs.tolist(),
            "code_lengths_nats": dict(self.path),
            "comparison": self.comparison.to_json(),
            "trust": self.trust.to_json(),
            "observed": self.observed.to_json(),
            "identifiability": self.identifiability.to_json(),
            "remarks": remarks_of(self),
            "classification": self.classification.to_json(),
            "bivariate_residuals": None if self.residuals is None else self.residuals.to_json(),
            "profiles": {
                name: {str(value): probs.tolist() for value, probs in values.items()}
                for name, values in self.profiles().items()
            },
        }

    def content(self) -> dict[str, Any]:
        needed = not rule_of(self.params["rule"]).settles and self.own_rows is not None
        return {
            "parameters": self.mixture.to_json(),
            "criterion_path": {str(size): length for size, length in self.path.items()},
            "comparison": self.comparison.to_json(),
            "trust": self.trust.to_json(),
            "observed": self.observed.to_json(),
            "classification": self.classification.to_json(),
            "residuals": None if self.residuals is None else self.residuals.content(),
            "seed": self.seed,
            # Rules that sum over clusterings predict from the training rows.
            **({"rows": packed_rows(self.learned.rows)} if needed else {}),
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        schema, prior = known["schema"], known["params"]["prior"]
        mixture = MixtureParameters.from_json(content["parameters"], schema)
        # Checked now: a prior from a damaged file would fail only in a later prediction.
        pseudocounts(prior, mixture.schema)
        residuals = content["residuals"]
        return cls(
            **known,
            mixture=mixture,
            path={int(size): float(length) for size, length in content["criterion_path"].items()},
            comparison=Comparison.from_json(content["comparison"]),
            trust=SearchSummary.from_json(content["trust"]),
            observed=DataSummary.from_json(content["observed"]),
            classification=Classification.from_json(content["classification"], mixture.class_probs),
            residuals=None if residuals is None else BivariateResiduals.restored(residuals, schema),
            seed=check_whole("seed", content["seed"], 0),
            kept_rows=restored_rows(content["rows"], schema) if "rows" in content else None,
        )


def found_components(
    rows: Rows, params: Mapping[str, Any], seed: int, *, needs_mode: bool = True
) -> ComponentsResult:
    """Fit mixtures to rows under the parameters of an estimator, and keep the one with the shortest code.

    ``needs_mode`` is True if predictions use the most probable mixture, which not every prior has.
    """
    auto = params["n_components"] == "auto"
    return choose_components(
        rows,
        range(1, params["max_components"] + 1) if auto else [int(params["n_components"])],
        params["criterion"],
        params["prior"],
        patience=params["patience"],
        restarts=Restarts(**{name: params[name] for name in OF_RESTARTS}),
        seed=seed,
        needs_mode=needs_mode,
    )
