"""Forests under the principle of indifference from their definitions: no gamma function, no determinant.

Imports nothing from the package. A row is a tuple of values and a class; a forest names the parent of each
variable, or -1.
"""

from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np


def forests(n_variables):
    """All forests with roots: the parent of each variable, without a ring."""
    for parents in product(range(-1, n_variables), repeat=n_variables):
        if all(_ends(parents, v) for v in range(n_variables)):
            yield parents


def _ends(parents, v):
    for _ in range(len(parents) + 1):
        if v < 0:
            return True
        v = parents[v]
    return False


def even_probability(rows, sizes, n_classes, parents, per_class):
    """Probability of rows one after the other, each cell by its share of rows seen and pseudocounts."""
    total, seen = Fraction(1), []
    for values, label in rows:
        same = [v for v, c in seen if c == label]
        total *= Fraction(len(same) + per_class, len(seen) + n_classes * per_class)
        for v, p in enumerate(parents):
            above, size = same, Fraction(per_class, sizes[v])
            if p >= 0:
                above, size = [r for r in same if r[p] == values[p]], size / sizes[p]
            hits = sum(r[v] == values[v] for r in above)
            total *= (hits + size) / (len(above) + size * sizes[v])
        seen.append((values, label))
    return total


def probability_over_forests(rows, sizes, n_classes):
    """Probability of rows: all forests alike, and each pair asks for pseudocounts of its own."""
    pairs = [sizes[u] * sizes[v] for u in range(len(sizes)) for v in range(u)]
    every = list(forests(len(sizes)))
    return sum(
        even_probability(rows, sizes, n_classes, parents, size) for parents in every for size in pairs
    ) / (len(every) * len(pairs))


class Box:
    """Points and weights of nested integrals whose limits depend on what was chosen before."""

    def __init__(self, n_nodes):
        nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
        self._nodes, self._weights = (nodes + 1) / 2, weights / 2
        self.weights = np.ones(1)
        self.chosen = []

    def integrate(self, length):
        """Add a variable from 0 to ``length``, an array over the points so far; all arrays are repeated."""
        n = len(self._nodes)
        length = np.repeat(length, n)
        added = length * np.tile(self._nodes, len(self.weights))
        self.weights = np.repeat(self.weights, n) * np.tile(self._weights, len(self.weights)) * length
        self.chosen = [np.repeat(old, n) for old in self.chosen] + [added]
        return self.chosen


def uniform_star(rows, n_nodes=7):
    """Probability of rows of variables 0 - 1 - 2 of two values each, where 1 is joined to both others.

    The joint parameters P(x0, x1) and P(x1, x2), which agree on P(x1), are uniform on all that they can be.
    """
    box = Box(n_nodes)
    (p,) = box.integrate(np.ones(1))
    for _side in (0, 1):
        for value in (1, 0):
            p = box.chosen[0]
            box.integrate(p if value else 1 - p)
    p, *joint = box.chosen
    of_middle = np.stack([1 - p, p])
    likelihood = np.ones_like(p)
    for values, _ in rows:
        a, b, c = values
        for side, value in ((0, a), (1, c)):
            with_one = joint[2 * side + (1 - b)]
            likelihood *= (with_one if value else of_middle[b] - with_one) / of_middle[b]
        likelihood *= of_middle[b]
    return float((box.weights @ likelihood) / box.weights.sum())


def uniform_path(rows, n_nodes=6):
    """The same for 0 - 1 - 2 - 3: P(x0, x1), P(x1, x2) and P(x2, x3), which agree where they meet."""
    box = Box(n_nodes)
    box.integrate(np.ones(1))
    box.integrate(box.chosen[0])
    box.integrate(1 - box.chosen[0])

    def ends():
        q, r, s = box.chosen[:3]
        return {1: np.stack([1 - q, q]), 2: np.stack([1 - r - s, r + s])}

    for side in (1, 2):
        for value in (1, 0):
            box.integrate(ends()[side][value])
    q, r, s, *outer = box.chosen
    middle = {(1, 1): r, (0, 1): s, (1, 0): q - r, (0, 0): 1 - q - s}
    likelihood = np.ones_like(q)
    for values, _ in rows:
        a, b, c, d = values
        likelihood *= middle[b, c]
        for side, inner, value in ((1, b, a), (2, c, d)):
            with_one, whole = outer[2 * (side - 1) + (1 - inner)], ends()[side][inner]
            likelihood *= (with_one if value else whole - with_one) / whole
    return float((box.weights @ likelihood) / box.weights.sum())


def uniform_edge(rows, n_nodes=6):
    """The same for two classes and two variables that are joined: P(x0, x1, class) is uniform."""
    box = Box(n_nodes)
    box.integrate(np.ones(1))
    for label in (0, 1):
        for _ in range(3):
            share = box.chosen[0] if label else 1 - box.chosen[0]
            used = sum(box.chosen[1 + 3 * label :], np.zeros_like(share))
            box.integrate(share - used)
    share, *cells = box.chosen
    likelihood = np.ones_like(share)
    for (a, b), label in rows:
        own = cells[3 * label : 3 * label + 3]
        whole = share if label else 1 - share
        own = [*own, whole - sum(own)]
        likelihood *= own[2 * a + b]
    return float((box.weights @ likelihood) / box.weights.sum())


def uniform_naive(rows, n_nodes=6):
    """The same for two classes and two variables that are not joined; None is a cell that is missing."""
    box = Box(n_nodes)
    box.integrate(np.ones(1))
    for label in (0, 1):
        for _variable in (0, 1):
            share = box.chosen[0]
            box.integrate(share if label else 1 - share)
    share, *joint = box.chosen
    likelihood = np.ones_like(share)
    for values, label in rows:
        whole = share if label else 1 - share
        likelihood *= whole
        for variable, value in enumerate(values):
            with_one = joint[2 * label + variable]
            if value is not None:
                likelihood *= (with_one if value else whole - with_one) / whole
    return float((box.weights @ likelihood) / box.weights.sum())


def path_by_completions(rows):
    """What :func:`uniform_path` is, exactly: sums over what variable 1 may be in rows that only show 2.

    The root is variable 1, with two rows for each value that show nothing but it, because of 0 and 2.
    Variable 2 has one such row for each value, because of variable 3, in which 1 is not known.
    """

    def total(data):
        found = Fraction(0)
        for hidden in product(range(2), repeat=2):
            table = [[0, 0], [0, 0]]
            for value, middle in enumerate(hidden):
                table[middle][value] += 1
            for b, c in data:
                table[b][c] += 1
            rest = [sum(table[b]) + 2 for b in range(2)]  # and the rows that show 1 alone
            term = Fraction(prod(factorial(n) for n in rest), factorial(sum(rest) + 1))
            for b in range(2):
                cells = table[b]
                term *= Fraction(prod(factorial(n) for n in cells), factorial(sum(cells) + 1))
            found += term
        return found

    likelihood = total([(v[1], v[2]) for v, _ in rows]) / total([])
    for inner, outer in ((1, 0), (2, 3)):
        for value in (0, 1):
            hits = [v[outer] for v, _ in rows if v[inner] == value]
            ones = sum(hits)
            likelihood *= Fraction(factorial(ones) * factorial(len(hits) - ones), factorial(len(hits) + 1))
    return likelihood
