"""What an average over model classes learned."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from .._display import counted
from .._packing import packed, unpacked
from ..averages.member import Learned, Member
from ..averages.pool import Pool
from ..averages.registry import MEMBERS
from ..averages.shares import shapley_values
from ..averages.training import Training
from ..averages.views import Views
from ..blocks import Block, Grid
from ..errors import DataError
from ..rules.explanation import Explanation
from ..scores import Predictions
from ..table import Coded, Schema
from ..table._messages import shown
from ..typing import FloatArray, IntArray
from .contract import Fitted

BLOCK = 8192
"""Rows that are predicted at once."""

LEAST_LOG_ODDS = 1e-12
"""Log-odds smaller than this are not split by what the variables say, but evenly."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class HeldOut(Predictions):
    """Honest predictions of training rows, beside those of others for the same rows.

    Attributes
    ----------
    against : mapping of str to Predictions
        The class prior, and each member alone, without the same rows.
    """

    against: Mapping[str, Predictions] = field(default_factory=dict)

    def _blocks(self) -> list[Block]:
        named = {"all together": self, **self.against} if self.against else {}
        names = ["predictions by", "log score", "accuracy", "Brier", "calibration error"]
        rows = [
            [
                name,
                f"{made.log_score:.4f}",
                f"{made.accuracy:.4f}",
                f"{made.brier_score:.4f}",
                f"{made.calibration_error:.4f}",
            ]
            for name, made in named.items()
        ]
        title = f"{counted(self.n_rows, 'row')}, each predicted without itself"
        return [Grid(title, names, rows)] if rows else []


