"""Scoring with a scorer document in plain Python, line by line as in ``scorer.js``.

Cells may be of any type that is allowed in a table. Change both readers together.

A cell is compared with the listed values first as it is, then by what its text spells, then as a time: "1"
and 1 may both be listed, and a form in a browser has nothing but text. Patterns decide what spells a number,
because ``float`` also takes text that other languages do not ("1_000", "nan", digits of other scripts).

Order of reading: :func:`score` with ``_place`` (a cell to its row), ``_listed`` (values) and ``_interval``
(numbers and times); :func:`ask`.
"""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..decisions import TOLERANCE, ranked
from ..errors import DataError
from ..table.spelling import looks_like_time, parse_time
from ..table.values import UnusableValue, canonical

FORMAT, VERSIONS = "codelength scorer", (1, 2)

_NUMBER = re.compile(r"[ \t\n\v\f\r]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n\v\f\r]*")
_WHOLE = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]{1,310}[ \t\n\v\f\r]*")
_STAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(?:(Z)|([+-][0-9]{2}):?([0-9]{2})?)?)?"
)
_EPOCH = datetime.datetime(1970, 1, 1)


class Score(NamedTuple):
    """Prediction of a document for a case.

    Attributes
    ----------
    probabilities : list of float
        Probability of each class.
    undefined : bool
        True if every class is impossible; the distribution is then uniform.
    evidence : dict of str to list of float
        For each variable with a known value, its contribution to the log-odds of each class against the
        reference class, in nats; given its parent, if it has one. The ``floor`` of a document, which shrinks
        log-odds, is not included.
    """

    probabilities: list[float]
    undefined: bool
    evidence: dict[str, list[float]]


def score(document: Mapping[str, Any], case: Mapping[str, Any], reference: int = 0) -> Score:
    r"""Return class probabilities of a case and the contribution of each variable.

    .. math:: p_k = b_k + \Bigl(1 - \sum_c b_c\Bigr) \frac{\exp s_k}{\sum_c \exp s_c}

    with the ``floor`` :math:`b` (0 in version 1) and the sums :math:`s` of rows of tables.

    Parameters
    ----------
    document : dict
        Result of ``model.to_scorer()``, or the same read from JSON.
    case : mapping of str to cell
        Known values; other variables may be absent or None.
    reference : int
        Position of the class that the others are compared with.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> model = NaiveBayes().fit({"outlook": ["sun", "sun", "rain"]}, ["out", "out", "in"])
    >>> found = score(model.to_scorer(), {"outlook": "sun"})
    >>> [round(p, 4) for p in found.probabilities]
    [0.2286, 0.7714]
    >>> [round(term, 4) for term in found.evidence["outlook"]]  # log (3/4) / (1/3)
    [0.0, 0.8109]
    """
    _check(document)
    variables = document["variables"]
    places = [_place(variable, case) for variable in variables]
    rows: dict[int, list[float]] = {
        i: [_number(weight) for weight in variables[i]["table"][place]]
        for i, place in enumerate(places)
        if place is not None
    }
    # The term of a pair belongs to the child, so that contributions add up over variables.
    for pair in document.get("pairs", ()):
        child, parent = (_group(variables[i], places[i]) for i in (pair["variable"], pair["given"]))
        if pair["variable"] in rows:
            rows[pair["variable"]] = _added(rows[pair["variable"]], pair["table"][child][parent])
    sums = [_number(weight) for weight in document["class_table"]]
    for row in rows.values():
        sums = _added(sums, row)
    shares, undefined = _probabilities(sums)
    floor = document.get("floor") or [0.0] * len(shares)
    rest = max(0.0, 1.0 - math.fsum(floor))
    evidence = {
        # 0 if both are impossible.
        variables[i]["name"]: [0.0 if own == row[reference] else own - row[reference] for own in row]
        for i, row in sorted(rows.items())
    }
    return Score(
        [least + rest * share for least, share in zip(floor, shares, strict=True)], undefined, evidence
    )


