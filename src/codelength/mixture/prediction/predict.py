"""The predictive distributions of a finite mixture, by rule and by method.

Order of reading: :class:`Learned` (rows and mixture), :func:`predict`, the training rows of model files,
:class:`HiddenClusters` (the class predicted with its cluster hidden), :class:`ImputedCells`.

Depends on ``chains``, ``climbing`` and ``exact``, one for each way to predict, and on ``products``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from ..._display import Shown, counted
from ..._packing import packed, unpacked
from ...blocks import Block, Grid
from ...errors import DataError, Infeasible
from ...naive_bayes import Distributions, PriorLike, Scorer, normalised, rule_of
from ...naive_bayes.query import Answer, Question, answer_by_tables
from ...table import Coded, Schema
from ...table.checks import check_choice, check_whole
from ...table.coded import unchecked
from ...typing import FloatArray, IntArray, Scalar
from ..clusterings import clustering_counts
from ..code_length.clustering_sum import ClusteringSum
from ..costs import MAX_SECONDS, refuse
from ..em import em
from ..parameters import MixtureParameters, posterior_mode, with_components
from .chains import Effort, drawn_products
from .climbing import maximised_log_likelihoods
from .exact import ExactPosterior
from .products import ProductMixture, ProductSums, distinct_rows, joined_sums

MixtureRule: TypeAlias = Literal["map", "evidence", "stochastic_complexity"]
"""The predictive rules of a mixture whose components are hidden."""

Method: TypeAlias = Literal["auto", "exact", "gibbs", "annealed"]
"""Methods to sum over clusterings under the evidence rule."""

MAX_ROWS = 2000
"""With more rows than this, equal ones counted separately, an exact sum is tried only on request."""

AUTO_SECONDS = 10.0
"""Limit of the estimated time of an exact sum that was not requested, in seconds."""

MAX_WEIGHT = 2.0**53
"""Maximum weight of a row in a file."""

MAX_ITER, TOL = 1000, 1e-9
"""When EM ends: iterations, and nats per row."""


@dataclass(frozen=True, eq=False)
class Learned:
    """The data and the mixture that predictions are made from.

    Attributes
    ----------
    rows : Coded
        The rows that were learned from.
    mixture : MixtureParameters
        The most probable mixture.
    prior : prior or its name
        Dirichlet pseudocounts.
    """

    rows: Coded
    mixture: MixtureParameters
    prior: PriorLike = "uniform"
    _made: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without cached products: they can be computed again."""
        return Learned, (self.rows, self.mixture, self.prior)

    @cached_property
    def posterior(self) -> ExactPosterior:
        """The exact sum over clusterings."""
        return ExactPosterior(ClusteringSum.of(self.rows, self.mixture, self.prior))

    def products(self, method: str, random_state: Any, effort: Effort) -> list[ProductMixture]:
        """Return the products of the clusterings that each chain drew.

        Those of the last call are cached, so that further rows are predicted without new draws.
        """
        # Products of a generator or of fresh entropy cannot be reproduced, so they are not looked up again.
        key = (method, effort, random_state if isinstance(random_state, (int, tuple)) else object())
        if key not in self._made:
            made = drawn_products(self.rows, self.mixture, self.prior, method, effort, random_state)
            # Products take much memory: only those of the last call are kept.
            self._made.clear()
            self._made[key] = made
        found: list[ProductMixture] = self._made[key]
        return found


