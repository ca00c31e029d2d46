"""Reading attribute-relation files."""

import numpy as np
import pytest

from codelength.errors import DataError
from codelength.sources.files.arff import attribute_names, read_arff

HEADER = "@relation r\n@attribute a numeric\n@attribute b {x, y}\n@data\n"


@pytest.fixture
def write(tmp_path):
    """Write an ARFF file and give its path."""

    def write(text):
        path = tmp_path / "table.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def read(path, **options):
    """The cells of each attribute, and the values that nominal ones declare."""
    columns = read_arff(path, **options)
    domains = {column.name: column.values for column in columns if getattr(column, "declared", False)}
    return {column.name: column.cells for column in columns}, domains


def test_every_sort_of_attribute(write):
    path = write(
        "% a comment\n"
        "@RELATION 'the relation'\n\n"
        "@Attribute whole INTEGER\n"
        "@attribute fraction Real\t% weight\n"
        "@ATTRIBUTE 'full name' string\n"
        "@attribute \"it's\" {a,'b c', \"d,e\", 'f\\'g', 100%}\n"
        "@attribute day date 'yyyy-MM-dd'\n"
        "@DATA\n"
        "1, 0.5, Ann, a, 2020-02-03\n"
        "% another\n"
        "-2 , 1e3 , 'Bo, \"the\" B', 'b c', \"2020-02-04\" % trailing\n"
        "\n"
        '3,?,?,"d,e",?\n'
        "4,.25,'?','f\\'g',x\n"
        "5,1,'50% off',100%,x\n"
    )
    columns, domains = read(path)
    assert attribute_names(path) == list(columns) == ["whole", "fraction", "full name", "it's", "day"]
    assert domains == {"it's": ("a", "b c", "d,e", "f'g", "100%")}
    assert columns["whole"].dtype == np.int64
    assert columns["whole"].tolist() == [1, -2, 3, 4, 5]
    np.testing.assert_array_equal(columns["fraction"], [0.5, 1000, np.nan, 0.25, 1])
    assert columns["full name"].tolist() == ["Ann", 'Bo, "the" B', None, "?", "50% off"]
    assert columns["it's"].tolist() == ["a", "b c", "d,e", "f'g", "100%"]
    assert columns["day"].tolist() == ["2020-02-03", "2020-02-04", None, "x", "x"]


def test_declared_values_keep_their_order_and_need_not_occur(write):
    columns, domains = read(write("@attribute c {low,mid,high}\n@data\nhigh\nlow\n"))
    assert domains == {"c": ("low", "mid", "high")}
    assert columns["c"].tolist() == ["high", "low"]
    assert columns["c"][0] is domains["c"][2]


def test_tabs_separate_too(write):
    columns, _ = read(write(HEADER + "1\tx\n2,\ty\n"))
    assert columns["a"].tolist() == [1, 2]
    assert columns["b"].tolist() == ["x", "y"]


def test_more_markers_of_missing_values(write):
    columns, _ = read(write(HEADER + "NA,x\n2,NA\n"), na=["NA"])
    np.testing.assert_array_equal(columns["a"], [np.nan, 2])
    assert columns["b"].tolist() == ["x", None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty, or not an ARFF file"),
        ("% only words\n", "is empty, or not an ARFF file"),
        ("@relation r\n@attribute a numeric\n", "has no @data line"),
        ("@relation r\n@data\n1\n", "line 2: @data comes before any @attribute"),
        (HEADER, "has a header but no rows"),
        ("a,b\n1,2\n", "line 1: 'a,b' is not a declaration"),
        ("@attribute abc\n@data\n1\n", "line 1: cannot be understood; expected @attribute NAME TYPE"),
        ("@attribute a {x,y\n@data\nx\n", "line 1: the values of 'a' are not closed"),
        ("@attribute a {x,y,x}\n@data\nx\n", "line 1, values of 'a': columns 1 and 3 are both named 'x'"),
        ("@attribute a relational\n@data\nx\n", "line 1: attribute 'a' has type 'relational'"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "columns 1 and 2 are both named 'a'"),
        (HEADER + "1,x\n{0 1, 1 x}\n", "line 6: sparse rows are not read"),
        (HEADER + "1,x\n1,x,y\n", "line 6: expected 2 values, found 3"),
        (HEADER + "1,\n1\n", "line 6: expected 2 values, found 1"),
        (HEADER + "1,'x',\n", "line 5: expected 2 values, found 3"),
        (HEADER + "many,x\n", "line 5: 'a' is numeric, but the value is 'many'"),
        (HEADER + "1,z\n", "line 5: 'b' does not declare the value 'z'"),
        (HEADER + "1,'?'\n", r"line 5: 'b' does not declare the value '\?'"),
        (HEADER + "1,'x\n", "line 5: a quote is opened and not closed"),
        (HEADER + "1,'x'y\n", "line 5: a quote"),
        (HEADER.encode() + b"1,\xe9\n", r"line 5: byte \d+ is not UTF-8; save it as UTF-8"),
    ],
)
def test_errors_give_the_line(write, text, message):
    path = write(text)
    with pytest.raises(DataError, match=message) as caught:
        read_arff(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"x\.arff: cannot be read: No such file"):
        read_arff(tmp_path / "x.arff")


@pytest.mark.parametrize("type_", ["string", "{'?', b}", "{?, b}"])
@pytest.mark.parametrize("first", ["?", "'?'"])
def test_a_bare_question_mark_is_missing_whatever_stands_before_it(write, type_, first):
    cells = [first, "?", "'?'", "b", "?"]
    path = write(f"@relation t\n@attribute s {type_}\n@data\n" + "\n".join(cells) + "\n")
    (column,) = read_arff(path)
    assert column.cells.tolist() == [None if cell == "?" else cell.strip("'") for cell in cells]