def ask(document: Mapping[str, Any], case: Mapping[str, Any]) -> list[tuple[str, float]]:
    r"""Return the unknown variables with their expected information about the class, in bits.

    Under the model, this is the mutual information of variable and class given the case,

    .. math:: I(C; X_i) = \sum_k P(k) \sum_l P(l \mid k) \log_2 \frac{P(l \mid k)}{P(l)} .

    Only models that describe the values have it.

    Parameters
    ----------
    document : dict
        Result of ``model.to_scorer()``, or the same read from JSON.
    case : mapping of str to cell
        Known values.

    Returns
    -------
    list of (str, float)
        Names and expected bits, the largest first.

    Raises
    ------
    DataError
        If the model does not describe the values of variables.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> table = {"outlook": ["sun", "sun", "rain", "rain"], "day": ["Mon", "Tue", "Mon", "Tue"]}
    >>> document = NaiveBayes().fit(table, ["out", "out", "in", "in"]).to_scorer()
    >>> [(name, round(bits, 4)) for name, bits in ask(document, {})]
    [('outlook', 0.1887), ('day', 0.0)]
    """
    _check(document)
    if document["version"] != 1:
        raise DataError(
            "the model does not describe the values of variables, so what they will say is not known; export "
            "a naive Bayes model to ask"
        )
    probabilities = score(document, case).probabilities
    open_ones = [variable for variable in document["variables"] if _place(variable, case) is None]
    bits = [(variable["name"], _expected_bits(variable["table"], probabilities)) for variable in open_ones]
    return [bits[place] for place in ranked([own for _, own in bits], scale=1.0)]


def _expected_bits(table: Sequence[Sequence[float | None]], probabilities: Sequence[float]) -> float:
    """Return the mutual information of a variable and the class, in bits."""
    columns = [[_number(row[k]) for row in table] for k in range(len(probabilities))]
    given_class = [_probabilities(column)[0] for column in columns]
    bits = 0.0
    for place in range(len(table)):
        of_value = sum(p * own[place] for p, own in zip(probabilities, given_class, strict=True))
        for p, own in zip(probabilities, given_class, strict=True):
            if p > 0 and own[place] > 0:
                bits += p * own[place] * math.log2(own[place] / of_value)
    return max(bits, 0.0)


def _probabilities(log_weights: Sequence[float]) -> tuple[list[float], bool]:
    """Return normalised weights, with ties made equal, and True if all weights are zero."""
    highest = max(log_weights)
    if highest == -math.inf:
        return [1 / len(log_weights)] * len(log_weights), True
    weights = [1.0 if highest - weight <= TOLERANCE else math.exp(weight - highest) for weight in log_weights]
    total = sum(weights)
    return [weight / total for weight in weights], False


def _added(sums: Sequence[float], row: Sequence[float | None]) -> list[float]:
    """Return the sum of two rows of log weights."""
    return [total + _number(weight) for total, weight in zip(sums, row, strict=True)]


def _group(variable: Mapping[str, Any], place: int | None) -> int:
    """Return the group of a cell."""
    return int(variable["groups"][-1 if place is None else place])


def _place(variable: Mapping[str, Any], case: Mapping[str, Any]) -> int | None:
    """Return the row of the table for the cell of a case; None for a cell that adds nothing."""
    if variable["name"] not in case:
        return None
    cell = _plain(variable["name"], case[variable["name"]])
    labels = variable["values"] if variable["kind"] == "values" else variable["labels"]
    # NaN is not equal to itself.
    if cell is not None and cell == cell:
        return _listed(labels, cell) if variable["kind"] == "values" else _interval(variable, cell)
    return len(labels) - 1 if labels[-1] is None else None


def _plain(name: str, cell: Any) -> str | int | float | None:
    """Return a cell as text, number or truth value in canonical form; None if it is missing."""
    if cell is None or isinstance(cell, (str, int, float)):
        return cell
    try:
        return canonical(cell)
    except UnusableValue:
        pass
    plain = cell.item() if hasattr(cell, "item") and not getattr(cell, "shape", ()) else cell
    if plain is None or isinstance(plain, (str, int, float)):
        return plain
    raise DataError(
        f"case, variable {name!r:.60}: a {type(cell).__name__} is not a cell; give text or a number"
    )