def predict(
    learned: Learned,
    question: Question,
    new: Coded,
    rule: MixtureRule = "evidence",
    *,
    method: Method = "auto",
    random_state: Any = 0,
    effort: Effort | None = None,
) -> Answer:
    r"""Compute the predictive distribution of some variables in new rows with hidden components.

    Parameters
    ----------
    learned : Learned
        The rows, the most probable mixture, and the prior.
    question : Question
        The queried variables.
    new : Coded
        The new rows; their queried cells are ignored.
    rule : {"map", "evidence", "stochastic_complexity"}
        Whether to predict by the most probable mixture alone, by the average over all mixtures,
        :math:`P(D, d) / P(D)`, or by the maximised likelihood of all rows together.
    method : {"auto", "exact", "gibbs", "annealed"}
        The sum over clusterings, for the rule ``"evidence"``. ``"auto"`` takes the exact sum if that is
        estimated to take less than ten seconds, and Gibbs chains otherwise.
    random_state : int, sequence of int, generator or None
        Seed of the chains.
    effort : Effort, optional
        Amount of work for answers that are not exact.

    Returns
    -------
    Answer
        The distributions, with the method used and an estimate of their errors.
    """
    check_choice("rule", rule, MixtureRule)
    check_choice("method", method, Method)
    given = (effort or Effort()).checked(method)
    # Rows that agree outside the queried cells have the same answer, which is computed once.
    rows, places = distinct_rows(question, new)
    kind = rule_of(rule)
    if kind.settles:
        tables, schema = learned.mixture.log_tables(), learned.mixture.schema
        log_weights = Scorer.of(schema, tables).log_weights(rows)
        answer = answer_by_tables(question, schema, log_weights, tables.value_table)
    elif kind.maximises:
        logs = maximised_log_likelihoods(
            learned.rows, learned.mixture, question, rows, given.max_iter, given.tol
        )
        answer = question.answer(np.exp(logs - logs.max(axis=1, keepdims=True)), method="em")
    else:
        answer = _evidence(learned, question, rows, method, random_state, given)
    return answer.take(places)


def _evidence(
    learned: Learned, question: Question, rows: Coded, method: Method, random_state: Any, effort: Effort
) -> Answer:
    """Average over all mixtures, exactly or by chains."""
    weights = learned.rows.weights
    if weights is not None and (weights % 1).any():
        raise DataError(
            'rule="evidence": clusterings are of whole rows, and some weights are not whole numbers; round '
            'them, or pass rule="map"'
        )
    if method == "exact" or (method == "auto" and learned.rows.total_weight <= MAX_ROWS):
        posterior = learned.posterior
        error = _why_not_exact(posterior, question, rows, MAX_SECONDS if method == "exact" else AUTO_SECONDS)
        if error is None:
            sums = summed(learned, question, rows, posterior.blocks()).sums
            # The bound is relative to each probability, so probabilities are computed first.
            errors = question.answer(sums).probs * posterior.error_bound
            return question.answer(sums, method="exact", errors=errors)
        if method == "exact":
            raise error
    method = "gibbs" if method == "auto" else method
    parts = learned.products(method, random_state, effort)
    total, errors = joined_sums([summed(learned, question, rows, [part]) for part in parts])
    return question.answer(total, method=method, errors=errors.reshape(-1, *question.sizes))


def _why_not_exact(
    posterior: ExactPosterior, question: Question, rows: Coded, max_seconds: float
) -> Infeasible | None:
    """Return the reason why the exact sum is not possible, or takes too long."""
    problem, what = posterior.problem, f"the exact prediction from {posterior.problem}"
    if not problem.n_rows or not problem.is_symmetric:
        return Infeasible(
            f'{what}: it needs rows, and a prior that is the same for all components; pass method="gibbs"'
        )
    cost = posterior.cost(rows.n_rows, question.n_combinations)
    if not cost.is_feasible or cost.seconds > max_seconds:
        return refuse(what, cost)
    if not posterior.is_sound:
        return Infeasible(
            f'{what}: its terms differ too much in size for floats; take fewer columns, or method="gibbs"'
        )
    return None


def summed(learned: Learned, question: Question, rows: Coded, parts: Iterable[ProductMixture]) -> ProductSums:
    """Sum the weights of the queried combinations over products."""
    sums = ProductSums(learned.mixture.schema, question, rows)
    for part in parts:
        sums.add(part)
    return sums


