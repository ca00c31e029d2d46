"""What an average over model classes learned."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._display import counted
from .._packing import packed, unpacked
from .._threads import in_threads, one_blas_thread
from ..averages.member import Learned, Member
from ..averages.members.registry import MEMBERS
from ..averages.pool import Pool
from ..averages.shares import shapley_values
from ..averages.training import Training, log_class_prior
from ..averages.views import Views
from ..blocks import Block, Grid
from ..decisions import TOLERANCE
from ..errors import DataError
from ..naive_bayes.explanation import Explanation, log_odds_against
from ..scores import Predictions
from ..table import Coded, Schema
from ..table.copies import check_copies
from ..typing import FloatArray, IntArray
from .contract import Fitted

BLOCK = 8192
"""Rows that are predicted at once."""

SCORES = {
    "log_score": "log score",
    "accuracy": "accuracy",
    "brier_score": "Brier",
    "calibration_error": "calibration error",
}
"""What predictions are scored by, and what people call it."""

TOGETHER = "all together"
"""Name of the whole average among its members."""

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class HeldOut(Predictions):
    """Honest predictions of training rows, beside those of others for the same rows.

    Attributes
    ----------
    against : mapping of str to Predictions
        The class prior, and each member alone, without the same rows.
    rows : array of shape (n_rows,)
        Which of the training rows these are, those of weight zero not counted.
    """

    against: Mapping[str, Predictions] = field(default_factory=dict)
    rows: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def _blocks(self) -> list[Block]:
        named = {TOGETHER: self, **self.against} if self.against else {}
        rows = [[name, *(f"{getattr(made, score):.4f}" for score in SCORES)] for name, made in named.items()]
        title = f"{counted(self.n_rows, 'row')}, each predicted without itself"
        return [Grid(title, ["predicted by", *SCORES.values()], rows)] if rows else []


@dataclass(frozen=True, eq=False)
class FittedAverage(Fitted):
    """Members, how they are pooled, and what is kept of the training rows.

    Attributes
    ----------
    views : Views
        What the members look at; the target of its schema has the classes that were seen, and no others.
    class_counts : array
        How many training rows each class has, or what they weigh.
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
    class_counts: FloatArray
    members: tuple[Member, ...]
    pool: Pool
    scores: list[dict[str, Any]]
    left_out: HeldOut | None = None
    training: Training | None = None

    @cached_property
    def seen(self) -> IntArray:
        """Codes of the classes that were seen; all classes where there were no rows."""
        return seen_in(self.class_counts)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Log probability of each class that was seen, before any variable is."""
        return log_class_prior(self.class_counts[self.seen])

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
        blank = Coded.of(self.schema, self.schema.n_values[None])
        parts = np.zeros((coded.n_rows, self.schema.n_variables, self.schema.n_classes))
        with one_blas_thread():
            for power, member in zip(powers, self.members, strict=True):
                if power > 0:
                    parts[:, :, self.seen] += power * self._contributions(member, coded, blank)
            log_odds, before = (
                log_odds_against(self._completed(self._of_seen(rows)), reference) for rows in (coded, blank)
            )
        is_there = (coded.codes < self.schema.n_values)[:, :, None]
        parts = is_there * log_odds_against(parts, reference)
        # The prior that is mixed in, and classes that were never seen, change the sum. The difference is
        # shared out by the size of contributions; if all are 0, equally among the cells that are there.
        sizes, positions = np.abs(parts), [view.position for view in self.views.columns]
        sizes[:, positions] += np.where(sizes.any(axis=1, keepdims=True), 0.0, is_there[:, positions])
        shares = sizes / np.maximum(sizes.sum(axis=1, keepdims=True), TINY)
        return Explanation(
            self.schema.names,
            self.schema.classes,
            self.schema.classes[reference],
            before[0],
            parts + shares * (log_odds - before - parts.sum(axis=1))[:, None, :],
        )

    def check_training_rows(self, coded: Coded) -> None:
        """Refuse other rows than those of the fit, another order and other weights."""
        if self.training is None or self.left_out is None:
            raise DataError(
                "the training rows, and predictions of them, are not kept in model files; fit the model again"
            )
        rows, places = seen_classes(self.weighed(coded), self.seen).merged()
        known = self.training.coded
        same = rows.n_rows == known.n_rows and np.array_equal(places, self.training.places)
        if not (
            same
            and np.array_equal(rows.codes, known.codes)
            and np.array_equal(rows.class_codes, known.class_codes)
        ):
            raise DataError(
                "these are not the rows that the model was fitted on, with their classes and in their order; "
                "leave them out, or score other rows with predict_log_proba"
            )
        assert rows.weights is not None
        assert known.weights is not None
        if not np.allclose(rows.weights, known.weights, rtol=TOLERANCE, atol=0.0):
            raise DataError(
                "the weights are not those that the model was fitted with; pass the same sample_weight, or "
                "leave the rows out"
            )

    def to_json(self) -> dict[str, Any]:
        """What a file keeps beside parameters and schema."""
        return {
            "views": self.views.to_json(),
            "class_counts": packed(self.class_counts),
            "members": [{"name": member.name, "content": member.to_json()} for member in self.members],
            "pool": self.pool.to_json(),
            "scores": self.scores,
        }

    @classmethod
    def from_json(cls, fitted: Fitted, document: Mapping[str, Any]) -> "FittedAverage":
        """What :meth:`to_json` wrote, checked."""
        schema = fitted.schema
        counts = unpacked(document["class_counts"], (schema.n_classes,), low=0.0, high=1e300).astype(
            np.float64
        )
        if not schema.n_classes:
            raise DataError("the schema has no classes")
        seen = seen_in(counts)
        log_prior = log_class_prior(counts[seen])
        views = Views.from_json(document["views"], _schema_of_seen(schema, seen))
        parts = [(part["name"], part["content"]) for part in document["members"]]
        members = tuple(MEMBERS[name].from_json(content, views, log_prior) for name, content in parts)
        return cls(
            **vars(fitted),
            views=views,
            class_counts=counts,
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
        return completed(log_probs, self.seen, self.schema.n_classes, float(self.class_counts.sum()))

    def _contributions(self, member: Member, coded: Coded, blank: Coded) -> FloatArray:
        """What each variable adds in each row to what a row without any cell is predicted as."""
        if member.is_additive:
            return member.contributions(coded) - member.contributions(blank)
        positions = np.array([view.position for view in self.views.columns], dtype=np.int64)
        generator = np.random.default_rng(0)  # the same orders for every row, whatever rows are beside it
        return shapley_values(
            lambda rows: _in_blocks(member, rows), coded, positions, member.log_probs(blank)[0], generator
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
    seen = seen_in(np.bincount(rows.class_codes, rows.weights, rows.schema.n_classes).astype(np.float64))
    training = Training.of(seen_classes(rows, seen), seed)
    check_copies(training.coded.weights)
    learned: list[Learned[Member]] = []
    if len(seen) > 1 and training.views.n_variables:
        with one_blas_thread():
            learned = list(in_threads(lambda name: MEMBERS[name].fit(training), names, n_threads))
    if learned:
        made, together = pool(training, np.array([one.held_out for one in learned]))
    else:
        made, together = Pool(np.ones(0), np.ones(0), 1.0), training.log_prior_left_out
    class_counts = np.zeros(rows.schema.n_classes)
    class_counts[seen] = training.class_counts
    others = {"class prior": training.log_prior_left_out}
    others |= {one.member.name: one.held_out for one in learned}
    left_out = _left_out(rows, training, seen, together, others)
    powers = dict(zip((one.member.name for one in learned), made.weights, strict=True))
    return FittedAverage(
        **vars(fitted),
        views=training.views,
        class_counts=class_counts,
        members=tuple(one.member for one in learned),
        pool=made,
        scores=_scores(left_out, powers, made),
        left_out=left_out,
        training=replace(training),  # a copy, without what members computed from the rows
    )


def seen_in(class_counts: FloatArray) -> IntArray:
    """Codes of the classes that have rows; all classes where there are no rows."""
    seen = np.flatnonzero(class_counts > 0)
    return seen if len(seen) else np.arange(len(class_counts))


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
    >>> np.exp(completed(np.log([[0.25, 0.75]]), np.array([0, 2]), 3, 8.5)).round(4)
    array([[0.2375, 0.05  , 0.7125]])
    """
    if len(seen) == n_classes:
        return log_probs
    share = 0.5 / (total_weight + n_classes / 2)
    whole = np.full((len(log_probs), n_classes), np.log(share))
    whole[:, seen] = log_probs + np.log1p(-share * (n_classes - len(seen)))
    return whole


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
    return HeldOut(of(together), none, labels, weights, against=against, rows=looked_at)


def _scores(left_out: HeldOut, weights: Mapping[str, float], pool: Pool) -> list[dict[str, Any]]:
    """One row per member, then the class prior, then all together."""
    temperatures = dict(zip(weights, pool.temperatures, strict=True))
    named: dict[str, Predictions] = {**left_out.against, TOGETHER: left_out}
    rows = []
    for name in (*weights, "class prior", TOGETHER):
        made = named[name]
        row: dict[str, Any] = {"name": name}
        if name in weights:
            row |= {"weight": float(weights[name]), "temperature": float(temperatures[name])}
        if made.n_rows and (made.weights is None or made.weights.any()):
            row |= {score: getattr(made, score) for score in SCORES}
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