def _listed(values: Sequence[Any], cell: str | int | float) -> int | None:
    """Return the place of an equal value, of one with the same spelling, or of the same time."""
    for place, value in enumerate(values):
        # Equal values of the same kind first: text "1" and number 1 may both be listed.
        if value is not None and isinstance(value, str) == isinstance(cell, str) and value == cell:
            return place
    for place, value in enumerate(values):
        text, other = (cell, value) if isinstance(cell, str) else (value, cell)
        if isinstance(text, str) and _spells(text, other):
            return place
    if not isinstance(cell, str) or not looks_like_time(cell):
        return None
    form = parse_time(cell)
    same = [
        place for place, value in enumerate(values) if isinstance(value, str) and parse_time(value) == form
    ]
    return same[-1] if same else None


def _spells(text: str, value: Any) -> bool:
    """Return True if text spells a number or a truth value; integers are compared exactly."""
    if value is None or isinstance(value, str):
        return False
    # As an integer if possible, because floats beyond 2**53 would compare equal to their neighbours.
    spelt = int(text) if _WHOLE.fullmatch(text) else _spelt(text)
    return spelt == value or (isinstance(value, bool) and text.lower() == str(value).lower())


def _interval(variable: Mapping[str, Any], cell: str | int | float) -> int | None:
    """Return the place of the interval of a number or time, or of a label."""
    scale, labels = variable.get("scale", "number"), variable["labels"]
    number = _measured(cell, scale)
    if number is not None and math.isfinite(number):
        return sum(1 for cut in variable["cuts"] if cut <= number)
    return next((i for i, label in enumerate(labels) if isinstance(cell, str) and label == cell), None)


def _measured(cell: str | int | float, scale: str) -> float | None:
    """Return a cell as a number on a scale; None if it is not on that scale."""
    if not isinstance(cell, str):
        try:
            return float(cell)
        except OverflowError:  # an integer beyond the range of a float
            return None
    if scale == "number":
        return _spelt(cell)
    stamp = _STAMP.fullmatch(cell)
    return None if stamp is None else _microseconds(stamp, aware=scale == "utc")


def _microseconds(stamp: re.Match[str], *, aware: bool) -> float | None:
    """Return a time stamp in microseconds since 1970; None if its zone or date does not fit the scale."""
    year, month, day, hour, minute, second, digits, utc, ahead, more = stamp.groups()
    if aware == (utc is None and ahead is None):
        return None
    try:
        whole = datetime.datetime(int(year), int(month), int(day))
        datetime.time(int(hour or 0), int(minute or 0), int(second or 0))
    except ValueError:
        return None
    # The sign belongs to hours and minutes: -03:30 is 210 minutes behind.
    offset = 0 if ahead is None else int(ahead) * 60 + int(f"{ahead[0]}{more or 0}")
    clock = (int(hour or 0) * 60 + int(minute or 0)) * 60 + int(second or 0)
    of_day = clock * 1e6 + int((digits or "0")[:6].ljust(6, "0"))
    return (whole - _EPOCH).days * 86_400e6 + of_day - offset * 60e6


def _spelt(text: str) -> float | None:
    """Return the number that a text spells, or None."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _number(weight: float | None) -> float:
    """Return a log weight of a document; None is minus infinity."""
    return -math.inf if weight is None else weight


def _check(document: Mapping[str, Any]) -> None:
    """Raise DataError if a document is not a scorer document of a known version."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise DataError("not a scorer document; pass what model.to_scorer() gave")
    if document.get("version") not in VERSIONS:
        raise DataError(
            f"scorer document of version {document.get('version')!r:.20}: this library reads versions "
            f"{VERSIONS[0]} and {VERSIONS[1]}; export the model again"
        )
