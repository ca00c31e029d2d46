"""One row against the log tables of a fitted model, without a table in between."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..decisions import TOLERANCE
from ..table import Schema
from ..table.one_row import RowReader
from .predictor import Predictor


class OneRow:
    """Class probabilities of single rows, as a model gives them for tables.

    Parameters
    ----------
    schema : Schema
        What the rows hold.
    predictor : Predictor
        What predicts, from all variables or from those that were chosen.
    chosen : sequence of int
        Their positions.
    refuse_values, refuse_names : bool
        See :class:`codelength.table.one_row.RowReader`.
    """

    def __init__(
        self,
        schema: Schema,
        predictor: Predictor,
        chosen: tuple[int, ...],
        *,
        refuse_values: bool,
        refuse_names: bool,
    ) -> None:
        self._reader = RowReader(schema, refuse_values=refuse_values, refuse_names=refuse_names)
        scorer, n_classes = predictor.scorer, schema.n_classes
        # Entries are added in the order in which those of many rows are: to the same bits.
        joint = scorer.joint.transpose(1, 0, 2).reshape(scorer.joint.shape[1], -1)[:, :n_classes]
        self._entries = np.vstack([scorer.base[None, :n_classes], joint])
        sizes, starts = scorer.sizes.tolist(), scorer.starts.tolist()
        self._groups = [
            (1 + starts[g], [(chosen[i], sizes[i]) for i in range(first, last)])
            for g, (first, last) in enumerate(pairwise(scorer.groups.tolist()))
        ]

    def probs(self, row: Mapping[str, Any]) -> tuple[list[float], bool]:
        """Probability of each class, and whether the definition gives 0/0."""
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