@dataclass(frozen=True, eq=False)
class FittedAverage(Fitted):
    """Members, how they are pooled, and what is kept of the training rows.

    Attributes
    ----------
    views : Views
        What the members look at; the target of its schema has the classes that were seen, and no others.
    log_prior : array
        Log probability of each class that was seen, before any variable is.
    seen : array of int
        Codes of these classes.
    n_rows, total_weight : int, float
        Training rows, and what they weigh.
    members : tuple of Member
        The members; none where there is nothing to learn from.
    pool : Pool
        How they are made into one.
    scores : list of dict
        What each member, the class prior and all together scored on rows that they had not seen.
    left_out : HeldOut, optional
        Predictions of the training rows; not kept in files.
    training : Training, optional
        The training rows; not kept in files.
    """

    views: Views
    log_prior: FloatArray
    seen: IntArray
    n_rows: int
    total_weight: float
    members: tuple[Member, ...]
    pool: Pool
    scores: list[dict[str, Any]]
    left_out: HeldOut | None = None
    training: Training | None = None

    def log_probs(self, coded: Coded) -> FloatArray:
        """Log probability of each class, seen or not, for each row."""
        found = np.empty((coded.n_rows, self.schema.n_classes))
        with one_blas_thread():
            for start in range(0, coded.n_rows, BLOCK):
                rows = coded.take(np.arange(start, min(start + BLOCK, coded.n_rows)))
                found[start : start + BLOCK] = self._completed(self._of_seen(rows))
        return found

    def explain(self, coded: Coded, reference: int) -> Explanation:
        """The log-odds of the classes against one of them, split over the variables."""
        powers = self.pool.weights * self.pool.temperatures
        parts = np.zeros((coded.n_rows, self.schema.n_variables, len(self.seen)))
        with one_blas_thread():
            for power, member in zip(powers, self.members, strict=True):
                if power > 0:
                    parts += power * self._contributions(member, coded)
            final = self._of_seen(coded) - self.log_prior
        if reference in self.seen:
            base = self.seen.tolist().index(reference)
            parts, final = parts - parts[:, :, base, None], final - final[:, base, None]
        # The prior's share draws log-odds towards its own, for each pair of classes by another factor.
        found = parts.sum(axis=1)
        is_split = np.abs(found) > LEAST_LOG_ODDS
        parts = parts * np.where(is_split, final / np.where(is_split, found, 1.0), 0.0)[:, None, :]
        positions = [view.position for view in self.views.columns]
        parts[:, positions] += (np.where(is_split, 0.0, final) / max(len(positions), 1))[:, None, :]
        contributions = np.zeros((coded.n_rows, self.schema.n_variables, self.schema.n_classes))
        contributions[:, :, self.seen] = parts
        log_prior = self._completed(self.log_prior[None])[0]
        return Explanation(
            self.schema.names,
            self.schema.classes,
            self.schema.classes[reference],
            log_prior - log_prior[reference],
            contributions,
        )

    def check_training_rows(self, coded: Coded) -> None:
        """Refuse rows other than those that the model was fitted on."""
        if self.training is None or self.left_out is None:
            raise DataError(
                "the training rows, and predictions of them, are not kept in model files; fit the model again"
            )
        rows = seen_classes(self.weighed(coded), self.seen).merged()[0]
        known = self.training.coded
        same = rows.n_rows == known.n_rows and np.array_equal(rows.codes, known.codes)
        if not same or not np.array_equal(rows.class_codes, known.class_codes):
            raise DataError(
                "these are not the rows that the model was fitted on, with their classes; leave them out, or "
                "score other rows with predict_log_proba"
            )

    def to_json(self) -> dict[str, Any]:
        """What a file keeps beside parameters and schema."""
        return {
            "views": self.views.to_json(),
            "log_prior": packed(self.log_prior),
            "seen": self.seen.tolist(),
            "n_rows": self.n_rows,
            "total_weight": self.total_weight,
            "members": [{"name": member.name, "content": member.to_json()} for member in self.members],
            "pool": self.pool.to_json(),
            "scores": self.scores,
        }

    @classmethod
    def from_json(cls, fitted: Fitted, document: Mapping[str, Any]) -> "FittedAverage":
        """What :meth:`to_json` wrote, checked."""
        n_classes, seen = fitted.schema.n_classes, document["seen"]
        if not seen or any(type(code) is not int or not 0 <= code < n_classes for code in seen):
            raise DataError(f"classes {shown(seen)} are not those of the schema")
        if seen != sorted(set(seen)):
            raise DataError(f"classes {shown(seen)} are not in order")
        codes = np.array(seen, dtype=np.int64)
        schema = _schema_of_seen(fitted.schema, codes)
        views = Views.from_json(document["views"], schema)
        log_prior = unpacked(document["log_prior"], (len(seen),), high=0.0).astype(np.float64)
        if abs(np.exp(log_prior).sum() - 1) > 1e-9:
            raise DataError("the class prior does not add up to 1")
        parts = [(part["name"], part["content"]) for part in document["members"]]
        members = tuple(MEMBERS[name].from_json(content, views, log_prior) for name, content in parts)
        n_rows, total = document["n_rows"], document["total_weight"]
        if type(n_rows) is not int or n_rows < 0 or type(total) is not float or not 0 <= total < np.inf:
            raise DataError(f"{shown(n_rows)} rows of weight {shown(total)} are not what a fit leaves behind")
        return cls(
            **vars(fitted),
            views=views,
            log_prior=log_prior,
            seen=codes,
            n_rows=n_rows,
            total_weight=total,
            members=members,
            pool=Pool.from_json(document["pool"], len(members)),
            scores=[_checked_scores(row) for row in document["scores"]],
        )

    def _of_seen(self, coded: Coded) -> FloatArray:
        """Log probability of each class that was seen."""
        if not self.members:
            return np.tile(self.log_prior, (coded.n_rows, 1))
        each = np.array([member.log_probs(coded) for member in self.members])
        return self.pool.log_probs(each, self.log_prior)

    def _completed(self, log_probs: FloatArray) -> FloatArray:
        """Classes that were never seen get their share of the prior, and the others share the rest."""
        return completed(log_probs, self.seen, self.schema.n_classes, self.total_weight)

    def _contributions(self, member: Member, coded: Coded) -> FloatArray:
        if member.is_additive:
            return member.contributions(coded)
        positions = np.array([view.position for view in self.views.columns], dtype=np.int64)
        generator = np.random.default_rng(0)  # the same orders for every row, whatever rows are beside it
        return shapley_values(
            lambda rows: _in_blocks(member, rows), coded, positions, self.log_prior, generator
        )


def learn_average(
    coded: Coded,
    fitted: Fitted,
    names: Sequence[str],
    seed: int,
    n_threads: int,
    pool: Callable[[Training, FloatArray], tuple[Pool, FloatArray]],
) -> FittedAverage:
    """Fit members to coded rows and pool them."""
    rows = fitted.weighed(coded)
    counts = np.bincount(rows.class_codes, rows.weights, rows.schema.n_classes)
    seen = np.flatnonzero(counts > 0)
    if not len(seen):
        seen = np.arange(rows.schema.n_classes)
    training = Training.of(seen_classes(rows, seen), seed)
    learned: list[Learned[Member]] = []
    if len(seen) > 1 and training.views.n_variables:
        with one_blas_thread(), ThreadPoolExecutor(n_threads) as threads:
            learned = list(threads.map(lambda name: MEMBERS[name].fit(training), names))
    if learned:
        made, together = pool(training, np.array([one.held_out for one in learned]))
    else:
        made, together = Pool(np.ones(0), np.ones(0), 0.0), training.log_prior_left_out
    total = float(training.class_counts.sum())
    others = {"class prior": training.log_prior_left_out}
    others |= {one.member.name: one.held_out for one in learned}
    left_out = _left_out(rows, training, seen, together, others)
    powers = dict(zip((one.member.name for one in learned), made.weights, strict=True))
    return FittedAverage(
        **vars(fitted),
        views=training.views,
        log_prior=training.log_prior,
        seen=seen,
        n_rows=coded.n_rows,
        total_weight=total,
        members=tuple(one.member for one in learned),
        pool=made,
        scores=_scores(left_out, powers, made),
        left_out=left_out,
        training=training,
    )


