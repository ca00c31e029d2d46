"""Results of latent class analysis: comparison, summary, profiles, code lengths, relations and fit.

Order of reading: :class:`LatentResults` (numbers of classes and the summary; profiles; code lengths of
tables; covariates, outcomes and inactive columns; then diagnostics as attributes). Each method passes the
training rows and the mixture on. Depends on :mod:`codelength.latent` and :mod:`codelength.selection`, which
compute the results, on ``_latent_summary`` and on ``latent_inference``, its base class.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self

from sklearn.base import clone

from ..blocks import Block
from ..errors import DataError
from ..latent.identifiability import Identifiability
from ..latent.inference import Intervals, LikelihoodRatioTest, StandardErrors
from ..latent.relations import (
    CovariateRelation,
    InactiveProfile,
    OneStepModel,
    OutcomeRelation,
    assign,
    covariate_matrix,
    fit_covariates,
    inactive_profile,
    relate_covariates,
    relate_outcome,
)
from ..latent.relations.assignment import AssignmentRule
from ..latent.relations.columns import ColumnKind
from ..latent.relations.three_step import Method, Sampling
from ..latent.residuals import BivariateResiduals
from ..mixture.classification import Classification
from ..mixture.em import SearchSummary
from ..selection.comparison import Comparison
from ..sources import as_table
from ..table._messages import shown
from ..table.checks import check_flag
from ..table.column import Column, Factor, Numbers
from ..table.table import as_column
from ..typing import FloatArray, Scalar
from ._latent_summary import profile_records, summary_blocks
from .latent_inference import LatentInference


class LatentResults(LatentInference):
    """Profiles, fit and summary of a fitted mixture, and its relations to other variables.

    Methods with ``X=`` take the training rows, or those given, as in :class:`LatentInference`.
    """

    def compare(
        self,
        criteria: str | Iterable[str] = "all",
        report: Callable[[float, float], None] | None = None,
    ) -> Comparison:
        """Return the comparison of numbers of components with further criteria, which take longer.

        Parameters
        ----------
        criteria : "all", name or names
            Any of ``"neighbourhoods"``, ``"annealed"`` and ``"exact"``; if one cannot be computed, the notes
            of the result give the reason, and the time it would take.
        report : function, optional
            Called with the amount of work that is done, and the amount of all.
        """
        return self._fitted.compared(criteria, report)

    def summary(
        self,
        *,
        comparison: Comparison | None = None,
        intervals: Intervals | None = None,
        test: LikelihoodRatioTest | None = None,
    ) -> list[Block]:
        """Return a summary for a paper as blocks, in the order of the SMART-LCA checklist.

        Parameters
        ----------
        comparison : Comparison, optional
            Result of :meth:`compare`, shown in place of ``comparison_``.
        intervals : Intervals, optional
            Result of :meth:`intervals`, shown with the profiles.
        test : LikelihoodRatioTest, optional
            Result of :meth:`likelihood_ratio_test`, shown below the comparison.
        """
        return summary_blocks(self._fitted, comparison=comparison, intervals=intervals, test=test)

    def reordered(self, order: Any) -> Self:
        """Return a copy of the model with its components in another order, such as from mild to severe.

        Parameters
        ----------
        order : sequence of int
            The components, counted from 0, in the new order; ``fit`` puts the largest first.

        Examples
        --------
        >>> from codelength import FiniteMixture
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> model = FiniteMixture(2, random_state=0).fit(table)
        >>> model.reordered([1, 0]).parameters_.class_probs.round(3)
        array([0.333, 0.667])
        """
        # A new estimator: results that were computed under the old numbers stay valid for this one.
        other: Self = clone(self)
        other._state = self._fitted.reordered(order)
        return other

    def profiles(self) -> dict[str, dict[Scalar | None, FloatArray]]:
        """Return the probability of each value of each variable in each component."""
        return self._fitted.profiles()

    def profile_table(self, intervals: Intervals | None = None) -> list[dict[str, Any]]:
        """Return one record per value, the class shares first, for a data frame or a table of a paper.

        Parameters
        ----------
        intervals : Intervals, optional
            Result of :meth:`intervals`; records then have the bounds of each figure, and whether it lies at
            the boundary.

        Examples
        --------
        >>> from codelength import FiniteMixture
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> records = FiniteMixture(2, random_state=0).fit(table).profile_table()
        >>> [f"{record['variable']} {record['value']}: {record['class_1']:.2f}" for record in records[:2]]
        ['all share of rows: 0.67', 'feathers no: 1.00']
        """
        return profile_records(self._fitted, intervals)

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Return the Bayesian information criterion on the scale of scikit-learn: twice the code length."""
        return 2 * self.code_length("bic", X, sample_weight)

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Return the Akaike information criterion on the scale of scikit-learn: twice the code length."""
        return 2 * self.code_length("aic", X, sample_weight)

    def code_length(self, criterion: str | None = None, X: Any = None, sample_weight: Any = None) -> float:
        """Return the code length of a table by any criterion, in nats.

        Parameters
        ----------
        criterion : str, optional
            As the parameter of the class, which is the default.
        X : table, optional
            By default the training rows, which a model read from a file no longer has.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows of ``X``.

        Examples
        --------
        >>> from codelength import FiniteMixture
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> model = FiniteMixture(2, random_state=0).fit(table)
        >>> round(model.code_length("bic"), 2), round(model.bic(table) / 2, 2)
        (31.0, 31.0)
        """
        fitted = self._fitted
        return fitted.code_length(criterion, self._rows(X, sample_weight))

    def relate_covariates(
        self,
        covariates: Any,
        method: Method = "ml",
        *,
        rule: AssignmentRule = "modal",
        reference: int = 0,
        first_step: bool = True,
        clusters: Any = None,
        strata: Any = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> CovariateRelation:
        """Fit covariates that predict the class, in three steps, which keep the classes as they are.

        Parameters
        ----------
        covariates : table of any kind
            The covariates of the training rows, in the same order: numbers as they are, other columns as
            categories. Rows that lack one are left out, and counted.
        method : {"ml", "bch"}
            Correction for errors of assignment.
        rule : {"modal", "proportional"}
            Assignment of rows to classes.
        reference : int
            The class that the others are compared with, counted from 0.
        first_step : bool
            Include the uncertainty of the mixture in standard errors; with modal assignment only.
        clusters, strata, X, sample_weight
            As in :meth:`standard_errors`.
        """
        rows = self._rows(X, sample_weight)
        return relate_covariates(
            assign(rows, self._fitted.mixture, rule),
            covariate_matrix(as_table(covariates)),
            method,
            reference=reference,
            first_step=self._first_step(first_step, rule, clusters, strata, X, sample_weight),
            sampling=Sampling(self._fitted.params["weighting"], clusters, strata),
        )

    def relate_outcome(
        self,
        outcome: Any,
        method: Method = "bch",
        *,
        kind: ColumnKind = "auto",
        rule: AssignmentRule = "modal",
        first_step: bool = True,
        clusters: Any = None,
        strata: Any = None,
        X: Any = None,
        sample_weight: Any = None,
    ) -> OutcomeRelation:
        """Fit an outcome that depends on the class, in three steps, which keep the classes as they are.

        Parameters
        ----------
        outcome : series, array or list
            The outcome of the training rows, in the same order. Rows that lack it are left out, and counted.
        method : {"bch", "ml"}
            Correction for errors of assignment.
        kind : {"auto", "numeric", "categorical"}
            Kind of the outcome; by default columns of numbers are numeric.
        rule, first_step, clusters, strata, X, sample_weight
            As in :meth:`relate_covariates`.
        """
        rows = self._rows(X, sample_weight)
        return relate_outcome(
            assign(rows, self._fitted.mixture, rule),
            _column(outcome),
            method,
            kind=kind,
            first_step=self._first_step(first_step, rule, clusters, strata, X, sample_weight),
            sampling=Sampling(self._fitted.params["weighting"], clusters, strata),
        )

    def covariate_model(
        self,
        covariates: Any,
        *,
        kind: Literal["observed", "empirical"] = "observed",
        reference: int = 0,
        X: Any = None,
        sample_weight: Any = None,
    ) -> OneStepModel:
        """Fit classes and covariates together, in one step that starts from the fitted mixture.

        Parameters
        ----------
        covariates : table of any kind
            As in :meth:`relate_covariates`.
        kind : {"observed", "empirical"}
            The information matrix of the standard errors; poLCA prints ``"empirical"``.
        reference : int
            The class that the others are compared with, counted from 0.
        X, sample_weight : optional
            As in :meth:`standard_errors`.
        """
        fitted = self._fitted
        return fit_covariates(
            self._rows(X, sample_weight),
            fitted.mixture,
            covariate_matrix(as_table(covariates)),
            fitted.mode_prior,
            kind=kind,
            reference=reference,
        )

    def inactive_profiles(
        self, columns: Any, *, kind: ColumnKind = "auto", X: Any = None, sample_weight: Any = None
    ) -> dict[str, InactiveProfile]:
        """Describe columns that were not used in the fit, class by class.

        Parameters
        ----------
        columns : table of any kind
            Columns of the training rows, in the same order.
        kind : {"auto", "numeric", "categorical"}
            Kind of the columns; by default columns of numbers are numeric.
        X, sample_weight : optional
            As in :meth:`standard_errors`.
        """
        rows = self._rows(X, sample_weight)
        # Proportional assignment: these columns describe the classes, and test nothing.
        shares = self._fitted.mixture.responsibilities(rows)
        return {
            column.name: inactive_profile(shares, rows.weights, column, kind)
            for column in as_table(columns).columns
        }

    def _first_step(
        self, wanted: bool, rule: str, clusters: Any, strata: Any, X: Any, sample_weight: Any
    ) -> StandardErrors | None:
        # The correction for the first step is derived for modal assignment.
        if not check_flag("first_step", wanted) or rule != "modal":
            return None
        return self.standard_errors(clusters=clusters, strata=strata, X=X, sample_weight=sample_weight)

    @property
    def comparison_(self) -> Comparison:
        """Comparison of all numbers of components, one row each, always with one component.

        Log-likelihood, parameters, criteria, goodness of fit, relative entropy, smallest class, starts.
        """
        return self._fitted.comparison

    @property
    def trust_(self) -> SearchSummary:
        """Number of starts that ended at the best solution, the next best one, iterations, convergence."""
        return self._fitted.trust

    @property
    def identifiability_(self) -> Identifiability:
        """Rank of the Jacobian of the cell probabilities: full if the parameters are determined."""
        return self._fitted.identifiability

    @property
    def residuals_(self) -> BivariateResiduals:
        """Distance of each pair of variables from independence within the components."""
        return self._fitted.known_residuals()

    @property
    def classification_(self) -> Classification:
        """Assigned against expected components of the training rows."""
        return self._fitted.classification


def _column(outcome: Any) -> Column:
    """Return an outcome as a column; raise DataError for a name or a table."""
    if isinstance(outcome, (Factor, Numbers)):
        return outcome
    # A name or a table: the training table is not kept, and a table has more than one column.
    if isinstance(outcome, (str, Mapping)):
        raise DataError(f"outcome={shown(outcome)}: give the column itself, one cell per training row")
    # A series may have any label as its name, or none.
    name = getattr(outcome, "name", None)
    return as_column(name if isinstance(name, str) and name else "outcome", outcome)
