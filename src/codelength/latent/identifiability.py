"""Local identifiability of a mixture, by the rank of the Jacobian of its cell probabilities.

A mixture is identified at its parameters if no small change of them leaves all cell probabilities as they
are, that is if the Jacobian has full column rank. Counting parameters and cells is necessary but not
sufficient, so the rank is computed by singular values. They can be compared with one tolerance because
columns are scaled to length one, and rows so that the cross product is the information matrix.

Order of reading: :class:`Identifiability` (the result), :func:`identifiability`, then its steps: the cells
or a sample of them, the Jacobian, the singular values.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._display import counted
from ..decisions import first_best
from ..mixture.code_length.information_criteria import n_parameters
from ..mixture.parameters import MixtureParameters
from ..typing import FloatArray, IntArray
from .inference.bootstrap import draw_rows

MAX_CELLS = 4096
"""Multiway tables with at most this many cells are used in full; from larger ones rows are drawn."""

MAX_PARAMETERS = 600
"""With more parameters the rank is not computed: the time grows with their cube."""

DRAWN_PER_PARAMETER = 4

TOLERANCE = 1e-7
"""Singular values below this share of the largest are zero; columns are of length one."""

FLOOR = 1e-2
"""Least probability of a row in the scale of the Jacobian, as a share of the chance that the row is used:
rows that the mixture excludes count too.
"""

SPREAD = 0.1
"""Share of each distribution that is spread over all values when rows are drawn."""


@dataclass(frozen=True, slots=True)
class Identifiability:
    """Local identifiability of a mixture at its parameters, up to the names of the classes.

    Attributes
    ----------
    n_parameters : int
        Free parameters.
    n_cells : int
        Cells of the multiway table.
    rank : int or None
        Rank of the Jacobian of the cell probabilities; None if it was not computed.
    smallest : float
        The smallest singular value over the largest; near the tolerance of 1e-7, some parameters are hardly
        determined.
    """

    n_parameters: int
    n_cells: int
    rank: int | None
    smallest: float

    @property
    def is_identified(self) -> bool | None:
        """True if all parameters are determined; None if that is unknown."""
        if self.n_parameters > self.n_cells - 1:
            return False
        return None if self.rank is None else self.rank == self.n_parameters

    def sentence(self) -> str:
        """Return the result in words.

        Examples
        --------
        >>> Identifiability(n_parameters=9, n_cells=8, rank=None, smallest=1.0).is_identified
        False
        >>> Identifiability(n_parameters=7, n_cells=8, rank=7, smallest=0.1).sentence()
        'identified: the Jacobian has full rank 7'
        """
        if self.n_parameters > self.n_cells - 1:
            return (
                f"not identified: {counted(self.n_parameters, 'parameter')}, and a table of "
                f"{counted(self.n_cells, 'cell')} determines at most {self.n_cells - 1}; "
                "take fewer classes or more variables"
            )
        if self.rank is None:
            return f"not checked: {self.n_parameters} parameters are more than {MAX_PARAMETERS}"
        if self.rank < self.n_parameters:
            return (
                f"not identified: the Jacobian has rank {self.rank} for {self.n_parameters} parameters, so "
                "other parameters fit as well; take fewer classes or more variables"
            )
        return f"identified: the Jacobian has full rank {self.rank}"

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        return {
            "identified": self.is_identified,
            "rank": self.rank,
            "parameters": self.n_parameters,
            "cells": self.n_cells,
            "smallest_singular_value": self.smallest,
        }


def identifiability(mixture: MixtureParameters) -> Identifiability:
    r"""Compute the rank of the Jacobian of the cell probabilities at a mixture.

    .. math:: P(x) = \sum_k \alpha_k \prod_i \phi_{kix_i}

    by the free parameters (Goodman 1974). If the multiway table has more than 4,096 cells, and more than four
    per parameter, that many rows are drawn, from all classes alike; this can only lower the rank.

    Examples
    --------
    Three classes of four binary variables have 14 parameters for 15 free cells, and are still not identified:

    >>> from codelength.table import Schema
    >>> from codelength.mixture.parameters import with_components
    >>> generator = np.random.default_rng(0)
    >>> shares, probs = generator.dirichlet(np.ones(3)), generator.random((3, 4, 1))
    >>> value_probs = np.concatenate((probs, 1 - probs, np.ones_like(probs)), axis=2).reshape(3, 12)
    >>> mixture = MixtureParameters(with_components(Schema.from_sizes([2] * 4), 3), shares, value_probs)
    >>> found = identifiability(mixture)
    >>> found.n_parameters, found.rank, found.is_identified
    (14, 13, False)
    """
    mixture = _without_constants(mixture)
    schema = mixture.schema
    d = n_parameters(schema, mixture.n_components)
    n_cells = math.prod(schema.n_values.tolist())
    # More parameters than free cells cannot be identified; no rank is needed.
    if d > n_cells - 1 or d > MAX_PARAMETERS or d == 0:
        return Identifiability(d, n_cells, 0 if d == 0 else None, 1.0)
    n_used = max(MAX_CELLS, DRAWN_PER_PARAMETER * d)
    if n_cells <= n_used:
        codes = np.stack(np.unravel_index(np.arange(n_cells), schema.n_values.tolist()), axis=1)
        chances = np.full(n_cells, 1 / n_cells)
    else:
        codes, chances = _drawn(mixture, n_used)
    with np.errstate(under="ignore"):
        singular = _singular_values(_jacobian(mixture, codes, chances))
    rank = int((singular > TOLERANCE * singular[0]).sum())
    return Identifiability(d, n_cells, rank, float(singular[-1] / singular[0]))


def _without_constants(mixture: MixtureParameters) -> MixtureParameters:
    """Remove variables with one value, which have no parameters."""
    varied = mixture.schema.n_values > 1
    cells = np.repeat(varied, mixture.schema.n_values + 1)
    schema = mixture.schema.select(np.flatnonzero(varied).tolist())
    return MixtureParameters(schema, mixture.class_probs, mixture.value_probs[:, cells])


def _drawn(mixture: MixtureParameters, n_rows: int) -> tuple[IntArray, FloatArray]:
    """Draw rows from all classes alike; return them and the chance of each."""
    schema, values = mixture.schema, mixture.value_probs.copy()
    for i, n_values in enumerate(schema.n_values):
        # Every row has a positive chance, also those that the mixture excludes.
        values[:, schema.cells(i)] = (1 - SPREAD) * mixture.of(i) + SPREAD / n_values
    shares = np.full(mixture.n_components, 1 / mixture.n_components)
    even = MixtureParameters(schema, shares, values)
    rows = draw_rows(even, n_rows, np.random.default_rng(0))
    return rows.codes.astype(np.int64), np.exp(even.log_probs(rows))


def _jacobian(mixture: MixtureParameters, codes: IntArray, chances: FloatArray) -> FloatArray:
    """Compute the derivatives of row probabilities, scaled so that their cross product is the information."""
    schema, n_variables = mixture.schema, mixture.schema.n_variables
    factors = np.stack([mixture.of(i)[:, codes[:, i]] for i in range(n_variables)])
    before, after = np.ones((2, *factors.shape))
    # Products without one variable, from both sides: a probability may be zero and cannot be divided out.
    for i in range(1, n_variables):
        before[i] = before[i - 1] * factors[i - 1]
        after[-i - 1] = after[-i] * factors[-i]
    products = before[-1] * factors[-1]
    largest = first_best(mixture.class_probs)
    columns = [*np.delete(products - products[largest], largest, axis=0)]
    for i, n_values in enumerate(schema.n_values.tolist()):
        others = mixture.class_probs[:, None] * before[i] * after[i]
        held = codes[:, i] == np.arange(n_values)[:, None]
        for own, probs in zip(others, mixture.of(i), strict=True):
            # Probabilities add up to 1: the most probable value compensates for a change, because it can.
            reference = first_best(probs)
            columns += [*np.delete(own * held - own * held[reference], reference, axis=0)]
    probs = mixture.class_probs @ products
    # Information weighs a row by 1 / P(x), importance sampling by 1 / chance; the floor keeps rows of
    # probability zero from dominating.
    scale = np.sqrt(np.maximum(probs, FLOOR * chances) * chances)
    return np.asarray(np.stack(columns, axis=1) / scale[:, None])


def _singular_values(jacobian: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(jacobian, axis=0)
    # A column near zero belongs to a class without rows; scaled to length one it would be noise.
    lost = lengths <= TOLERANCE * lengths.max()
    columns = np.where(lost, 0.0, jacobian / np.where(lost, 1.0, lengths))
    # The triangular factor has the same singular values, and is much smaller if there are many rows.
    return np.asarray(np.linalg.svd(np.linalg.qr(columns, mode="r"), compute_uv=False))
