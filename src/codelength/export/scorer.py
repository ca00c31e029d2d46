"""Scorer documents: a fitted model as JSON that any language can score with, and the reader in Python.

A prediction is a sum of look-ups, so the document is the tables, as JSON types:

.. code-block:: text

    {"format": "codelength scorer", "version": 1, "rule": "evidence",
     "target": "class", "classes": ["a", "b"], "class_table": [...], "prior_log_probs": [...],
     "variables": [
       {"name": "x", "kind": "values", "values": ["a", 1, true], "table": [[...], ...], "weights": [...]},
       {"name": "y", "kind": "intervals", "cuts": [...], "closed": "left", "scale": "number",
        "labels": [...], "table": [[...], ...], "weights": [...]}]}

``table`` has one row per value with one log weight per class. To score a case, add the rows of its values to
``class_table``, take exponentials, and divide by their sum. Sums within 1e-10 of the largest are equal to
it, so that the first of several equally probable classes is the same in every program. If all classes are
impossible, the distribution is uniform. ``weights`` are the marginal
probabilities of the values; models that do not describe the values have none. The last value or label is
``null`` if missing cells are a value of their own. Intervals are closed on the left: a number equal to a cut
belongs to the interval above it. Cuts on a ``scale`` of time are in the units of
:mod:`codelength.table.spelling`. Integers of 2**53 or more are text in ``values``, because readers of JSON
round them otherwise.

Documents of version 2 have two more parts, for averages and for trees:

.. code-block:: text

    {..., "version": 2, "floor": [...],
     "variables": [{"name": "x", ..., "groups": [0, 0, 1, 2]}, ...],
     "pairs": [{"variable": 1, "given": 0, "table": [[[...], ...], ...]}]}

``groups`` has the group of each value, and last the group of a cell that adds nothing. ``pairs`` name two
variables by their places; ``table`` has one row per group of the first, with one entry per group of the
second, and is added like the others. ``floor`` is the probability of each class that does not depend on the
case; the rest of the probability is divided in proportion to the exponentials of the sums.

Log weights and cuts are written with all digits. A prediction adds one log weight per variable, and errors of
rounded ones would add up to more than the 1e-10 within which sums are equal, so that a reader could name
another class than the model. ``null`` is minus infinity, because JSON has no infinite numbers.

A case is a mapping of names to cells. A variable that is absent, missing (None, NaN) or has a value that is
not listed adds nothing; if missing cells are a value, None and NaN add its row. Numbers may be text,
intervals may be given by their labels, and times in any unambiguous spelling. In JavaScript, integers of
2**53 or more must be text or ``BigInt``. ``scorer.js`` reads the same documents in the same way.
"""

from importlib.resources import files
from typing import Any

import numpy as np

from ..errors import InvalidParameter
from ..networks.look_ups import LookUps
from ..table import Variable
from ..table._messages import shown
from ..typing import FloatArray, IntArray, Scalar
from .engines import beyond_doubles
from .reader import FORMAT, Score, ask, score

__all__ = ["Score", "ask", "score", "scorer", "script"]


def scorer(look_ups: LookUps) -> dict[str, Any]:
    """Return the scorer document of a model; ``model.to_scorer()`` calls this function.

    Parameters
    ----------
    look_ups : LookUps
        Tables of the model.

    Returns
    -------
    dict
        Document of JSON types.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = {"outlook": ["sun", "sun", "rain", "rain"], "degrees": [21.5, 14.0, 9.5, 18.0]}
    >>> document = NaiveBayes().fit(table, ["out", "out", "in", "in"]).to_scorer()
    >>> document["variables"][1]["cuts"]
    [11.75, 16.0, 19.75]
    >>> [round(p, 3) for p in score(document, {"outlook": "sun", "degrees": "20"}).probabilities]
    [0.143, 0.857]
    """
    prior, paired = _normalised(look_ups.class_table), look_ups.paired
    variables = [
        _variable(variable, entries[:-1], np.exp(prior) if look_ups.describes_values else None, groups)
        for variable, entries, groups in zip(
            look_ups.variables,
            look_ups.value_tables,
            map(paired.get, range(len(look_ups.variables))),
            strict=True,
        )
    ]
    document = {
        "format": FORMAT,
        "version": 1,
        "rule": look_ups.rule,
        "target": look_ups.target,
        "classes": list(look_ups.classes),
        "class_table": _plain(look_ups.class_table),
        "prior_log_probs": _plain(prior),
        "variables": variables,
    }
    # Version 1 is enough for naive Bayes; ``ask`` relies on it.
    if look_ups.describes_values:
        return document
    pairs = [
        {
            "variable": child,
            "given": parent,
            "table": [[_plain(entry) for entry in row] for row in entries],
        }
        for child, parent, entries in look_ups.pair_tables
    ]
    return document | {"version": 2, "floor": look_ups.floor.tolist(), "pairs": pairs}


def script() -> str:
    """Return the source of the reader in JavaScript: ``codelengthScore`` and ``codelengthAsk``.

    Examples
    --------
    >>> "function codelengthScore(document, given, reference = 0)" in script()
    True
    """
    return files(__package__).joinpath("scorer.js").read_text("utf-8")


def _variable(
    variable: Variable, entries: FloatArray, prior: FloatArray | None, groups: IntArray | None
) -> dict[str, Any]:
    """Return a variable of the document, from log weights of shape (n_values, n_classes)."""
    shared: dict[str, Any] = {"table": [_plain(row) for row in entries]}
    if prior is not None:
        # Marginal distribution of the values: the sum over classes of prior times likelihood.
        given_class = np.exp(np.array([_normalised(own) for own in entries.T]))
        shared["weights"] = (prior @ given_class).tolist()
    if groups is not None:
        shared["groups"] = groups.tolist()
    if variable.kind == "interval":
        return {
            "name": variable.name,
            "kind": "intervals",
            "cuts": list(variable.cuts),
            "closed": "left",
            "scale": variable.scale,
            "labels": list(variable.values),
            **shared,
        }
    return {"name": variable.name, "kind": "values", "values": _values(variable), **shared}


def _values(variable: Variable) -> list[Scalar | None]:
    """Return the values of a variable; numbers that readers of JSON would round are text."""
    # JSON numbers are doubles in most readers.
    large: dict[Scalar, str] = {number: str(int(number)) for number in beyond_doubles(variable.values)}
    for text in large.values():
        if text in variable.values:
            raise InvalidParameter(
                f"column {shown(variable.name)}: {text} is both a number and text; make text of all before "
                "the model is fitted"
            )
    return [None if value is None else large.get(value, value) for value in variable.values]


def _normalised(log_weights: FloatArray) -> FloatArray:
    """Return log probabilities from log weights; uniform if all weights are zero."""
    highest = log_weights.max()
    below = log_weights - highest if highest > -np.inf else np.zeros_like(log_weights)
    return np.asarray(below - np.log(np.exp(below).sum()))


def _plain(log_weights: FloatArray) -> list[float | None]:
    """Return log weights as JSON types; minus infinity is None."""
    return [None if number == -np.inf else number for number in log_weights.tolist()]