def seen_classes(coded: Coded, seen: IntArray) -> Coded:
    """The same rows under a schema that has the classes seen, and no others."""
    if len(seen) == coded.schema.n_classes:
        return coded
    numbers = np.zeros(coded.schema.n_classes, dtype=np.int64)
    numbers[seen] = np.arange(len(seen))
    return coded.relabelled(_schema_of_seen(coded.schema, seen), numbers[coded.class_codes])


def completed(log_probs: FloatArray, seen: IntArray, n_classes: int, total_weight: float) -> FloatArray:
    """Distributions over the classes seen as distributions over all: the unseen get 1/2 / (n + C/2) each.

    Examples
    --------
    >>> np.exp(completed(np.log([[0.25, 0.75]]), np.array([0, 2]), 3, 8.5)).round(3)
    array([[0.238, 0.05 , 0.713]])
    """
    if len(seen) == n_classes:
        return log_probs
    share = 0.5 / (total_weight + n_classes / 2)
    whole = np.full((len(log_probs), n_classes), np.log(share))
    whole[:, seen] = log_probs + np.log1p(-share * (n_classes - len(seen)))
    return whole


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Linear algebra in one thread: on matrices as small as ours more threads only wait for each other."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _in_blocks(member: Member, coded: Coded) -> FloatArray:
    parts = [
        member.log_probs(coded.take(np.arange(start, min(start + BLOCK, coded.n_rows))))
        for start in range(0, coded.n_rows, BLOCK)
    ]
    return np.concatenate(parts)


def _left_out(
    rows: Coded,
    training: Training,
    seen: IntArray,
    together: FloatArray,
    others: Mapping[str, FloatArray],
) -> HeldOut:
    """Predictions of the rows of the table that were looked at one by one, in their order."""
    numbers = np.full(training.coded.n_rows, -1, dtype=np.int64)
    numbers[training.sample] = np.arange(training.n_rows)
    places = np.where(training.places < 0, -1, numbers[training.places])
    looked_at = np.flatnonzero(places >= 0)
    labels = rows.class_codes[looked_at]
    weights = None if rows.weights is None else rows.weights[looked_at]
    total = float(training.class_counts.sum())

    def of(log_probs: FloatArray) -> FloatArray:
        return completed(log_probs[places[looked_at]], seen, rows.schema.n_classes, total)

    none = np.zeros(len(looked_at), dtype=bool)
    against = {name: Predictions(of(made), none, labels, weights) for name, made in others.items()}
    return HeldOut(of(together), none, labels, weights, against=against)


def _scores(left_out: HeldOut, weights: Mapping[str, float], pool: Pool) -> list[dict[str, Any]]:
    """One row per member, then the class prior, then all together."""
    temperatures = dict(zip(weights, pool.temperatures, strict=True))
    named: dict[str, Predictions] = {**left_out.against, "all together": left_out}
    rows = []
    for name in (*weights, "class prior", "all together"):
        made = named[name]
        row: dict[str, Any] = {"name": name}
        if name in weights:
            row |= {"weight": float(weights[name]), "temperature": float(temperatures[name])}
        if made.n_rows and (made.weights is None or made.weights.any()):
            row |= {
                "log_score": made.log_score,
                "accuracy": made.accuracy,
                "brier_score": made.brier_score,
                "calibration_error": made.calibration_error,
            }
        rows.append(row)
    rows[-2]["weight"] = float(pool.share)
    return rows


def _checked_scores(row: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {name: value for name, value in row.items() if name != "name"}
    if not isinstance(row["name"], str) or not all(
        type(value) is float and np.isfinite(value) for value in numbers.values()
    ):
        raise DataError("the scores are not what a fit leaves behind")
    return {"name": row["name"], **numbers}


def _schema_of_seen(schema: Schema, seen: IntArray) -> Schema:
    assert schema.target is not None
    if len(seen) == schema.n_classes:
        return schema
    values = tuple(schema.target.values[code] for code in seen)
    return replace(schema, target=replace(schema.target, values=values))
