"""Shapley values: contributions of variables to predictions that are not sums over variables.

The contribution of a variable is the change of the log weight of a class if its value becomes known, averaged
over all orders in which the variables can become known. A variable that is not known yet is a cell without a
value. Contributions add up to the prediction less the class prior for any set of orders. All orders are used
if there are few variables, else random orders, each with its reverse.

References
----------
Shapley (1953). A value for n-person games. Contributions to the theory of games II.
"""

from collections.abc import Callable
from math import factorial

import numpy as np

from ..table import Coded
from ..table.coded import changed
from ..typing import BoolArray, FloatArray, IntArray

MAX_EXACT = 8
"""Largest number m of variables for which all orders are averaged, at 2^m predictions per row."""

N_ORDERS = 8
"""Number of random orders for more variables, each used with its reverse."""

BLOCK = 20_000
"""Rows predicted at once."""


def shapley_values(
    value: Callable[[Coded], FloatArray],
    coded: Coded,
    positions: IntArray,
    nothing: FloatArray,
    generator: np.random.Generator,
) -> FloatArray:
    """Return the contribution of each variable to each class, shape (n_rows, n_variables, n_classes).

    Parameters
    ----------
    value : function
        Function from rows to one number per row and class.
    coded : Coded
        The rows to explain.
    positions : array of int
        The variables that may contribute; the others contribute 0.
    nothing : array of shape (n_classes,)
        Value if no variable is known.
    generator
        Random number generator of the orders.
    """
    known, shares = _plan(len(positions), generator)
    contributions = np.zeros((coded.n_rows, coded.schema.n_variables, len(nothing)))
    if not len(positions):
        return contributions
    per_block = max(1, BLOCK // len(known))
    for start in range(0, coded.n_rows, per_block):
        rows = coded.take(np.arange(start, min(start + per_block, coded.n_rows)))
        values = value(_with_gaps(rows, positions, known)) - nothing
        values = values.reshape(rows.n_rows, len(known), len(nothing))
        contributions[start : start + rows.n_rows, positions] = np.einsum("vk,rkc->rvc", shares, values)
    return contributions


def _with_gaps(rows: Coded, positions: IntArray, known: BoolArray) -> Coded:
    """Return each row once per set of known variables, with the other variables blanked."""
    codes = np.repeat(rows.codes, len(known), axis=0)
    mask = np.tile(known, (rows.n_rows, 1))
    blanks = rows.schema.n_values[positions].astype(codes.dtype)
    codes[:, positions] = np.where(mask, codes[:, positions], blanks)
    labels = np.zeros(len(codes), dtype=rows.class_codes.dtype)
    return changed(rows, codes=np.asfortranarray(codes), class_codes=labels, weights=None)


def _plan(n_variables: int, generator: np.random.Generator) -> tuple[BoolArray, FloatArray]:
    """Return the sets of known variables to evaluate, and the factor of each in each contribution.

    The empty set is left out: its value is subtracted from all others, so it counts as 0.
    """
    return _all_sets(n_variables) if n_variables <= MAX_EXACT else _some_orders(n_variables, generator)


def _all_sets(n_variables: int) -> tuple[BoolArray, FloatArray]:
    """Return all sets of known variables and their factors in the exact Shapley values."""
    numbers = np.arange(1, 2**n_variables)
    known = (numbers[:, None] >> np.arange(n_variables)) & 1 == 1
    sizes = known.sum(axis=1)
    orders = [
        factorial(size) * factorial(n_variables - size - 1) / factorial(n_variables)
        for size in range(n_variables)
    ]
    # The value of a set is added for the variable that became known last, a member of the set, and
    # subtracted for the one that becomes known next, which is not.
    last, following = np.array([0.0, *orders])[sizes], np.array([*orders, 0.0])[sizes]
    return known, np.where(known, last[:, None], -following[:, None]).T


def _some_orders(n_variables: int, generator: np.random.Generator) -> tuple[BoolArray, FloatArray]:
    """Return the sets of known variables along random orders, and their factors."""
    # An order and its reverse are antithetic: errors that are odd in the position of a variable cancel.
    drawn = [generator.permutation(n_variables) for _ in range(N_ORDERS)]
    orders = [order for one in drawn for order in (one, one[::-1])]
    sets: dict[bytes, int] = {}
    known: list[BoolArray] = []
    terms: list[tuple[int, int, float]] = []
    for order in orders:
        so_far, last = np.zeros(n_variables, dtype=bool), -1
        for variable in order:
            so_far[variable] = True
            # Orders share prefixes, above all the full set; each distinct set is predicted once.
            if (key := so_far.tobytes()) not in sets:
                sets[key] = len(known)
                known.append(so_far.copy())
            terms.append((int(variable), sets[key], 1.0))
            if last >= 0:
                terms.append((int(variable), last, -1.0))
            last = sets[key]
    shares = np.zeros((n_variables, len(known)))
    for variable, place, sign in terms:
        shares[variable, place] += sign / len(orders)
    return np.array(known), shares
