"""Finite mixtures of multinomials (latent class models) with a principled number of components.

Order of reading: :class:`FiniteMixture` (fitting; predictions, samples and imputed values; then what a fit
found). Further results are in ``latent_results`` and ``latent_inference``, its base classes. Depends on
``_fitted_mixture``, which learns and predicts, and on :mod:`codelength.mixture` for options and results.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin, DensityMixin

from ..counts.stream import Progress
from ..decisions import first_best_of_rows
from ..mixture.cache import MEMORY
from ..mixture.code_length import CRITERIA
from ..mixture.em import STARTS
from ..mixture.em.restarts import MAX_STARTS
from ..mixture.parameters import MixtureParameters
from ..mixture.prediction import Effort, ImputedCells, Method, MixtureRule
from ..naive_bayes import PriorLike
from ..naive_bayes.query import Answer
from ..sources import BATCH_ROWS, as_table
from ..table.checks import (
    check_choice,
    check_number,
    check_random_state,
    check_size,
    check_weights,
    check_whole,
    seed_of,
)
from ..table.table import check_not_empty
from ..table.target import column_named
from ..typing import FloatArray, IntArray
from ._fitted import Weighting
from ._fitted_mixture import FittedMixture
from .latent_results import LatentResults
from .reading import known_in, tell_unanswered
from .registry import register

MAX_SAMPLES = 100_000_000
"""Most rows that are drawn at a time."""


@register
@dataclass(eq=False, repr=False)
class FiniteMixture(ClusterMixin, DensityMixin, LatentResults):
    """A finite mixture of products of multinomials: latent class analysis.

    Parameters
    ----------
    n_components : int or "auto"
        Number of components. ``"auto"`` tries 1, 2, ... and keeps the number with the shortest code length,
        once ``patience`` further numbers have brought nothing better; one component is a possible answer.
    criterion : str
        Code length to choose by: ``"cheeseman_stutz"``, ``"cheeseman_stutz_soft"``, ``"bic"``, ``"aic"``,
        ``"neighbourhood"``, ``"neighbourhoods"``, ``"annealed"`` or, for few rows, ``"exact"``.
    prior : {"uniform", "jeffreys", "indifferent"}, float or Prior
        Dirichlet pseudocounts as in :class:`codelength.NaiveBayes`. ``rule="map"`` takes none below 1, for
        which there may be no most probable mixture. For the other rules EM then fits :attr:`parameters_`
        under the uniform prior, and code lengths and predictions use the prior given.
    rule : {"map", "evidence", "stochastic_complexity"}
        Rule of :meth:`query` and :meth:`predict_values`: the most probable mixture, the average over all
        mixtures, or the best fit to the data and the new row. A model file holds the training rows unless the
        rule is ``"map"``, which does not need them.
    n_init : int
        Starts of EM for each number of components; the most probable end is kept.
    reached, max_init : int
        Starts are added, ``n_init`` at a time, until the best solution was found ``reached`` times (ends
        within 0.01 nats are one solution) or there are ``max_init`` of them. With ``reached=1`` none are
        added.
    init : {"mixed", "random", "kmeans", "kmodes"}
        Starting points of EM: ``"mixed"`` takes the three kinds in turn.
    max_components, patience : int
        Largest number that ``"auto"`` tries, and number of further ones without gain that end the search.
    max_iter : int
        Most iterations of EM.
    tol : float
        EM ends when an iteration gains less than this, in nats per row. Tolerances below 1e-7 are reached
        by the three most probable of all runs only, by accelerated EM.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, generator or None
        Source of randomness. A number gives the same model every time.

    Attributes
    ----------
    n_components_, criterion_path_, comparison_
        The number of components chosen, code lengths of all numbers, and more criteria.
    parameters_, labels_, memberships_, schema_
        The mixture, and the components of the training rows.
    trust_, residuals_, classification_, identifiability_, n_iter_
        Diagnostics; see the properties of these names.

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

    n_components: int | Literal["auto"] = "auto"
    _: KW_ONLY
    criterion: str = "cheeseman_stutz"
    prior: PriorLike = "uniform"
    rule: MixtureRule = "map"
    n_init: int = 20
    reached: int = 5
    max_init: int = MAX_STARTS
    init: str = "mixed"
    max_components: int = 20
    patience: int = 3
    max_iter: int = 1000
    tol: float = 1e-11
    weighting: Weighting = "counts"
    random_state: Any = 0

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit mixtures to the rows of ``X`` and keep the one with the shortest code length.

        Parameters
        ----------
        X : Table, data frame, array, mapping of names to columns, or path of a file
            The rows; see :func:`codelength.sources.as_table`.
        y : name of a column of X, optional
            A column to leave out. Anything else is ignored; present for API consistency.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none. So the weights of a
            survey, whose sum is a population, count for that many rows in every criterion; pass
            ``weighting="relative"`` for those.
        """
        params = self._checked_params()
        reading = FittedMixture.reading(params)
        table = as_table(X, None, sample_weight)
        if isinstance(name := column_named(y), str):
            table = table.drop([name])
        # A Table may have a target, which would be encoded and checked although nothing is predicted.
        table = replace(table, target=None)
        if self.schema is None:
            check_not_empty(table)
        check_weights(table.weights, table.n_rows)
        counted = table.counted()
        schema = reading.schema_without_classes(counted)
        # Values that occur only in rows of weight zero are not in the schema, which is no reason to warn.
        coded = reading.coded(table, schema, training=counted is table)
        self._state = FittedMixture.learn(params, coded, table.named)
        return self

    def fit_table(
        self,
        source: Any,
        target: str | None = None,
        *,
        weights: str | None = None,
        drop: Iterable[str] = (),
        keep: Sequence[str] | None = None,
        na: Iterable[str] | None = None,
        batch_rows: int = BATCH_ROWS,
        memory: int = MEMORY,
        progress: Progress | None = None,
    ) -> Self:
        """Fit mixtures to a table of any size, with the same result as :meth:`fit` for the same rows.

        Equal rows are merged while reading. Distinct rows that take more than ``memory`` are written to a
        temporary file, from which EM reads them block by block; it is removed in any case. The criterion must
        then be one that adds up over rows, and methods that need all rows in memory, such as standard errors,
        require ``X=``. If memory holds the distinct rows, they are kept for those methods, without their
        order; use :meth:`predict_table` for the components of all rows.

        Parameters
        ----------
        source : table of any kind
            Files, database queries, frames of any engine, or batches of them; see
            :func:`codelength.as_batches`.
        target : str, optional
            A column to leave out, as ``y`` in :meth:`fit`; by default the target of a
            :class:`codelength.Table`.
        memory : int
            Largest size of the distinct rows in memory, in bytes.
        weights, drop, keep, na, batch_rows, progress
            As in :meth:`codelength.NaiveBayes.fit_table`.

        Examples
        --------
        >>> from codelength import FiniteMixture
        >>> table = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> FiniteMixture(random_state=0).fit_table(table, batch_rows=7).n_components_
        2
        """
        params = self._checked_params()
        self._state = FittedMixture.streamed(
            params,
            source,
            target,
            memory,
            weights=weights,
            drop=drop,
            keep=keep,
            na=na,
            batch_rows=batch_rows,
            progress=progress,
        )
        return self

    def predict(self, X: Any) -> IntArray:
        """Return the most probable component of each row, counted from 0."""
        return first_best_of_rows(self.predict_proba(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each component for each row, shape (n_rows, n_components)."""
        return self._fitted.mixture.responsibilities(self._encoded(X))

    def score_samples(self, X: Any) -> FloatArray:
        r"""Return the log probability of each row, in nats; missing cells are marginalised.

        .. math:: \log P(x) = \log \sum_k \alpha_k \prod_{i \text{ known}} \phi_{kix_i}

        With all cells known, it is equation (8) of Kontkanen, Myllymäki and Tirri (1997), On the accuracy of
        stochastic complexity approximations, under the probabilities of :attr:`parameters_`.
        """
        return self._fitted.mixture.log_probs(self._encoded(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the mean log probability of the rows, in nats."""
        log_probs = self.score_samples(X)
        return float(np.average(log_probs, weights=check_weights(sample_weight, len(log_probs))))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[Any], IntArray]:
        """Draw rows from the mixture: an array of values, and the component of each row.

        Parameters
        ----------
        n_samples : int
            Number of rows.
        random_state : int, generator or None
            Source of randomness; by default the seed of the model, which draws the same rows every time.

        Examples
        --------
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> rows, components = FiniteMixture(2, random_state=0).fit(table).sample(100)
        >>> rows.shape, rows[components == 0][0]
        ((100, 3), array(['no', 'no', 'no'], dtype=object))
        """
        check_size("n_samples", n_samples, MAX_SAMPLES)
        state = check_random_state(self.random_state if random_state is None else random_state)
        return self._fitted.sample(n_samples, None if state is None else seed_of(state))

    def impute(self, X: Any) -> dict[str, ImputedCells]:
        """Return the predictive distribution of every missing cell, variable by variable.

        Variables without a missing cell are left out.

        Examples
        --------
        >>> table = {name: ["yes", "no", "no"] * 10 for name in ("feathers", "eggs", "wings")}
        >>> model = FiniteMixture(2, random_state=0).fit(table)
        >>> found = model.impute({"feathers": ["yes"], "eggs": [None], "wings": ["yes"]})["eggs"]
        >>> found.rows, found.values, found.probs.round(3)
        (array([0]), ('no', 'yes'), array([[0., 1.]]))
        """
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
        r"""Return the predictive distribution of one or several variables, given the known cells of each row.

        With ``rule="evidence"`` this is :math:`P(d \mid D) = P(D, d) / P(D)`; both are sums over all
        clusterings of the rows.

        Parameters
        ----------
        X : table
            The known cells. Columns of the variables to predict are optional, and ignored.
        query : name or names
            The variables to predict; several at once by their joint distribution.
        rule : {"map", "evidence", "stochastic_complexity"}, optional
            As the parameter of the class, which is the default.
        method : {"auto", "exact", "gibbs", "annealed"}
            For the rule ``"evidence"``: the sum over clusterings. ``"exact"``: all of them, for some
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
        fitted = self._fitted
        question = fitted.question(query)
        known = known_in(fitted, self._coded, question, X, None)
        answer = fitted.answer(question, known, rule, method, Effort(n_chains, n_draws))
        tell_unanswered(answer)
        return answer

    @property
    def n_components_(self) -> int:
        """Number of components chosen."""
        return self._fitted.mixture.n_components

    @property
    def parameters_(self) -> MixtureParameters:
        """Probabilities of the components (the largest first) and of the values in each."""
        return self._fitted.mixture

    @property
    def criterion_path_(self) -> dict[int, float]:
        """Code length, in nats, of every number of components that could be chosen."""
        return dict(self._fitted.path)

    @property
    def n_iter_(self) -> int:
        """Iterations of the best run of EM."""
        return self._fitted.trust.n_iter

    @property
    def memberships_(self) -> FloatArray:
        """Probability of each component for each training row."""
        return self._fitted.memberships

    @property
    def labels_(self) -> IntArray:
        """The most probable component of each training row, counted from 0."""
        return first_best_of_rows(self.memberships_)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("criterion", self.criterion, CRITERIA)
        check_choice("init", self.init, STARTS)
        # The type first: an array compared with text gives an array.
        if not isinstance(self.n_components, str) or self.n_components != "auto":
            check_whole("n_components", self.n_components, also=', or "auto"')
        for name in ("max_components", "patience", "n_init", "reached", "max_init", "max_iter"):
            check_size(name, getattr(self, name))
        check_number("tol", self.tol)
