"""Normalised maximum likelihood by enumeration: every table there is, fitted and summed in exact fractions.

Like ``naive.py`` this imports nothing from the package and does nothing clever. Sequences and tables are
lists of codes. The likelihood of a table is the product, over its rows, of relative frequencies.
"""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

Row = tuple[int, ...]


def fit(values: Sequence[object], given: Sequence[object] | None = None) -> Fraction:
    """Maximised likelihood of a sequence, given another one: each value at its relative frequency.

    >>> fit("aab"), fit("aab", "xxy")
    (Fraction(4, 27), Fraction(1, 1))
    """
    above = ["" for _ in values] if given is None else list(given)
    pairs, totals = Counter(zip(above, values, strict=True)), Counter(above)
    return math.prod((Fraction(n, totals[u]) ** n for (u, _), n in pairs.items()), start=Fraction(1))


def multinomial_normaliser(n_values: int, n_rows: int) -> Fraction:
    """The sum of the maximised likelihood over all sequences.

    >>> multinomial_normaliser(2, 2)
    Fraction(5, 2)
    """
    return sum((fit(one) for one in itertools.product(range(n_values), repeat=n_rows)), start=Fraction(0))


def naive_bayes_fit(rows: Sequence[Row], labels: Sequence[int]) -> Fraction:
    """Maximised likelihood of a labelled table under naive Bayes."""
    columns = zip(*rows, strict=True)
    return fit(labels) * math.prod((fit(column, labels) for column in columns), start=Fraction(1))


def naive_bayes_normaliser(n_values: Sequence[int], n_classes: int, n_rows: int) -> Fraction:
    """The sum of the maximised likelihood over all labelled tables."""
    cells = itertools.product(range(n_classes), *map(range, n_values))
    total = Fraction(0)
    for table in itertools.product(list(cells), repeat=n_rows):
        total += naive_bayes_fit([row[1:] for row in table], [row[0] for row in table])
    return total


def factorised_code_length(
    rows: Sequence[Row], n_values: Sequence[int], parents: Mapping[int, Sequence[int]], variable: int
) -> float:
    """Cost of one column given others: all columns there might be instead, under the same parents."""
    above = [tuple(row[p] for p in parents.get(variable, ())) for row in rows]
    others = itertools.product(range(n_values[variable]), repeat=len(rows))
    normaliser = sum((fit(column, above) for column in others), start=Fraction(0))
    return math.log(normaliser / fit([row[variable] for row in rows], above))


def quotient_code_length(
    rows: Sequence[Row], n_values: Sequence[int], parents: Mapping[int, Sequence[int]], variable: int
) -> float:
    """Cost of a column and its parents as one variable, less that of the parents as one variable."""

    def cost(columns: Sequence[int]) -> float:
        size = math.prod(n_values[i] for i in columns)
        own = fit([tuple(row[i] for i in columns) for row in rows])
        return math.log(multinomial_normaliser(size, len(rows)) / own)

    above = tuple(parents.get(variable, ()))
    return cost((*above, variable)) - cost(above)
