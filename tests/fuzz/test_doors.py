"""One logical table through two doors: the same codes and code length, or an error of ours."""

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from codelength import NaiveBayes
from codelength.errors import CodelengthError, CodelengthWarning
from codelength.table import Coded, Schema, Table, encode, infer_schema

from . import doors
from .harness import Fault, attempts


def test_pairs_of_doors(tmp_path):
    attempts("doors", Doors(tmp_path), range(80)).check()


@pytest.mark.long
def test_many_pairs_of_doors(tmp_path):
    attempts("doors", Doors(tmp_path), range(4000)).check()


class Doors:
    """Take a table in through two doors, and hold what comes in against each other."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, rng: Random) -> None:
        table = doors.drawn(rng)
        names = rng.sample(tuple(doors.DOORS), len(doors.DOORS))
        found = []
        while names and len(found) < 2:
            name = names.pop()
            try:
                found.append((name, doors.through(rng, name, table, self.directory)))
            except doors.Unsuitable:
                continue
        if len(found) < 2:
            return
        (one, first), (two, second) = found
        numeric = rng.choice(("auto", "auto", "category", "discretize"))
        options = {"missing": rng.choice(("ignore", "value")), "numeric": numeric}
        told = f"{[(c.kind, c.cells) for c in table.columns]!r:.400} by {one} and {two}"
        compare(options, first, second, told)
        for name, through in ((two, first), (one, second)):
            self.predict(rng, table, infer_schema(through, **options), through, name, told)
        self.predict_anywhere(rng, table, first, options, told)

    def predict_anywhere(self, rng: Random, table: Any, first: Table, options: Any, told: str) -> None:
        """Also through doors that need a schema to know what they hold."""
        name = rng.choice(("csv", "arff", "json", "parquet"))
        self.predict(rng, table, infer_schema(first, **options), first, name, f"{told}, predicted by {name}")

    def predict(self, rng: Random, table: Any, schema: Schema, known: Table, name: str, told: str) -> None:
        """Under the schema of one door, the rows of another have the same codes."""
        expected = encode(schema, known, by_name=False)
        try:
            rows = doors.through(rng, name, table, self.directory, schema)
        except doors.Unsuitable:
            return
        except CodelengthError:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("error", CodelengthWarning)
            try:
                found = encode(schema, rows, by_name=False)
            except CodelengthError:
                return
            except CodelengthWarning as warning:
                raise Fault("silent difference", f"at prediction {warning}; {told}") from warning
        if not np.array_equal(found.codes, expected.codes):
            cells = np.argwhere(found.codes != expected.codes)[:3].tolist()
            values = [(rows.columns[i].cells[row], schema.variables[i].values[:9]) for row, i in cells]
            raise Fault("silent difference", f"at prediction {values!r:.300}; {told}")


def compare(options: dict[str, Any], first: Table, second: Table, told: str) -> None:
    """Two tables that ought to be the same."""
    schemas = [infer_schema(table, **options) for table in (first, second)]
    essences = [essence(schema) for schema in schemas]
    if essences[0] != essences[1]:
        differing = [(a, b) for a, b in zip(*essences, strict=False) if a != b]
        raise Fault("silent difference", f"schemas {differing!r:.500}; {told}")
    coded: list[Coded] = [
        encode(schema, table) for schema, table in zip(schemas, (first, second), strict=True)
    ]
    if schemas[0].classes != schemas[1].classes:
        raise Fault("silent difference", f"classes {schemas[0].classes} and {schemas[1].classes}; {told}")
    if not np.array_equal(coded[0].class_codes, coded[1].class_codes):
        raise Fault("silent difference", f"codes of classes; {told}")
    if not np.array_equal(coded[0].codes, coded[1].codes):
        raise Fault("silent difference", f"codes; {told}")
    lengths = [NaiveBayes(**options).fit(table).evidence_code_length_ for table in (first, second)]
    if lengths[0] != lengths[1]:
        raise Fault("silent difference", f"code lengths {lengths}; {told}")


def essence(schema: Schema) -> list[Any]:
    """What a schema says about the columns, whatever their names and however it was found."""
    return [
        (variable.values, [type(value) for value in variable.values], variable.kind, variable.cuts)
        for variable in schema.variables
    ]
