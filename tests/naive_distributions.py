"""Naive distributions by integration, in the coordinates of every network of Figure 2 of the 2003 paper.

Like ``naive.py`` this imports nothing from the package. A model is given by joint probabilities phi of a
value and a class. Density (10) is over these, so it can be integrated with any of the networks at hand: first
the class, then each variable given the class; or first some variable together with the class, then the others
given the class. All integrals are of polynomials over simplices, and exact.

Hyperparameters are nested lists of whole numbers: cases[c][i][v] cases of class c have value v of variable i.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

Cases = Sequence[Sequence[Sequence[int]]]


def simplex_integral(exponents: Sequence[int]) -> Fraction:
    """The integral of a product of powers over all distributions: factorials over a factorial.

    >>> simplex_integral([1, 1])
    Fraction(1, 6)
    """
    top = math.prod(math.factorial(e) for e in exponents)
    return Fraction(top, math.factorial(sum(exponents) + len(exponents) - 1))


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as an ordered sum."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def density_integral(class_cases: Sequence[int], cases: Cases, root: int | None) -> Fraction:
    """The integral of (10) without its constant, in the coordinates of the network with this root.

    A root of None is the class. Given the class, the values of variable i lie on a simplex that is scaled by
    the probability alpha of the class, which leaves a power n_i - 1 of alpha behind.
    """
    variables = range(len(cases[0]))
    total, powers = Fraction(1), list(class_cases)
    for c, of_class in enumerate(cases):
        for i in variables:
            if i != root:
                total *= simplex_integral(of_class[i])
                powers[c] += len(of_class[i]) - 1
    if root is None:
        return total * simplex_integral(powers)
    # What is left is a polynomial in the joint probabilities of root and class: alpha is a sum of them.
    sums = Fraction(0)
    powers = [power - sum(of_class[root]) for power, of_class in zip(powers, cases, strict=True)]
    sizes = [len(of_class[root]) for of_class in cases]
    for terms in itertools.product(*(compositions(p, n) for p, n in zip(powers, sizes, strict=True))):
        ways = math.prod(
            math.factorial(power) // math.prod(math.factorial(t) for t in term)
            for power, term in zip(powers, terms, strict=True)
        )
        exponents = [
            e + t
            for of_class, term in zip(cases, terms, strict=True)
            for e, t in zip(of_class[root], term, strict=True)
        ]
        sums += ways * simplex_integral(exponents)
    return total * sums


def class_probabilities(cases: Cases, row: Sequence[int], root: int | None) -> list[Fraction]:
    """P(class | row), equation (11): each class in turn joins the row, whose case joins the cases."""
    weights = []
    for c in range(len(cases)):
        more = [[list(values) for values in of_class] for of_class in cases]
        for i, value in enumerate(row):
            more[c][i][value] += 1
        weights.append(density_integral([sum(of_class[0]) for of_class in more], more, root))
    return [weight / sum(weights) for weight in weights]


def rooted_probabilities(
    rows: Sequence[Sequence[int]],
    labels: Sequence[int],
    n_values: Sequence[int],
    n_classes: int,
    row: Sequence[int],
    root: int,
    sample_size: Fraction | None = None,
) -> list[Fraction]:
    """P(class | row) by the Dirichlet assumption in the network with this root.

    All pseudocounts are 1, or each table shares out the sample size evenly over its cells.
    """

    def share(seen: int, of: int, size: int, cells: int) -> Fraction:
        each = Fraction(1) if sample_size is None else sample_size / cells
        return (seen + each) / (of + size * each)

    weights = []
    for c in range(n_classes):
        with_value = [label for other, label in zip(rows, labels, strict=True) if other[root] == row[root]]
        weight = share(len(with_value), len(rows), n_values[root], n_values[root])
        weight *= share(with_value.count(c), len(with_value), n_classes, n_classes * n_values[root])
        own = [other for other, label in zip(rows, labels, strict=True) if label == c]
        for i, n in enumerate(n_values):
            if i != root:
                weight *= share(sum(other[i] == row[i] for other in own), len(own), n, n * n_classes)
        weights.append(weight)
    return [weight / sum(weights) for weight in weights]
