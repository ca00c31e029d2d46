"""Ways to make room for values that were never met, in the simplest form; nothing here is fast.

Each is a pair of functions of how often a value was seen in its class (f), the cells of the class (n), the
cells of all classes (total) and the values met so far (m): the probability of a value met before, and that of
all others together.
"""

import math


def _natural(total, m):
    """Ristad (1995), A natural law of succession: the escape from a sequence, in which all classes are."""
    return m * (m + 1) / (total * total + total + 2 * m) if m else 1.0


def _method_c(total, m):
    """Moffat (1990), Implementing the PPM data compression scheme."""
    return m / (total + m) if m else 1.0


def _method_a(total, m):
    """Cleary and Witten (1984), Data compression using adaptive coding and partial string matching."""
    return 1 / (total + 1)


def _escaped(escape):
    return (
        lambda f, n, total, m: (1 - escape(total, m)) * (f + 1) / (n + m),
        lambda n, total, m: escape(total, m),
    )


ESCAPES = {
    "natural law": _escaped(_natural),
    "PPM method C": _escaped(_method_c),
    "PPM method A": _escaped(_method_a),
    "one spare value": (lambda f, n, total, m: (f + 1) / (n + m + 1), lambda n, total, m: 1 / (n + m + 1)),
}


def code_lengths(stream, name):
    """Bits for the classes given the rest of each row, and for whole rows, each from the rows before it."""
    known, new = ESCAPES[name]
    classes, values, of_classes, bits_of_classes, bits_of_rows = {}, {}, {}, 0.0, 0.0
    for n_rows, (row, label) in enumerate(stream):
        joint = {}
        for k in [*classes, None]:
            m = len(classes)
            p = math.log(new(n_rows, n_rows, m) if k is None else known(classes[k], n_rows, n_rows, m))
            for variable, value in row.items():
                met = values.get(variable, {})
                n, total = of_classes.get((variable, k), 0), of_classes.get((variable, "all"), 0)
                if value in met:
                    p += math.log(known(met[value].get(k, 0), n, total, len(met)))
                else:
                    p += math.log(new(n, total, len(met)))
            joint[k] = p
        own = joint[label] if label in classes else joint[None]
        top = max(joint.values())
        bits_of_rows -= own / math.log(2)
        bits_of_classes -= (own - top - math.log(sum(math.exp(p - top) for p in joint.values()))) / math.log(
            2
        )
        classes[label] = classes.get(label, 0) + 1
        for variable, value in row.items():
            seen = values.setdefault(variable, {}).setdefault(value, {})
            seen[label] = seen.get(label, 0) + 1
            for of in (label, "all"):
                of_classes[variable, of] = of_classes.get((variable, of), 0) + 1
    return bits_of_classes, bits_of_rows
