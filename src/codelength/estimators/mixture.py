"""Finite mixtures of multinomials (latent class models) with a principled number of components."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin, DensityMixin, clone

from ..blocks import Block, Grid
from ..decisions import first_best_of_rows
from ..errors import DoubtfulFit
from ..latent.identifiability import Identifiability
from ..latent.inference import Intervals, LikelihoodRatioTest
from ..latent.residuals import MOST_DENSE, BivariateResiduals, bivariate_residuals
from ..mixture.cache import Rows
from ..mixture.classification import Classification, classification
from ..mixture.code_length import CRITERIA
from ..mixture.em import STARTS, RestartsInfo, Trust
from ..mixture.em.restarts import MOST_STARTS
from ..mixture.observed import Observed, observed
from ..mixture.parameters import MixtureParameters
from ..mixture.prediction import Effort, Method, MixtureRule
from ..naive_bayes import PriorLike, rule_of
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Question
from ..selection.comparison import Comparison
from ..selection.components import Restarts, choose_components
from ..sources import as_table
from ..table import Coded, Schema
from ..table._messages import tell
from ..table.checks import (
    check_choice,
    check_number,
    check_random_state,
    check_size,
    check_weights,
    check_whole,
    seed_of,
)
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import variables_grid
from ..table.target import column_named
from ..typing import FloatArray, IntArray, Scalar
from ._fitted_mixture import FittedMixture, many_classes, unidentified
from ._fitted_mixture import ImputedCells as ImputedCells
from ._latent_inference import LatentInference
from ._latent_summary import profile_grid, profile_records, summary_blocks
from ._mixture_streamed import StreamedMixture
from ._queries import JointModel, Known
from .contract import Fitted, Weighting
from .registry import register
from .validation import check_not_empty

MOST_SAMPLES = 100_000_000
"""Most rows that are drawn at a time."""

MOST_VARIABLES = 300
"""With more variables the residuals of all their pairs are computed when they are asked for."""


@register
class FiniteMixture(StreamedMixture, LatentInference, ClusterMixin, DensityMixin, JointModel):
    """A finite mixture of products of multinomials: latent class analysis.

    Parameters
    ----------
    n_components : int or "auto"
        Number of components. ``"auto"`` tries 1, 2, ... and keeps the number with the shortest code length,
        once ``patience`` further numbers have brought nothing better; one component is a possible answer.
    criterion : str
        The code length that chooses: ``"cheeseman_stutz"``, ``"cheeseman_stutz_soft"``, ``"bic"``, ``"aic"``,
        ``"neighbourhood"``, ``"neighbourhoods"``, ``"annealed"`` or, for few rows, ``"exact"``.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts as in :class:`codelength.NaiveBayes`. ``rule="map"`` takes none below 1, where
        there may be no most probable mixture. For the other rules EM then fits :attr:`parameters_` under the
        uniform prior, and code lengths and predictions use the prior given.
    rule : {"map", "evidence", "stochastic_complexity"}
        How :meth:`query` and :meth:`predict_values` predict: by the most probable mixture, by averaging over
        all mixtures, or by the best fit to the data and the new row. A model file holds the training rows
        unless the rule is ``"map"``, which does without them.
    n_init : int
        Starts of EM for each number of components; the most probable end is kept.
    reached, max_init : int
        Starts are added, ``n_init`` at a time, until the best solution was found ``reached`` times (ends
        within 0.01 nats are one solution) or there are ``max_init`` of them. With ``reached=1`` none are
        added.
    init : {"mixed", "random", "kmeans", "kmodes"}
        Where EM starts: ``"mixed"`` takes the three kinds in turn.
    max_components, patience : int
        How far ``"auto"`` goes, and how many further numbers without gain end the search.
    max_iter : int
        Most iterations of EM.
    tol : float
        EM ends when an iteration gains less than this, in nats per row. Tolerances below 1e-7 are reached
        by the three most probable of all runs only, by accelerated EM.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Where the randomness comes from. A number gives the same model every time.

    Attributes
    ----------
    n_components_ : int
        Number of components chosen.
    criterion_path_ : dict of int to float
        Code length, in nats, of every number of components that could be chosen.
    comparison_ : Comparison
        All numbers of components beside each other, one row each, one component always among them:
        log-likelihood, parameters, criteria, goodness of fit, relative entropy, smallest class, starts.
    trust_ : Trust
        How many starts ended at the best solution, the next best one, iterations, convergence.
    observed_ : Observed
        Rows used, rows with missing cells, and their share.
    residuals_ : BivariateResiduals
        How far each pair of variables is from independence within the components.
    classification_ : Classification
        Components that rows are assigned to against those that they may belong to.
    identifiability_ : Identifiability
        Whether the parameters are determined: the rank of the Jacobian of the cell probabilities.
    remarks_ : list of str
        What to know before anything else: empty components, constant columns, rows without a value.
    parameters_ : MixtureParameters
        Probabilities of the components (the largest first) and of the values in each.
    labels_ : array of shape (n_rows,)
        The most probable component of each training row.
    memberships_ : array of shape (n_rows, n_components)
        Probability of each component for each training row.
    schema_ : Schema
        The variables, their values, and how they were settled.
    converged_, n_iter_
        Whether the best run of EM converged, and after how many iterations.
    restarts_ : RestartsInfo
        All runs of EM for the number of components chosen, with their traces.

    Examples
    --------
    >>> from codelength import FiniteMixture
    >>> table = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> model = FiniteMixture(random_state=0).fit(table)
    >>> model.n_components_, sorted(model.criterion_path_)
    (2, [1, 2, 3, 4, 5])
    >>> hidden = model.impute({"feathers": ["yes"], "eggs": [None], "wings": ["yes"]})["eggs"]
    >>> hidden.values, hidden.probs.round(2)
    (('no', 'yes'), array([[0., 1.]]))
    """

    kind = "finite-mixture"
    capabilities = frozenset({"components", "weights", "query", "fit_table"})
    outcome = "component"

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        criterion: str = "cheeseman_stutz",
        prior: PriorLike = "uniform",
        rule: MixtureRule = "map",
        n_init: int = 20,
        reached: int = 5,
        max_init: int = MOST_STARTS,
        init: str = "mixed",
        max_components: int = 20,
        patience: int = 3,
        max_iter: int = 1000,
        tol: float = 1e-11,
        missing: Missing = "ignore",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "auto",
        identifiers: Identifiers = "ignore",
        weighting: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.n_components = n_components
        self.criterion = criterion
        self.prior = prior
        self.rule = rule
        self.n_init = n_init
        self.reached = reached
        self.max_init = max_init
        self.init = init
        self.max_components = max_components
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.weighting = weighting
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit mixtures to the rows of ``X`` and keep the one with the shortest code length.

        Parameters
        ----------
        X : Table, data frame, array, mapping of names to columns, or path of a file
            The rows; see :func:`codelength.sources.as_table`.
        y : name of a column of X, optional
            A column to leave out; anything else is passed over, for the sake of scikit-learn.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none. So the weights of a
            survey, whose sum is a population, count for that many rows in every criterion; pass
            ``weighting="relative"`` for those.
        """
        self._check_params()
        table = as_table(X, None, sample_weight)
        if isinstance(name := column_named(y), str):
            table = table.drop([name])
        table = replace(table, target=None)
        if self.schema is None:
            check_not_empty(table)
        check_weights(table.weights, table.n_rows)
        counted = table.counted()
        schema = self._schema_without_classes(counted)
        # Values that only rows of weight zero have are no news.
        coded = self._training_codes(table, schema, training=counted is table)
        self._state = self._learned(coded, Fitted(self._params(), schema, table.named))
        return self

    def predict(self, X: Any) -> IntArray:
        """The most probable component of each row, counted from 0."""
        return first_best_of_rows(self.predict_proba(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each component for each row, shape (n_rows, n_components)."""
        return self._fitted.mixture.responsibilities(self._encoded(X))

    def score_samples(self, X: Any) -> FloatArray:
        """Log probability of each row, in nats; missing cells are marginalised."""
        return self._fitted.mixture.log_probs(self._encoded(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log probability of the rows, in nats."""
        log_probs = self.score_samples(X)
        return float(np.average(log_probs, weights=check_weights(sample_weight, len(log_probs))))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[Any], IntArray]:
        """Draw rows from the mixture: an array of values, and the component of each row.

        Parameters
        ----------
        n_samples : int
            Number of rows.
        random_state : int, generator or None
            Where the randomness comes from; by default the seed of the model, so that the same rows are drawn
            every time.
        """
        fitted = self._fitted
        check_size("n_samples", n_samples, MOST_SAMPLES)
        state = check_random_state(self.random_state if random_state is None else random_state)
        seed = None if state is None else seed_of(state)
        # A seed of RandomState has 32 bits.
        rng = np.random.RandomState(seed if seed is None or seed < 2**32 else seed_of([seed]))
        components = rng.choice(fitted.mixture.n_components, n_samples, p=fitted.mixture.class_probs)
        rows = np.empty((n_samples, fitted.schema.n_variables), dtype=object)
        for i, variable in enumerate(fitted.schema.variables):
            values = np.array(variable.values, dtype=object)
            ends = np.cumsum(fitted.mixture.of(i), axis=1)[components]
            drawn = (rng.random_sample(n_samples)[:, None] * ends[:, -1:] >= ends).sum(axis=1)
            rows[:, i] = values[np.minimum(drawn, len(values) - 1)]
        return rows, components.astype(np.int64)

    def bic(self, X: Any, sample_weight: Any = None) -> float:
        """Bayesian information criterion on the scale of scikit-learn: twice the code length in nats."""
        return 2 * self.code_length("bic", X, sample_weight)

    def aic(self, X: Any, sample_weight: Any = None) -> float:
        """Akaike information criterion on the scale of scikit-learn: twice the code length in nats."""
        return 2 * self.code_length("aic", X, sample_weight)

    def code_length(self, criterion: str | None = None, X: Any = None, sample_weight: Any = None) -> float:
        """Code length of a table, in nats, by any criterion.

        Parameters
        ----------
        criterion : str, optional
            As the parameter of the class, which is the default.
        X : table, optional
            By default the training rows, which a model read from a file no longer has.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows of ``X``.
        """
        fitted = self._fitted
        name = fitted.params["criterion"] if criterion is None else criterion
        check_choice("criterion", name, CRITERIA)
        rows = fitted.training if X is None else fitted.weighed(self._encoded(X, sample_weight))
        seed = [fitted.seed, fitted.mixture.n_components]
        return float(
            CRITERIA[name](rows.distinct(), fitted.mixture, fitted.params["prior"], random_state=seed)
        )

    def impute(self, X: Any) -> dict[str, ImputedCells]:
        """The predictive distribution of every missing cell, variable by variable."""
        return self._fitted.imputed(self._encoded(X))

    def predict_values(
        self,
        X: Any,
        query: Any,
        *,
        rule: MixtureRule | None = None,
        method: Method = "auto",
        n_chains: int | None = None,
        n_draws: int | None = None,
    ) -> Answer:
        r"""The predictive distribution of one variable or several, given whatever else is known in each row.

        With ``rule="evidence"`` this is :math:`P(d \mid D) = P(D, d) / P(D)`, where both are sums over all
        clusterings of the rows.

        Parameters
        ----------
        X : table
            What is known. The variables asked about need not be there, and what they hold is not looked at.
        query : name or names
            The variables to predict; several at once by their joint distribution.
        rule : {"map", "evidence", "stochastic_complexity"}, optional
            As the parameter of the class, which is the default.
        method : {"auto", "exact", "gibbs", "annealed"}
            For the rule ``"evidence"``: how to sum over clusterings. ``"exact"``: all of them, for some
            twenty distinct rows. ``"gibbs"`` and ``"annealed"``: those that chains draw, with a standard
            error; annealed ones weigh optima between which no chain wanders. ``"auto"``: exact within some
            ten seconds, Gibbs chains otherwise.
        n_chains, n_draws : int, optional
            Chains, and clusterings that each of them draws; by default 10 and 100, or for annealed chains 50
            and 20.

        Returns
        -------
        Answer
            With the ``method`` used and its ``errors``: bounds, standard errors, or None.

        Examples
        --------
        >>> table = {name: ["yes", "no"] * 5 for name in ("feathers", "eggs", "wings")}
        >>> model = FiniteMixture(2, random_state=0).fit(table)
        >>> bird = {"feathers": ["yes"], "eggs": [None], "wings": ["yes"]}
        >>> by_one, by_all = (model.predict_values(bird, "eggs", rule=rule) for rule in ("map", "evidence"))
        >>> by_one.probs.round(3), by_all.probs.round(3), by_all.method
        (array([[0., 1.]]), array([[0.168, 0.832]]), 'exact')
        """
        question = self.question(query)
        known = self._known(question, X, None)
        question.check_rows(known.coded.n_rows)
        check_choice("method", method, Method)
        effort = Effort(n_chains, n_draws)
        answer = self._fitted.answered(question, known.coded, rule, method, effort)
        self._tell_unanswered(answer)
        return answer

    def _answer(self, question: Question, known: Known) -> Answer:
        return self._fitted.answered(question, known.coded)

    def compare(
        self,
        criteria: str | Iterable[str] = "all",
        report: Callable[[float, float], None] | None = None,
    ) -> Comparison:
        """The comparison of numbers of components with criteria that take longer.

        Parameters
        ----------
        criteria : "all", name or names
            Any of ``"neighbourhoods"``, ``"annealed"`` and ``"exact"``; where one cannot be computed, the
            notes of the result say why, and how long it would take.
        report : function, optional
            Told how much is done, and how much there is.
        """
        return self._fitted.compared(criteria, report)

    def summary(
        self,
        *,
        comparison: Comparison | None = None,
        intervals: Intervals | None = None,
        test: LikelihoodRatioTest | None = None,
    ) -> list[Block]:
        """All that a paper reports, as blocks for people, in the order of the SMART-LCA checklist.

        Parameters
        ----------
        comparison : Comparison, optional
            What :meth:`compare` gave, to be shown in place of ``comparison_``.
        intervals : Intervals, optional
            What :meth:`intervals` gave, to be shown beside the profiles.
        test : LikelihoodRatioTest, optional
            What :meth:`likelihood_ratio_test` gave, to be shown below the comparison.
        """
        fitted = self._fitted
        settings = [(name, str(value)) for name, value in self._shown_params().items()]
        variables = variables_grid("", fitted.schema.variables)
        return summary_blocks(
            fitted, settings, variables, comparison=comparison, intervals=intervals, test=test
        )

    def reordered(self, order: Any) -> Self:
        """The same model with its components in another order, such as from mild to severe.

        Parameters
        ----------
        order : sequence of int
            The components, counted from 0, in the order in which they are to be; ``fit`` puts the largest
            first.

        Examples
        --------
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> model = FiniteMixture(2, random_state=0).fit(table)
        >>> model.reordered([1, 0]).parameters_.class_probs.round(3)
        array([0.333, 0.667])
        """
        other: Self = clone(self)
        other._state = self._fitted.reordered(order)
        return other

    def profiles(self) -> dict[str, dict[Scalar | None, FloatArray]]:
        """For people: the probability of each value of each variable in each component."""
        return self._fitted.profiles()

    def profile_table(self, intervals: Intervals | None = None) -> list[dict[str, Any]]:
        """One record per value, the class shares first: what a data frame, or a table of a paper, is made of.

        Parameters
        ----------
        intervals : Intervals, optional
            What :meth:`intervals` gave; then there are the bounds of each figure too, and whether it lies at
            the boundary.
        """
        return profile_records(self._fitted, intervals)

    def profile_grid(self, intervals: Intervals | None = None) -> Grid:
        """The same as a block for people; intervals stand in brackets."""
        return profile_grid(self._fitted, intervals)

    @property
    def _fitted(self) -> FittedMixture:
        state: FittedMixture = super()._fitted
        return state

    @property
    def outcome_names(self) -> tuple[Scalar, ...]:
        """Numbers of the components, from 1."""
        return tuple(range(1, self.n_components_ + 1))

    @property
    def n_components_(self) -> int:
        """Number of components chosen."""
        return self._fitted.mixture.n_components

    @property
    def parameters_(self) -> MixtureParameters:
        """Probabilities of the components and of the values in each."""
        return self._fitted.mixture

    @property
    def criterion_path_(self) -> dict[int, float]:
        """Code length, in nats, of every number of components that could be chosen."""
        return dict(self._fitted.path)

    @property
    def comparison_(self) -> Comparison:
        """All numbers of components beside each other."""
        return self._fitted.comparison

    @property
    def trust_(self) -> Trust:
        """How often the best solution was found."""
        return self._fitted.trust

    @property
    def observed_(self) -> Observed:
        """Rows used, rows with missing cells, and their share."""
        return self._fitted.observed

    @property
    def remarks_(self) -> list[str]:
        """What to know before anything else."""
        return self._fitted.remarks()

    @property
    def identifiability_(self) -> Identifiability:
        """Whether the parameters are determined."""
        return self._fitted.identifiability

    @property
    def residuals_(self) -> BivariateResiduals:
        """How far each pair of variables is from independence within the components."""
        if self._fitted.residuals is None:
            self._check_rows("residuals_")
            return bivariate_residuals(self._fitted.training, self.parameters_)
        return self._fitted.residuals

    @property
    def classification_(self) -> Classification:
        """Components that rows are assigned to against those that they may belong to."""
        return self._fitted.classification

    @property
    def converged_(self) -> bool:
        """Whether the best run of EM converged."""
        return self._fitted.trust.converged

    @property
    def n_iter_(self) -> int:
        """Iterations of the best run of EM."""
        return self._fitted.trust.n_iter

    @property
    def restarts_(self) -> RestartsInfo:
        """All runs of EM for the number of components chosen."""
        restarts = self._fitted.restarts
        if restarts is None:
            raise AttributeError("restarts_: the runs of EM are not kept in a model file")
        return restarts

    @property
    def memberships_(self) -> FloatArray:
        """Probability of each component for each training row."""
        self._check_rows("memberships_")
        return self._fitted.memberships

    @property
    def labels_(self) -> IntArray:
        """The most probable component of each training row, counted from 0."""
        return first_best_of_rows(self.memberships_)

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedMixture:
        rows = fitted.weighed(coded)
        distinct = rows.distinct()
        return self._chosen(distinct, observed(rows, distinct.n_rows), fitted, rows)

    def _chosen(self, rows: Rows, seen: Observed, fitted: Fitted, training: Coded | None) -> FittedMixture:
        """The state after learning from rows in memory, which are kept as ``training``, or on disk."""
        seed = seed_of(self.random_state)
        auto = self.n_components == "auto"
        found = choose_components(
            rows,
            range(1, self.max_components + 1) if auto else [int(self.n_components)],
            self.criterion,
            self.prior,
            patience=self.patience,
            restarts=Restarts(
                n_init=self.n_init,
                reached=self.reached,
                max_init=self.max_init,
                init=self.init,
                max_iter=self.max_iter,
                tol=self.tol,
            ),
            seed=seed,
            needs_mode=rule_of(self.rule).settles,
        )
        learned = FittedMixture(
            **vars(fitted),
            mixture=found.mixture,
            path=found.path,
            comparison=found.comparison,
            trust=Trust.of(found.restarts),
            observed=seen,
            classification=classification(rows, found.mixture),
            residuals=bivariate_residuals(rows, found.mixture)
            if rows.schema.n_variables <= MOST_VARIABLES and rows.schema.n_cells <= MOST_DENSE
            else None,
            seed=seed,
            restarts=found.restarts,
            rows=training,
            mixtures=found.mixtures,
        )
        self._warn(learned, is_asked_for=not auto)
        return learned

    def _warn(self, learned: FittedMixture, *, is_asked_for: bool) -> None:
        """Tell in Python, too, what makes the classes themselves doubtful."""
        n_components, n_distinct = learned.mixture.n_components, learned.observed.n_distinct
        has_cells = learned.observed.n_rows and learned.schema.n_variables
        if is_asked_for and has_cells and n_components > max(n_distinct, 1):
            tell(many_classes(n_components, n_distinct), DoubtfulFit)
        elif n_components > 1 and learned.identifiability.is_identified is False:
            tell(unidentified(n_components, learned.identifiability), DoubtfulFit)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("init", self.init, STARTS)
        check_choice("rule", self.rule, MixtureRule)
        check_choice("weighting", self.weighting, Weighting)
        if not isinstance(self.n_components, str) or self.n_components != "auto":
            check_whole("n_components", self.n_components, also=', or "auto"')
        for name in ("max_components", "patience", "n_init", "reached", "max_init", "max_iter"):
            check_size(name, getattr(self, name))
        check_number("tol", self.tol)
        check_random_state(self.random_state)

    def _check_rows(self, name: str) -> None:
        if self._fitted.rows is None:
            raise AttributeError(f"{name}: {self._fitted.without_rows}")
        if name == "memberships_" and self._fitted.rows.is_distinct:
            raise AttributeError(
                "labels_ and memberships_: fit_table keeps distinct rows, and no order; use predict_table"
            )

    def _findings_document(self) -> dict[str, Any]:
        return self._fitted.findings_document()

    def _content(self) -> dict[str, Any]:
        return self._fitted.content()

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedMixture:
        return FittedMixture.restored(fitted, content)
