"""Model files of streams: the complete state as JSON, checked on load.

A document has these parts, those in parentheses with growing domains only:

.. code-block:: text

    {"kind": "online-naive-bayes", "options": {...}, "schema": {...} or null,
     "weight": 1.0, "scores": [n_scored, code_length, n_hits], "window": [[code, places, positions], ...],
     ("classes": {"met": [...], "weight": 2.0},
      "variables": [{"name": "x", "met": [...], "weight": 1.0, "is_retired": false}, ...],)
     "class_counts": [...], "value_counts": [[...], ...], "totals": [[...], ...]}

``schema`` is the one given to the constructor; values and classes that were met since are in ``met``, and
their ``weight`` is their number in the units of the counts. ``window`` has the rows that count, the oldest
first, or is null.

Counts are written undivided, with the ``weight`` of the last row: a loaded stream continues to the last bit,
and division would round them. ``totals`` are sums of the value counts, but sums of weights depend on the
order of addition, so they are written too. Rows and columns have the order of values and classes, not that of
places in memory, which depends on the history of the stream.

A document must be consistent, or later predictions would be wrong without an error: counts are finite, not
negative and add up, no variable has more cells than rows, and a window has exactly the rows that count.

Order of reading: :func:`to_document`, :func:`restored`, then one function per part. Depends on
:mod:`codelength.estimators.documents` (files) and the classes of counts in ``fixed`` and ``growing``.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DataError
from ..estimators import documents
from ..table import Schema
from ..table._messages import shown
from ..table.checks import check_instance, check_number, check_whole
from ..typing import FloatArray
from .fixed import ROUNDING, FixedCounts, Located, exceeds
from .growing import GrowingCounts
from .naive_bayes import OnlineNaiveBayes

KIND = "online-naive-bayes"


def to_document(model: OnlineNaiveBayes) -> dict[str, Any]:
    """Return the complete state of a model as JSON types.

    Examples
    --------
    >>> model = OnlineNaiveBayes(domains="growing").learn_one({"outlook": "sun"}, "yes")
    >>> document = to_document(model)
    >>> document["classes"], document["class_counts"]
    ({'met': ['yes'], 'weight': 1.0}, [1.0])
    >>> restored(document).counts == model.counts
    True
    """
    counts = model._counts
    options = documents.plain_params(model._options)
    content: dict[str, Any] = {
        "kind": KIND,
        "options": options | {"rule": model._rule.name},
        "schema": None if model._start is None else model._start.to_json(),
        "weight": model._weight,
        # JSON has no infinity.
        "scores": [
            model.n_scored,
            None if math.isinf(model.code_length) else model.code_length,
            model._n_hits,
        ],
        "window": None,
    }
    rows, columns = counts.layout
    if isinstance(counts, GrowingCounts):
        content["classes"] = {"met": [*counts.target.met.values()], "weight": counts.n_met_classes}
        content["variables"] = [
            {
                "name": domain.name,
                "met": [*domain.met.values()],
                "weight": float(counts.n_met[i]),
                "is_retired": domain.is_retired,
            }
            for i, domain in enumerate(counts.domains)
        ]
    content["class_counts"] = counts.class_counts[columns].tolist()
    content["value_counts"] = counts.value_counts[np.ix_(rows, columns)].tolist()
    content["totals"] = counts.totals[: counts.n_variables, columns].tolist()
    if model._rows is not None:
        # Positions in the order of the file.
        of_row, of_column = (dict(zip(used, range(len(used)), strict=True)) for used in (rows, columns))
        content["window"] = [
            [of_column[row.code], [of_row[place] for place in row.places.tolist()], row.positions.tolist()]
            for row in model._rows
        ]
    return content


def restored(content: Mapping[str, Any]) -> OnlineNaiveBayes:
    """Restore the model that :func:`to_document` wrote; raise DataError if the document is not valid."""
    if content["kind"] != KIND:
        raise DataError(f"a model of kind {shown(content['kind'])}; read it with codelength.load")
    options = documents.restored_params(content["options"])
    start = content["schema"]
    model = OnlineNaiveBayes(None if start is None else Schema.from_json(start), **options)
    model._weight = check_number("weight", content["weight"], above=True)
    n_scored, code_length, n_hits = content["scores"]
    model.n_scored = check_whole("scores", n_scored, 0)
    model.code_length = math.inf if code_length is None else check_number("scores", code_length)
    model._n_hits = check_whole("scores", n_hits, 0, n_scored)
    counts = model._counts
    if isinstance(counts, GrowingCounts):
        _grow(counts, content)
    rows, columns = counts.layout
    counts.class_counts[columns] = _numbers(content["class_counts"], (len(columns),))
    counts.value_counts[np.ix_(rows, columns)] = _numbers(content["value_counts"], (len(rows), len(columns)))
    of_variables = _numbers(content["totals"], (counts.n_variables, len(columns)))
    counts.totals[: counts.n_variables, columns] = of_variables
    _check_totals(counts)
    if (content["window"] is None) != (model._rows is None):
        raise DataError("the rows of the window are not there, or there is no window")
    if model._rows is not None:
        model._rows = deque(_window(content["window"], counts, rows, columns))
        if len(model._rows) > model._most:
            raise DataError(f"{len(model._rows)} rows in a window of {model._most}")
    return model


def _grow(counts: GrowingCounts, content: Mapping[str, Any]) -> None:
    """Restore growing domains. Declared variables come first, as the constructor adds them."""
    classes = content["classes"]
    counts.n_met_classes = check_number("weight of the values met", classes["weight"])
    counts.meet(counts.target, classes["met"])
    for i, variable in enumerate(content["variables"]):
        if i == counts.n_variables:
            check_instance("variables", variable["name"], str, "a name")
            counts.add_variable(variable["name"])
        domain = counts.domains[i]
        if domain.name != variable["name"]:
            raise DataError(f"variable {shown(variable['name'])} where {shown(domain.name)} is expected")
        counts.meet(domain, variable["met"])
        counts.n_met[i] = check_number("weight of the values met", variable["weight"])
        if variable["is_retired"] and not domain.is_retired:
            domain.retire()


def _numbers(given: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return a checked array of counts.

    In JSON, an array of shape (0, 3) is an empty list, so the shape of empty arrays is not checked.
    """
    numbers = np.array(given, dtype=np.float64).reshape(shape if 0 in shape else np.shape(given))
    if numbers.shape != shape or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise DataError(f"counts of shape {numbers.shape}; expected {shape}, finite and not below 0")
    return numbers


