"""Cells of text files mean in a stream what they mean in memory, however late they come."""

import pytest

from codelength.counts.stream import learn_counts
from codelength.errors import DataError
from codelength.sources.readers import read_table
from codelength.table import infer_schema
from stream_tables import assert_same, in_memory, quietly

LATE = {
    "underscore": "1_000",
    "two signs": "+-1",
    "nan": "nan",
    "NaN with a number": "nan(3)",
    "infinite": "inf",
    "large": "12345678901234567890",
    "beyond floats": "1e400",
    "exact": str(2**53 + 1),
    "exponent": "1e5",
    "point": "2.50",
    "text": "seven",
    "truth": "true",
    "spaces": " 7 ",
    "tab": "\t7",
    "hexadecimal": "0x10",
    "NA": "NA",
    "NA in spaces": " NA ",
    "mark": "?",
    "nothing": "",
    "time": "2020-01-31",
}


# Whole numbers that lose digits as numbers are categories, or refused.
KEPT = {"identifiers": "keep", "categories": ["large", "exact"]}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Columns of numbers in the first 1,200 rows, with one other cell after them."""
    path = tmp_path_factory.mktemp("late") / "table.csv"
    lines = [",".join([*LATE, "class"])]
    lines += [
        ",".join([*(str((i * (j + 3)) % 31) for j in range(len(LATE))), "pq"[i % 2]]) for i in range(1200)
    ]
    lines += [",".join([*LATE.values(), "p"]), ",".join(["5"] * len(LATE) + ["q"])]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("numeric", ["auto", "category"])
def test_a_late_cell_decides_about_its_column(path, numeric):
    options = {"numeric": numeric, **KEPT}
    table = read_table(path, target="class")
    found = quietly(learn_counts, path, "class", batch_rows=500, **options)
    assert_same(found, in_memory(table, None, **options))
    assert {type(value) for variable in found.schema.variables for value in variable.values} >= {str}


def test_other_texts_may_mean_missing(path):
    markers = ["5", "7", "seven", "true"]
    found = quietly(learn_counts, path, "class", na=markers, **KEPT)
    assert_same(found, in_memory(read_table(path, target="class", na=markers), None, **KEPT))


def test_cells_mean_what_they_mean_in_a_schema(path):
    schema = quietly(infer_schema, read_table(path, target="class"), **KEPT)
    found = quietly(learn_counts, path, "class", schema=schema, batch_rows=700)
    assert_same(found, in_memory(read_table(path, target="class"), None, **KEPT))


def test_files_in_parts_decide_together(path, tmp_path):
    header, *lines = path.read_text().splitlines()
    for i, part in enumerate((lines[:700], lines[700:])):
        (tmp_path / f"{i}.csv").write_text("\n".join([header, *part]) + "\n")
    found = quietly(learn_counts, tmp_path, "class", **KEPT)
    assert_same(found, quietly(learn_counts, path, "class", **KEPT))


def test_whole_numbers_that_lose_digits_are_refused_as_numbers(path):
    message = r"column 'large': whole numbers beyond 2\*\*53"
    with pytest.raises(DataError, match=message):
        quietly(learn_counts, path, "class", identifiers="keep")
    with pytest.raises(DataError, match=message):
        quietly(infer_schema, read_table(path, target="class"), identifiers="keep")
