"""Finite mixtures of multinomials (latent class models) with a principled number of components."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin, DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError, InvalidParameter
from ..mixture.em import fit_mixture
from ..mixture.parameters import MixtureParameters
from ..rules import PriorLike
from ..table import Schema, encode, infer_schema
from ..typing import FloatArray, IntArray, Scalar
from .base import TableEstimator
from .criteria import CRITERIA, CriterionName, Training
from .validation import check_not_empty, checked_weights, schema_for


@dataclass(frozen=True, slots=True)
class ImputedCells:
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


class FiniteMixture(ClusterMixin, DensityMixin, TableEstimator):
    """A finite mixture of products of multinomials: latent class analysis.

    Parameters
    ----------
    n_components : int or "auto"
        Number of components. ``"auto"`` tries 1, 2, ... and keeps the number with the shortest code length,
        once ``patience`` further numbers have brought nothing better; one component is a possible answer.
    criterion : str
        The code length that chooses: ``"cheeseman_stutz"``, ``"cheeseman_stutz_soft"``, ``"bic"``, ``"aic"``,
        ``"neighbourhood"``, ``"annealed"`` or, for few rows, ``"exact"``.
    prior : {"uniform"}, float or Prior
        Dirichlet pseudocounts, none below 1, as in :class:`codelength.NaiveBayes`.
    n_init : int
        Random starts of EM for each number of components; the most probable end is kept.
    init : {"random", "kmeans", "kmodes"}
        Where EM starts.
    max_components, patience : int
        How far ``"auto"`` goes, and how many numbers without gain end the search.
    max_iter : int
        Iterations of EM at most.
    tol : float
        EM ends when an iteration gains less than this, in nats a row.
    missing, handle_unknown, numeric, schema
        As in :class:`codelength.NaiveBayes`.
    random_state : int, RandomState or None
        Where the randomness comes from.

    Attributes
    ----------
    n_components_ : int
        Number of components chosen.
    criterion_path_ : dict of int to float
        Code length, in nats, of every number of components tried.
    parameters_ : MixtureParameters
        Probabilities of the components (the largest first) and of the values in each.
    labels_ : array of shape (n_rows,)
        The most probable component of each training row.
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

    parameters_: MixtureParameters
    labels_: IntArray

    def __init__(
        self,
        n_components: int | Literal["auto"] = "auto",
        *,
        criterion: CriterionName = "cheeseman_stutz",
        prior: PriorLike = "uniform",
        n_init: int = 20,
        init: Literal["random", "kmeans", "kmodes"] = "random",
        max_components: int = 20,
        patience: int = 3,
        max_iter: int = 1000,
        tol: float = 1e-7,
        missing: Literal["ignore", "value"] = "ignore",
        handle_unknown: Literal["ignore", "error"] = "ignore",
        numeric: Literal["auto", "discretize", "category", "error"] = "auto",
        schema: Schema | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.criterion = criterion
        self.prior = prior
        self.n_init = n_init
        self.init = init
        self.max_components = max_components
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.missing = missing
        self.handle_unknown = handle_unknown
        self.numeric = numeric
        self.schema = schema
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit mixtures to the rows of ``X`` and keep the one with the shortest code length.

        Parameters
        ----------
        X : data frame, array, or mapping of names to columns
            The rows.
        y : ignored
            There for the sake of scikit-learn.
        sample_weight : array of shape (n_rows,), optional
            Weights of the rows; a weight of 2 counts as two equal rows, 0 as none.
        """
        self._check_params()
        columns = as_columns(X)
        check_not_empty(columns)
        weights = checked_weights(sample_weight, columns.n_rows)
        counted = columns if weights is None or weights.all() else columns.take(weights > 0)
        counted_weights = None if weights is None else weights[weights > 0]
        if self.schema is None:
            schema = infer_schema(
                counted, missing=self.missing, numeric=self.numeric, sample_weight=counted_weights
            )
        else:
            schema = Schema(schema_for(self.schema, columns).variables)
        coded = encode(
            schema, counted, handle_unknown=self.handle_unknown, training=True, by_name=columns.named
        )
        self._set_schema(schema, columns.named)
        self._search(Training.of(coded.codes, counted_weights))
        self.labels_ = self._labels(X)
        return self

    def predict(self, X: Any) -> IntArray:
        """The most probable component of each row."""
        check_is_fitted(self, "parameters_")
        return self._labels(X)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each component for each row, shape (n_rows, n_components)."""
        codes = self._encoded(X).codes
        return self.parameters_.responsibilities(codes)

    def score_samples(self, X: Any) -> FloatArray:
        """Log probability of each row, in nats; missing cells are marginalised."""
        codes = self._encoded(X).codes
        return self.parameters_.log_probs(codes)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Mean log probability of the rows, in nats."""
        log_probs = self.score_samples(X)
        return float(np.average(log_probs, weights=checked_weights(sample_weight, len(log_probs))))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[NDArray[Any], IntArray]:
        """Draw rows from the mixture: an array of values, and the component of each row."""
        check_is_fitted(self, "parameters_")
        if n_samples < 1:
            raise InvalidParameter(f"n_samples={n_samples}: expected at least 1")
        rng = check_random_state(self.random_state if random_state is None else random_state)
        components = rng.choice(self.n_components_, n_samples, p=self.parameters_.class_probs)
        rows = np.empty((n_samples, self.schema_.n_variables), dtype=object)
        for i, variable in enumerate(self.schema_.variables):
            values = np.array(variable.values, dtype=object)
            ends = np.cumsum(self.parameters_.of(i), axis=1)[components]
            drawn = (rng.random_sample(n_samples)[:, None] * ends[:, -1:] >= ends).sum(axis=1)
            rows[:, i] = values[np.minimum(drawn, len(values) - 1)]
        return rows, components.astype(np.int64)

    def bic(self, X: Any) -> float:
        """Bayesian information criterion on the scale of scikit-learn: twice the code length in nats."""
        return 2 * self.code_length("bic", X)

    def aic(self, X: Any) -> float:
        """Akaike information criterion on the scale of scikit-learn: twice the code length in nats."""
        return 2 * self.code_length("aic", X)

    def code_length(self, criterion: CriterionName | None = None, X: Any = None) -> float:
        """Code length of a table, in nats, by any criterion.

        Parameters
        ----------
        criterion : str, optional
            As the parameter of the class, which is the default.
        X : table, optional
            By default the training rows, which a model read from a file no longer has.
        """
        check_is_fitted(self, "parameters_")
        name = self.criterion if criterion is None else criterion
        if name not in CRITERIA:
            raise InvalidParameter(f"criterion={name!r}: expected one of {', '.join(map(repr, CRITERIA))}")
        training = (
            getattr(self, "_training", None) if X is None else Training.of(self._encoded(X).codes, None)
        )
        if training is None:
            raise DataError("code_length: the training rows are not kept in a model file; pass them as X=")
        return CRITERIA[name](self.parameters_, training, self.prior, self._seed(self.n_components_))

    def impute(self, X: Any) -> dict[str, ImputedCells]:
        """The predictive distribution of every missing cell, variable by variable."""
        codes = self._encoded(X).codes
        memberships = self.parameters_.responsibilities(codes)
        imputed = {}
        for i, variable in enumerate(self.schema_.variables):
            rows = np.flatnonzero(codes[:, i] == variable.n_values)
            if len(rows):
                imputed[variable.name] = ImputedCells(
                    rows, variable.values, memberships[rows] @ self.parameters_.of(i)
                )
        return imputed

    def profiles(self) -> dict[str, dict[Scalar | None, FloatArray]]:
        """For people: the probability of each value of each variable in each component."""
        check_is_fitted(self, "parameters_")
        return {
            variable.name: {
                value: self.parameters_.of(i)[:, code] for code, value in enumerate(variable.values)
            }
            for i, variable in enumerate(self.schema_.variables)
        }

    def _search(self, training: Training) -> None:
        """Try numbers of components, and keep all that belongs to the best."""
        auto = self.n_components == "auto"
        self.criterion_path_: dict[int, float] = {}
        best = np.inf
        for size in range(1, self.max_components + 1) if auto else [int(self.n_components)]:
            state, info = fit_mixture(
                self.schema_,
                training.codes,
                size,
                self.prior,
                n_init=self.n_init,
                init=self.init,
                max_iter=self.max_iter,
                tol=self.tol,
                sample_weight=training.weights,
                random_state=self._seed(size),
            )
            # Largest first, so that the names of the components mean something.
            state = state.permuted(np.argsort(-state.class_probs, kind="stable"))
            length = CRITERIA[self.criterion](state, training, self.prior, self._seed(size))
            self.criterion_path_[size] = length
            if length < best or not hasattr(self, "parameters_") or size == 1 or not auto:
                best, chosen = length, size
                self.parameters_, self.restarts_ = state, info
            elif size - chosen >= self.patience:
                break
        self.n_components_ = self.parameters_.n_components
        self.converged_ = self.restarts_.converged
        self.n_iter_ = self.restarts_.runs[self.restarts_.best].n_iter
        self._training = training

    def _seed(self, size: int) -> list[int]:
        """The random stream of one number of components, whatever the others are."""
        state = check_random_state(self.random_state) if self.random_state is None else self.random_state
        if not isinstance(state, (int, np.integer)):
            state = state.randint(2**31)
        return [int(state), size]

    def _labels(self, X: Any) -> IntArray:
        labels: IntArray = np.argmax(self.predict_proba(X), axis=1).astype(np.int64)
        return labels

    def _check_params(self) -> None:
        self._check_table_options()
        if self.criterion not in CRITERIA:
            raise InvalidParameter(
                f"criterion={self.criterion!r}: expected one of {', '.join(map(repr, CRITERIA))}"
            )
        size = self.n_components
        if size != "auto" and (isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1):
            raise InvalidParameter(f'n_components={size!r}: expected a whole number of at least 1, or "auto"')
        for name in ("max_components", "patience", "n_init", "max_iter"):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
                raise InvalidParameter(f"{name}={number!r}: expected a whole number")
            if number < 1:
                raise InvalidParameter(f"{name}={number!r}: expected at least 1")

    def _content(self) -> dict[str, Any]:
        """What a model file keeps beside the parameters of the estimator."""
        return {
            "schema": self.schema_.to_json(),
            "parameters": self.parameters_.to_json(),
            "criterion_path": {str(size): length for size, length in self.criterion_path_.items()},
            "converged": self.converged_,
            "n_iter": self.n_iter_,
        }

    def _restore(self, content: Mapping[str, Any], named: bool) -> Self:
        """Take over what :meth:`_content` kept."""
        self._check_params()
        self._set_schema(Schema.from_json(content["schema"]), named)
        self.parameters_ = MixtureParameters.from_json(content["parameters"], self.schema_)
        self.n_components_ = self.parameters_.n_components
        self.criterion_path_ = {int(size): float(x) for size, x in content["criterion_path"].items()}
        self.converged_, self.n_iter_ = bool(content["converged"]), int(content["n_iter"])
        return self