def _check_totals(counts: FixedCounts | GrowingCounts) -> None:
    """Raise DataError if counts of values do not add up to their total, or exceed the count of the class."""
    for i in range(counts.n_variables):
        added = counts.value_counts[counts.places_of(i)].sum(axis=0)
        room = ROUNDING * (1 + counts.class_counts)
        if (np.abs(added - counts.totals[i]) > room).any() or exceeds(added, counts.class_counts).any():
            raise DataError(f"the counts of variable {i} do not add up")


def _window(
    kept: Sequence[Any], counts: FixedCounts | GrowingCounts, rows: list[int], columns: list[int]
) -> list[Located]:
    """Restore the rows of a window; raise DataError if they do not add up to the counts.

    Parameters
    ----------
    kept : sequence
        Rows of the document: code of the class, places and positions, in the order of the file.
    counts : FixedCounts or GrowingCounts
        The restored counts.
    rows, columns : list of int
        Rows and columns of the counts, in the order of the file.
    """
    found = [
        Located.at(
            columns[code],
            [rows[place] for place in places],
            [check_whole("position", i, 0) for i in positions],
        )
        for code, places, positions in kept
    ]
    kinds = counts.class_counts, counts.value_counts, counts.totals
    classes, values, totals = (np.zeros_like(counted) for counted in kinds)
    for row in found:
        if len(row.places) != len(row.positions) or len(set(row.positions.tolist())) != len(row.positions):
            raise DataError("a row of the window has two values of one variable")
        classes[row.code] += 1.0
        values[row.places, row.code] += 1.0
        totals[row.positions, row.code] += 1.0
    # In a window all rows have weight 1, so the sums are exact and can be compared exactly.
    if not all(map(np.array_equal, kinds, (classes, values, totals))):
        raise DataError("the rows of the window are not those that were counted")
    return found
