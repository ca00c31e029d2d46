"""The golden cases, and their numbers as arrays."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from codelength import Schema
from codelength.counts import Counts, count
from codelength.naive_bayes import Prior
from codelength.table import Coded, encode

DATA = Path(__file__).parent / "data"


def cases(family: str) -> list[dict[str, Any]]:
    """All cases of one family."""
    return json.loads((DATA / f"{family}.json").read_text())["cases"]


def schema_of(case: dict[str, Any]) -> Schema:
    return Schema.from_sizes(case["cards"], case["K"])


def prior_of(case: dict[str, Any]) -> Prior:
    """The pseudocounts, whose golden layout is [class][variable][value]."""
    by_variable = [
        [[float(Fraction(number)) for number in of_class[i]] for of_class in case["sigma"]]
        for i in range(len(case["cards"]))
    ]
    return Prior([float(Fraction(number)) for number in case["mu"]], by_variable)


def rows_of(case: dict[str, Any], rows: list[list[int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(case["cards"]))


def coded_of(case: dict[str, Any]) -> Coded:
    return encode(schema_of(case), rows_of(case, case["X"]), np.array(case["y"], dtype=np.int64))


def counts_of(case: dict[str, Any]) -> Counts:
    return count(coded_of(case))


def number(value: Any) -> float:
    return -np.inf if value == "-inf" else float(value)
