"""Fitted average over model classes.

Order of reading: :class:`FittedAverage`: learning, predictions, explanations, exports, predictions of
training rows, findings, files. Depends on :mod:`codelength.averages`: members, their pool and held-out
predictions.

Members learn from merged rows of the classes that were seen; ``_completed`` gives the other classes their
share afterwards. The pool is fitted to predictions of the training rows, each without itself. Pooled, these
are the result of ``leave_one_out``. They belong to rows, which files do not keep.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._packing import packed, unpacked
from .._threads import in_threads, n_threads_or_default, one_blas_thread
from ..averages.held_out import (
    SCORES,
    HeldOut,
    checked_scores,
    completed,
    held_out_of,
    schema_of_seen,
    scores_of,
    seen_classes,
    seen_in,
)
from ..averages.member import AdditiveMember, FittedMember, Member
from ..averages.members import DEFAULT_MEMBERS, MEMBERS
from ..averages.pool import Pool
from ..averages.shapley import shapley_values
from ..averages.training import Training, log_class_prior
from ..averages.views import Views
from ..blocks import Block, Grid
from ..decisions import TOLERANCE
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Distributions
from ..naive_bayes.explanation import Explanation, log_odds_against
from ..table import Coded
from ..table.checks import seed_of
from ..table.copies import check_copies
from ..table.cutting import Cutting
from ..typing import FloatArray, IntArray
from ._fitted import Capability, Fitted, scaled
from .reading import Reading
from .registry import model_of

if TYPE_CHECKING:
    from ..networks.look_ups import LookUps

N_BINS = 100
"""Most intervals of a column of numbers: so many that members can treat them as numbers."""

BLOCK = 8192
"""Rows that are predicted at once."""

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class FittedAverage(Fitted):
    """Members, their pool, and the training rows with their held-out predictions.

    Attributes
    ----------
    views : Views
        Views of the table that members use; the target of its schema has only the classes that were seen.
    class_counts : array
        Weight of the training rows of each class.
    members : tuple of Member
        The members; none if no variable varies or there is one class.
    pool : Pool
        Weights and temperatures of the members, and the share of the class prior.
    scores : list of dict
        Held-out scores of each member, of the class prior and of all together.
    held_out : HeldOut, optional
        Predictions of the training rows; not kept in files.
    training : Training, optional
        The training rows; not kept in files.
    """

    views: Views
    class_counts: FloatArray
    members: tuple[Member, ...]
    pool: Pool
    scores: list[dict[str, Any]]
    held_out: HeldOut | None = None
    training: Training | None = None

    kind = "model-average"

    @classmethod
    def members_of(cls, params: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the members."""
        return DEFAULT_MEMBERS if params["members"] is None else tuple(params["members"])

    @classmethod
    def pooled(cls, training: Training, held_outs: FloatArray) -> tuple[Pool, FloatArray]:
        """Return the pool of members, and its held-out predictions, from those of each member."""
        # The only row of a class: without it no member knows the class, so it does not compare members.
        others = training.class_counts[training.labels] - training.copy_weights
        weights = np.where(others > 0.0, training.weights, 0.0)
        return Pool.fit(
            held_outs,
            training.log_prior_left_out,
            training.labels,
            weights if weights.any() else training.weights,
            np.minimum(training.copy_weights, weights) if weights.any() else training.copy_weights,
        )

    @classmethod
    def capabilities(cls, params: Mapping[str, Any]) -> frozenset[Capability]:
        found = super().capabilities(params)
        # Every member, although the fit may give some of them weight zero: this is asked before the fit.
        are_sums = all(MEMBERS[name].look_ups is not Member.look_ups for name in cls.members_of(params))
        return found if are_sums else found - {"export"}

    @classmethod
    def reading(cls, params: Mapping[str, Any]) -> Reading:
        return Reading(params, params["schema"], Cutting(n_bins=N_BINS))

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        rows = scaled(params, coded)
        seed = seed_of(params["random_state"])
        seen = seen_in(np.bincount(rows.class_codes, rows.weights, rows.schema.n_classes).astype(np.float64))
        training = Training.of(seen_classes(rows, seen), seed)
        check_copies(training.coded.weights)
        learned: list[FittedMember[Member]] = []
        if len(seen) > 1 and training.views.n_variables:
            names, n_jobs = cls.members_of(params), params["n_jobs"]
            # As in scikit-learn: None is one thread, and -1 as many as there are processors.
            n_threads = 1 if n_jobs is None else n_threads_or_default(None if n_jobs == -1 else n_jobs)
            with one_blas_thread():
                learned = list(in_threads(lambda name: MEMBERS[name].fit(training), names, n_threads))
        if learned:
            pool, together = cls.pooled(training, np.array([one.held_out for one in learned]))
        else:
            pool, together = Pool(np.ones(0), np.ones(0), 1.0), training.log_prior_left_out
        class_counts = np.zeros(rows.schema.n_classes)
        class_counts[seen] = training.class_counts
        others = {"class prior": training.log_prior_left_out}
        others |= {one.member.name: one.held_out for one in learned}
        held_out = held_out_of(rows, training, seen, together, others)
        powers = dict(zip((one.member.name for one in learned), pool.weights, strict=True))
        return cls(
            params,
            coded.schema,
            named,
            views=training.views,
            class_counts=class_counts,
            members=tuple(one.member for one in learned),
            pool=pool,
            scores=scores_of(held_out, powers, pool),
            held_out=held_out,
            training=replace(training),  # a copy, without what members computed from the rows
        )

    @cached_property
    def seen(self) -> IntArray:
        """Codes of the classes that were seen; all classes if there were no rows."""
        return seen_in(self.class_counts)

    @cached_property
    def log_prior(self) -> FloatArray:
        """Log prior probability of each class that was seen."""
        return log_class_prior(self.class_counts[self.seen])

    def log_probs(self, coded: Coded) -> Distributions:
        # One thread of BLAS: on matrices of this size, more threads only wait for each other.
        with one_blas_thread():
            found = _in_blocks(lambda rows: self._completed(self._of_seen(rows)), coded)
        return Distributions(found, np.zeros(coded.n_rows, dtype=np.bool_))

    def explain(self, coded: Coded, reference: int) -> Explanation:
        """Return the contribution of each variable to the log-odds against a class, given by its code."""
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

    def look_ups(self) -> "LookUps":
        """Return the look-up tables for other programs, if all members with a weight are sums of them."""
        from ..networks.look_ups import LookUps

        seen, n_classes, total = self.seen, self.schema.n_classes, float(self.class_counts.sum())
        prior = np.exp(completed(self.log_prior[None], seen, n_classes, total)[0])
        powers = (self.pool.weights * self.pool.temperatures).tolist()
        counting = [pair for pair in zip(self.members, powers, strict=True) if pair[1] > 0.0]
        parts = [member.look_ups() for member, _ in counting]
        self.check_sums([one.name for (one, _), own in zip(counting, parts, strict=True) if own is None])
        # The prior that is mixed in, and the share of classes that were never seen, are the same in all rows.
        floor = prior.copy()
        floor[seen] *= self.pool.share if self.members else 0.0
        about = {"schema": self.views.schema, "rule": self.name(self.params), "floor": floor}
        known = [own for own in parts if own is not None]
        pool = LookUps.pooled(known, [power for _, power in counting], self.log_prior, **about)
        return pool.among_all(self.schema, seen)

    def check_sums(self, others: Sequence[str]) -> None:
        """Raise InvalidParameter if there are members that are not sums of look-ups."""
        if others:
            able = [name for name, member in MEMBERS.items() if member.look_ups is not Member.look_ups]
            raise InvalidParameter(
                f"members {', '.join(map(repr, others))}: cannot be exported, because their predictions are "
                f"not sums of look-up tables; fit an average with members={able}, or some of these, or one "
                f"of the models {', '.join(name.replace('_', '-') for name in able)}"
            )

    def left_out(self, coded: Coded | None = None) -> HeldOut:
        """Return predictions of the training rows, each without itself; ``coded`` is only checked."""
        if self.held_out is None or self.training is None:
            raise DataError(
                "the training rows, and predictions of them, are not kept in model files; fit the model again"
            )
        if coded is not None:
            self._check_training_rows(coded, self.training)
        return self.held_out

    def _check_training_rows(self, coded: Coded, training: Training) -> None:
        """Raise DataError for other rows than those of the fit, another order or other weights."""
        # Merged as in the fit: equal rows are one there, and places say which rows they were.
        rows, places = seen_classes(scaled(self.params, coded), self.seen).merged()
        known = training.coded
        pairs = (places, training.places), (rows.codes, known.codes), (rows.class_codes, known.class_codes)
        if not all(np.array_equal(one, other) for one, other in pairs):
            raise DataError(
                "these are not the rows that the model was fitted on, with their classes and in their order; "
                "leave them out, or score other rows with predict_log_proba"
            )
        assert rows.weights is not None
        assert known.weights is not None
        # Not exactly: scaling and merging weights rounds them.
        if not np.allclose(rows.weights, known.weights, rtol=TOLERANCE, atol=0.0):
            raise DataError(
                "the weights are not those that the model was fitted with; pass the same sample_weight, or "
                "leave the rows out"
            )

    def settings(self) -> dict[str, Any]:
        # The findings list the members with their scores, so the settings need not.
        usual, params = signature(model_of(self.kind)).parameters, self.shown_params().items()
        return {name: value for name, value in params if name != "members" and value != usual[name].default}

    def score_rows(self) -> list[dict[str, Any]]:
        """Return weights and held-out scores of each member, the class prior and all together."""
        # Copies: callers may change the rows, and a fitted model must stay as it is.
        return [dict(row) for row in self.scores]

    def findings(self) -> list[Block]:
        scores, titles = self.score_rows(), {"weight": "weight", **SCORES}
        columns = [name for name in titles if any(name in row for row in scores)]
        rows = [
            [row["name"], *(f"{row[name]:.4f}" if name in row else "" for name in columns)] for row in scores
        ]
        title = "training rows, each predicted without itself"
        return [
            *self.row_blocks(self.class_counts),
            Grid(title, ["predicted by", *(titles[name] for name in columns)], rows),
        ]

    def findings_document(self) -> dict[str, Any]:
        return {
            "rows": float(self.class_counts.sum()),
            "class_counts": self.class_counts.tolist(),
            "held_out": self.score_rows(),
        }

    def content(self) -> dict[str, Any]:
        return {
            "views": self.views.to_json(),
            "class_counts": packed(self.class_counts),
            "members": [{"name": member.name, "content": member.to_json()} for member in self.members],
            "pool": self.pool.to_json(),
            "scores": self.scores,
        }

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        schema = known["schema"]
        counts = unpacked(content["class_counts"], (schema.n_classes,), low=0.0, high=1e300)
        counts = counts.astype(np.float64)
        if not schema.n_classes:
            raise DataError("the schema has no classes")
        # Members know seen classes only, so their content is checked against a schema of those.
        seen = seen_in(counts)
        log_prior = log_class_prior(counts[seen])
        views = Views.from_json(content["views"], schema_of_seen(schema, seen))
        parts = [(part["name"], part["content"]) for part in content["members"]]
        members = tuple(MEMBERS[name].from_json(part, views, log_prior) for name, part in parts)
        return cls(
            **known,
            views=views,
            class_counts=counts,
            members=members,
            pool=Pool.restored(content["pool"], n_members=len(members)),
            scores=[checked_scores(row) for row in content["scores"]],
        )

    def _of_seen(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class that was seen."""
        if not self.members:
            return np.tile(self.log_prior, (coded.n_rows, 1))
        each = np.array([member.log_probs(coded) for member in self.members])
        return self.pool.log_probs(each, self.log_prior)

    def _completed(self, log_probs: FloatArray) -> FloatArray:
        """Return log probabilities of all classes; unseen ones get their share of the prior."""
        return completed(log_probs, self.seen, self.schema.n_classes, float(self.class_counts.sum()))

    def _contributions(self, member: Member, coded: Coded, blank: Coded) -> FloatArray:
        """Return the contribution of each variable to a member, against ``blank``, a row without cells."""
        if isinstance(member, AdditiveMember):
            return member.contributions(coded) - member.contributions(blank)
        positions = np.array([view.position for view in self.views.columns], dtype=np.int64)
        # The same seed in every call, so that an explanation of a row does not depend on other rows.
        generator = np.random.default_rng(0)
        return shapley_values(
            lambda rows: _in_blocks(member.log_probs, rows),
            coded,
            positions,
            member.log_probs(blank)[0],
            generator,
        )


def _in_blocks(predict: Callable[[Coded], FloatArray], coded: Coded) -> FloatArray:
    """Return log probabilities of rows, block by block, because some members need memory per row."""
    starts = range(0, max(coded.n_rows, 1), BLOCK)
    return np.concatenate(
        [predict(coded.take(np.arange(start, min(start + BLOCK, coded.n_rows)))) for start in starts]
    )
