"""Scoring of rows by log tables: many rows at once (:class:`Scorer`), or single ones (:class:`OneRow`)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._threads import map_blocks
from ..counts import column_groups
from ..decisions import TOLERANCE
from ..table import Coded, Schema
from ..table.one_row import RowReader
from ..typing import BoolArray, CodeArray, FloatArray, IntArray
from ._loops import loops_for
from .log_tables import LogTables

LANES = 4
"""Number of classes scored together: one vector register of float64."""

MAX_JOINT_ROWS = 512
"""Largest number of rows of a joint table; ten such tables fit in the second-level cache."""


class Distributions(NamedTuple):
    """Log probability of each class for each row.

    Attributes
    ----------
    log_probs : array of shape (n_rows, n_classes)
        In nats; uniform if undefined.
    undefined : array of shape (n_rows,)
        True for rows in which every class has weight zero, so that the definition gives 0/0.
    """

    log_probs: FloatArray
    undefined: BoolArray


@dataclass(frozen=True, eq=False, slots=True)
class Scorer:
    """Log tables laid out for scoring many rows.

    Neighbouring variables share a joint table, and classes are padded to whole vector registers. The layout
    depends on the schema only, so the score of a row does not depend on the other rows.

    Attributes
    ----------
    sizes : array of shape (n_variables,)
        Number of codes of each variable, including the one for missing.
    groups : array of shape (n_groups + 1,)
        First variable of each group that shares a joint table, and the number of variables.
    starts : array of shape (n_groups + 1,)
        First row of the joint table of each group.
    joint : array of shape (n_lanes, n_joint_rows, LANES)
        Joint tables of all groups, one block of classes after the other.
    base : array of shape (n_lanes * LANES,)
        Log weights of the classes, padded with zeros.
    constant : float
        Term of all log weights.
    n_classes : int
        Number of classes.
    """

    sizes: IntArray
    groups: IntArray
    starts: IntArray
    joint: FloatArray
    base: FloatArray
    constant: float
    n_classes: int

    @classmethod
    def of(cls, schema: Schema, tables: LogTables) -> "Scorer":
        """Build the scorer of log tables."""
        n_lanes = -(-schema.n_classes // LANES) * LANES
        sizes = schema.n_values + 1
        groups = column_groups(sizes, MAX_JOINT_ROWS)
        padded = np.zeros((schema.n_cells, n_lanes))
        padded[:, : schema.n_classes] = tables.value_table.T
        parts = []
        for first, last in pairwise(groups.tolist()):
            part = np.zeros((1, n_lanes))
            for i in range(first, last):
                own = padded[schema.offsets[i] : schema.offsets[i + 1]]
                # The sum over a group is computed here, once per combination of values; later variables vary
                # fastest.
                part = (part[:, None, :] + own[None, :, :]).reshape(-1, n_lanes)
            parts.append(part)
        starts = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)
        joint = np.concatenate(parts) if parts else np.zeros((0, n_lanes))
        base = np.zeros(n_lanes)
        base[: schema.n_classes] = tables.class_table
        by_lanes = joint.reshape(-1, n_lanes // LANES, LANES).transpose(1, 0, 2)
        return cls(
            sizes, groups, starts, np.ascontiguousarray(by_lanes), base, tables.constant, schema.n_classes
        )

    def log_weights(self, coded: Coded, n_threads: int | None = None) -> FloatArray:
        """Return the log weight of each class for each row, shape (n_rows, n_classes)."""
        # Added last, because it may be large and probabilities do not need it.
        return self._score(coded.codes, n_threads, normalised=False).log_probs + self.constant

    def log_weights_of(self, coded: Coded, classes: IntArray) -> FloatArray:
        """Return the log weight of one class for each row; only its vector register is computed."""
        found = np.empty(coded.n_rows)
        for lane in range(len(self.joint)):
            own = slice(lane * LANES, (lane + 1) * LANES)
            scorer = replace(self, joint=self.joint[lane : lane + 1], base=self.base[own], n_classes=LANES)
            rows = np.flatnonzero(classes // LANES == lane)
            # Column by column, as tables are encoded: kernels are compiled for one layout only.
            codes = np.take(coded.codes.T, rows, axis=1).T if len(self.joint) > 1 else coded.codes
            scores = scorer._score(codes, None, normalised=False).log_probs
            found[rows] = scores[np.arange(len(rows)), classes[rows] - own.start]
        return found + self.constant

    def log_probs(self, coded: Coded, n_threads: int | None = None) -> Distributions:
        """Return the log probability of each class for each row; undefined rows are marked."""
        return self._score(coded.codes, n_threads, normalised=True)

    def _score(self, codes: CodeArray, n_threads: int | None, normalised: bool) -> Distributions:
        """Score rows in parallel blocks, and normalise each block while it is in the cache."""
        loops = loops_for(codes.shape[0] * (len(self.groups) + self.n_classes))
        scores = np.empty((codes.shape[0], self.n_classes))
        undefined = np.zeros(codes.shape[0], dtype=np.bool_)
        columns = codes.T

        def work(start: int, stop: int) -> None:
            loops.score_rows(
                columns, self.sizes, self.groups, self.starts, self.joint, self.base, start, stop, scores
            )
            if normalised:
                loops.normalise_rows(scores[start:stop], undefined[start:stop])

        map_blocks(work, codes.shape[0], n_threads)
        return Distributions(scores, undefined)


class OneRow:
    """Class probabilities of single rows, to the same bits as for tables, without a table in between.

    Parameters
    ----------
    schema, refuse_values, refuse_names
        As for :class:`codelength.table.one_row.RowReader`.
    scorer : Scorer
        Scorer of all variables, or of the chosen ones.
    chosen : sequence of int
        Positions of the variables of the scorer.
    """

    def __init__(
        self,
        schema: Schema,
        scorer: Scorer,
        chosen: Sequence[int],
        *,
        refuse_values: bool,
        refuse_names: bool,
    ) -> None:
        self._reader = RowReader(schema, refuse_values=refuse_values, refuse_names=refuse_names)
        # Entries are added in the order in which those of many rows are: to the same bits.
        joint = scorer.joint.transpose(1, 0, 2).reshape(scorer.joint.shape[1], -1)
        self._entries = np.vstack([scorer.base, joint])[:, : scorer.n_classes]
        sizes, starts = scorer.sizes.tolist(), scorer.starts.tolist()
        self._groups = [
            (1 + starts[g], [(chosen[i], sizes[i]) for i in range(first, last)])
            for g, (first, last) in enumerate(pairwise(scorer.groups.tolist()))
        ]

    def probs(self, row: Mapping[str, Any]) -> tuple[list[float], bool]:
        """Return the probability of each class, and True if the definition gives 0/0."""
        codes = self._reader.codes(row)
        places = [0]
        for start, variables in self._groups:
            key = 0
            for position, size in variables:
                key = key * size + codes[position]
            places.append(start + key)
        weights: list[float] = np.add.reduce(self._entries[places], axis=0).tolist()
        top = max(weights)
        if top == -math.inf:
            return [1 / len(weights)] * len(weights), True
        least = top - TOLERANCE
        powers = [1.0 if weight >= least else math.exp(weight - top) for weight in weights]
        total = math.fsum(powers)
        return [power / total for power in powers], False


def normalised(log_weights: FloatArray) -> Distributions:
    """Return log probabilities from log weights; rows in which all weights are zero are marked."""
    log_probs = np.array(log_weights, dtype=np.float64, order="C")
    loops = loops_for(log_probs.size)
    undefined = np.zeros(len(log_probs), dtype=np.bool_)
    map_blocks(
        lambda start, stop: loops.normalise_rows(log_probs[start:stop], undefined[start:stop]), len(log_probs)
    )
    return Distributions(log_probs, undefined)
