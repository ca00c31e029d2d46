"""Averages whose members are sums of look-ups, as one model of look-ups."""

from collections.abc import Sequence

import numpy as np

from ..averages.member import Member
from ..averages.members.registry import MEMBERS
from ..errors import InvalidParameter
from ..networks.look_ups import LookUps
from ._averaging import AveragingClassifier
from ._exports import ExportedClassifier
from ._fitted_average import completed


class ExportedAverage(ExportedClassifier, AveragingClassifier):
    """A classifier on members of an average, where the members that count are sums of look-ups."""

    capabilities = AveragingClassifier.capabilities | {"export"}

    def _look_ups(self) -> LookUps:
        fitted = self._fitted
        schema, seen = fitted.schema, fitted.seen
        total = float(fitted.class_counts.sum())
        prior = np.exp(completed(fitted.log_prior[None], seen, schema.n_classes, total)[0])
        powers = fitted.pool.weights * fitted.pool.temperatures
        counting = [
            (member, float(power))
            for member, power in zip(fitted.members, powers, strict=True)
            if power > 0.0
        ]
        sums = [member.look_ups() for member, _ in counting]
        _check_members([member.name for (member, _), own in zip(counting, sums, strict=True) if own is None])
        # What is mixed in, and what classes have that were never seen, does not depend on the row.
        floor = prior.copy()
        floor[seen] *= fitted.pool.share if fitted.members else 0.0
        about = {"schema": fitted.views.schema, "rule": self.kind, "floor": floor}
        pool = LookUps.pooled(
            [own for own in sums if own is not None],
            [power for _, power in counting],
            fitted.log_prior,
            **about,
        )
        return pool.among_all(schema, seen)


def _check_members(others: Sequence[str]) -> None:
    """Refuse members that are no sums of look-ups."""
    if others:
        able = [name for name, member in MEMBERS.items() if member.look_ups is not Member.look_ups]
        raise InvalidParameter(
            f"members {', '.join(map(repr, others))}: their predictions are no sums of look-ups, and only "
            f"those can be exported; fit an average with members={able}, or some of these, or one of the "
            f"models {', '.join(name.replace('_', '-') for name in able)}"
        )
