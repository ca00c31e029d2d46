"""Growing domains from their definition, in exact fractions; nothing here comes from the package.

A domain has M values with prior probability 1 / (M (M + 1)). Sizes up to 64 are told apart, and from there on
eight per octave stand for those up to the next. Were M known, a class that has seen a value f times in n
cells would give it probability (f + s) / (n + s M), and s (M - m) / (n + s M) to all that is new beside m
known values. All sizes are averaged, weighted by how probable they made the cells before.
"""

from fractions import Fraction

NEW = object()
"""A value, or a class, that was never met and never will be again."""


def sizes():
    """Every size with its prior probability."""
    values = [*range(1, 65), *(round(64 * 2 ** (j / 8)) for j in range(1, 113))]
    reach = [Fraction(1, size) for size in values] + [Fraction(0)]
    return [(size, reach[j] - reach[j + 1]) for j, size in enumerate(values)]


SIZES = sizes()


def cells_probability(cells, classes, declared, pseudocount):
    """Probability of the cells of one variable given their classes; None is missing and says nothing."""
    possible = [(size, prior) for size, prior in SIZES if size >= len(declared)]
    total = sum(prior for _, prior in possible)
    return (
        sum(prior * _given_size(size, cells, classes, declared, pseudocount) for size, prior in possible)
        / total
    )


def _given_size(size, cells, classes, declared, pseudocount):
    known, seen, probability = list(declared), [], Fraction(1)
    for cell, label in zip(cells, classes, strict=True):
        if cell is None:
            continue
        n_cells = sum(1 for _, other in seen if other == label)
        if cell in known:
            n_values = sum(1 for value, other in seen if (value, other) == (cell, label))
            probability *= Fraction(n_values + pseudocount) / (n_cells + pseudocount * size)
        else:
            probability *= pseudocount * (size - len(known)) / Fraction(n_cells + pseudocount * size)
            known.append(cell)
        seen.append((cell, label))
        if not probability:
            return probability
    return probability


def table_probability(rows, classes, declared, class_pseudocount, value_pseudocount):
    """Probability of rows with their classes.

    Rows are mappings; ``declared`` maps the names of all variables to values, and None to classes.
    """
    found = cells_probability(classes, [0] * len(classes), declared[None], class_pseudocount)
    for name, values in declared.items():
        if name is not None:
            cells = [row.get(name) for row in rows]
            found *= cells_probability(cells, classes, values, value_pseudocount)
    return found


def class_probabilities(rows, classes, row, declared, class_pseudocount, value_pseudocount):
    """Probability of each class of one more row, that of a class not met before under ``NEW``."""
    labels = list(dict.fromkeys([*declared[None], *classes]))
    prior = class_pseudocount, value_pseudocount
    joint = {
        label: table_probability([*rows, row], [*classes, label], declared, *prior)
        for label in [*labels, NEW]
    }
    return {label: probability / sum(joint.values()) for label, probability in joint.items()}