def packed_rows(coded: Coded) -> dict[str, Any]:
    """Return the distinct training rows and their weights as JSON types, for models that predict from them.

    Examples
    --------
    >>> schema = Schema.from_sizes([2, 3])
    >>> document = packed_rows(Coded.of(schema, [[0, 2], [1, 3], [0, 2]]))
    >>> restored_rows(document, schema).weights
    array([2., 1.])
    """
    rows = coded.relabelled(coded.schema.without_target()).distinct()
    weights = rows.row_weights
    kind = np.uint8 if rows.codes.dtype == np.uint8 else np.int32
    return {"codes": packed(rows.codes.astype(kind)), "weights": packed(weights)}


def restored_rows(document: Mapping[str, Any], schema: Schema) -> Coded:
    """Return the rows that :func:`packed_rows` wrote, checked."""
    codes = unpacked(document["codes"], (None, schema.n_variables), low=0)
    weights = unpacked(document["weights"], (len(codes),), low=0.0, high=MAX_WEIGHT)
    if codes.dtype.kind not in "iu" or not (weights > 0).all():
        raise DataError("the training rows of the model are not what a fit leaves behind; fit it again")
    return Coded.of(schema.without_target(), codes, weights=weights)


@dataclass(frozen=True, eq=False)
class HiddenClusters:
    """A mixture over features and class, the rows it was learned from, and the rule that predicts.

    Attributes
    ----------
    learned : Learned
        The rows, whose last column is the class, and the mixture that EM found from a clustering of them.
    rule : str
        How the class is predicted.
    seed : int
        Seed of the chains.
    """

    learned: Learned
    rule: MixtureRule
    seed: int

    @classmethod
    def of(cls, training: Coded, labels: IntArray, rule: MixtureRule, prior: PriorLike, seed: int) -> Self:
        """Fit the mixture that EM finds from a clustering, with as many components."""
        rows = with_components(training, int(labels.max(initial=0)) + 1)
        # The other rules need no mode: the evidence averages, and stochastic complexity has no prior.
        own = prior if rule_of(rule).settles else "uniform"
        start = posterior_mode(clustering_counts(rows, labels), own)
        mixture, _ = em(rows, start, own, max_iter=MAX_ITER, tol=TOL)
        return cls(Learned(training, mixture, prior), rule, seed)

    def log_probs(self, coded: Coded) -> Distributions:
        """Compute the log probability of each class for rows without their classes."""
        wide = self.learned.rows.schema.without_target()
        rows = with_classes(coded, wide, np.full(coded.n_rows, -1))
        answer = self.answered(Question.of(wide, wide.names[-1]), rows)
        with np.errstate(divide="ignore"):
            return Distributions(normalised(np.log(answer.probs)).log_probs, answer.undefined)

    def answered(self, question: Question, rows: Coded) -> Answer:
        """Answer a question about rows whose last column is the class."""
        return predict(self.learned, question, rows, self.rule, random_state=self.seed)

    def to_json(self) -> dict[str, Any]:
        """Return the mixture and its rows as JSON types."""
        learned = self.learned
        return {"rows": packed_rows(learned.rows), "mixture": learned.mixture.to_json(), "seed": self.seed}

    @classmethod
    def from_json(
        cls, document: Mapping[str, Any], schema: Schema, rule: MixtureRule, prior: PriorLike
    ) -> Self:
        """Restore what :meth:`to_json` wrote; the last variable of the schema is the class."""
        mixture = MixtureParameters.from_json(document["mixture"], schema)
        learned = Learned(restored_rows(document["rows"], schema), mixture, prior)
        return cls(learned, rule, check_whole("seed", document["seed"], 0))


def with_classes(coded: Coded, wide: Schema, classes: IntArray) -> Coded:
    """Return rows with the class as last column, missing if its code is -1."""
    codes = np.empty((coded.n_rows, wide.n_variables), dtype=wide.code_type, order="F")
    codes[:, :-1], codes[:, -1] = coded.codes, np.where(classes < 0, wide.n_values[-1], classes)
    return unchecked(wide, codes, np.zeros(coded.n_rows, dtype=np.uint8))


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class ImputedCells(Shown):
    """Predictive distribution of the missing cells of one variable.

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


def shown_value(value: Scalar | None) -> str:
    """Return a value of a variable as text."""
    return "missing" if value is None else str(value)
