"""Files that are too large, of the wrong kind, or not what they seem."""

import gzip
import io
import struct
from dataclasses import replace

import duckdb
import pytest

from codelength.serve.limits import MIB

from .conftest import CSV, LIMITS, wait_for


def parquet(tmp_path, sql):
    """A Parquet file of what a query gives."""
    path = tmp_path / "made.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path.read_bytes()


def refused(user, *args, **kwargs):
    """Why an upload is refused at once; nothing of it is left."""
    answer = user.send(*args, **kwargs)
    assert answer.status_code >= 400, answer.text
    assert list(user.state.directory.iterdir()) == []
    return answer.status_code, answer.json()["message"]


def looked_at(user, *args, **kwargs):
    """Why a file is refused once somebody has looked at it."""
    told = user.wait(user.send(*args, **kwargs).json()["location"])
    assert told["state"] == "failed", told
    assert "/desk/" not in told["message"]
    return told["message"]


@pytest.mark.parametrize(
    "name", ["t.csv", "T.CSV", "t.tsv", "my table.txt", "../../etc/passwd.csv", "C:\\t.csv"]
)
def test_text_files(user, name):
    assert "outlook" in user.get(user.brought(name=name)).text


def test_packed_and_parquet_files(user, tmp_path):
    assert "4 rows, 3 columns" in user.get(user.brought(gzip.compress(CSV, mtime=0), "weather.csv.gz")).text
    content = parquet(tmp_path, "SELECT range AS n, 'x' AS a FROM range(10)")
    assert "10 rows, 2 columns" in user.get(user.brought(content, "t.parquet")).text


@pytest.mark.parametrize(
    "name", ["../../../evil.csv", "/etc/evil.csv", "..\\evil.csv", "a/b\x00/evil.csv", "évil.csv"]
)
def test_the_name_of_a_file_is_no_path(user, state, name):
    from urllib.parse import quote

    user.brought(name=quote(name))
    inside = [path for path in state.directory.rglob("*") if path.is_file()]
    assert [path.name for path in inside] == ["table.csv"]
    assert not list(state.directory.parent.rglob("*vil*"))


def test_a_hostile_name_is_shown_and_does_nothing(user):
    name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%0d%0aX-Evil%3A%201.csv"
    table = user.brought(name=name)
    page = user.get(table)
    assert "<script>alert" not in page.text
    assert "x-evil" not in page.headers
    report = user.report(table, "play")
    user.wait(report)
    kept = user.get(f"{report}/download/report").headers["content-disposition"]
    assert kept.isascii()
    assert "script>" not in kept
    assert kept.endswith('-report.html"')


def test_hostile_columns_are_shown_and_do_nothing(user):
    name = "</option></select><script>alert(1)</script>"
    table = user.brought(f'"{name}",b\n1,x\n2,y\n'.encode())
    page = user.get(table).text
    assert "<script>alert" not in page
    assert "&lt;/option&gt;&lt;/select&gt;&lt;script&gt;" in page
    assert name not in user.get(user.report(table, name)).text


def test_a_file_that_is_too_large_by_its_own_account(user):
    status, message = refused(user, b"a\n" * (MIB // 2 + 1))
    assert status == 413
    assert "larger than 1 MB" in message
    assert "--limit-mb" in message


def test_a_file_that_is_larger_than_it_says(user):
    """Pieces without a length, and a length that lies: what comes is counted."""

    def pieces():
        for _ in range(40):
            yield b"a,b\n" * 16384

    assert refused(user, pieces())[0] == 413
    assert refused(user, pieces(), **{"content-length": "10"})[0] == 413


@pytest.mark.parametrize(
    ("content", "name", "status", "words"),
    [
        (b"", "t.csv", 400, "is empty"),
        (CSV, "t", 415, "ends in none of"),
        (CSV, "", 415, "ends in none of"),
        (CSV, "t.exe", 415, "ends in none of"),
        (CSV, "t.json", 415, "ends in none of"),
        (CSV, "t.parquet", 415, "holds text"),
        (CSV, "t.csv.gz", 415, "holds text"),
        (gzip.compress(CSV, mtime=0), "t.csv", 415, "holds gzip data"),
        (b"PAR1" + CSV, "t.csv", 415, "holds a Parquet table"),
        (b"PK\x03\x04" + CSV, "t.xlsx", 415, "a workbook or an archive"),
        (b"PK\x03\x04" + CSV, "t.csv", 415, "a workbook or an archive"),
    ],
)
def test_files_of_another_kind(user, content, name, status, words):
    found, message = refused(user, content, name)
    assert found == status
    assert words in message


def test_an_upload_that_breaks_off_leaves_nothing(user):
    """Whatever it is that goes wrong halfway."""

    def pieces():
        yield CSV
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        user.send(pieces())
    wait_for(lambda: not list(user.state.directory.iterdir()))


def gz_bomb(n_bytes):
    """Zeros, packed twice as tightly as they need to be."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as file:
        file.write(b"a,b\n")
        for _ in range(n_bytes // MIB):
            file.write(b"0" * MIB)
    return packed.getvalue()


def test_a_packed_file_that_is_large_once_unpacked(user):
    content = gz_bomb(64 * MIB)
    assert len(content) < MIB
    assert "larger than 8 MB once it is unpacked" in looked_at(user, content, "bomb.csv.gz")


def test_a_packed_file_that_lies_about_its_size(user):
    content = gz_bomb(64 * MIB)[:-4] + struct.pack("<I", 10)
    assert "larger than 8 MB" in looked_at(user, content, "bomb.csv.gz")


def test_packed_files_one_after_the_other(user):
    piece = gzip.compress(b"a,b\n1,2\n" + b"1,2\n" * 30_000)
    content = piece * 200
    assert len(content) < MIB
    assert "100,000 are taken" in looked_at(user, content, "bomb.csv.gz")


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b" + b"x" * 100, gzip.compress(CSV, mtime=0)[:-9], gzip.compress(CSV, mtime=0)[:20]]
)
def test_a_damaged_packed_file(user, content):
    assert "is damaged" in looked_at(user, content, "t.csv.gz")


def test_a_parquet_file_of_many_rows_in_few_bytes(user, tmp_path):
    content = parquet(tmp_path, "SELECT 1 AS a, NULL::VARCHAR AS b FROM range(20_000_000)")
    assert len(content) < MIB
    assert "20,000,000 rows, and at most 100,000" in looked_at(user, content, "bomb.parquet")


def test_a_parquet_file_that_is_large_once_unpacked(user, tmp_path):
    content = parquet(
        tmp_path, "SELECT repeat(chr(65 + (range % 20)::INT), 200_000) || range AS a FROM range(100)"
    )
    assert len(content) < MIB
    assert "once it is unpacked" in looked_at(user, content, "bomb.parquet")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PAR1" + b"\x00" * 100 + b"\xff\xff\xff\x7fPAR1", "is not a Parquet file, or is damaged"),
        (b"PAR1" + b"x" * 64 + struct.pack("<I", 64) + b"PAR1", "is not a Parquet file, or is damaged"),
        (b"PAR1", "; write it again"),
    ],
)
def test_a_damaged_parquet_file(user, content, words):
    message = looked_at(user, content, "t.parquet")
    assert words in message
    assert message.startswith("t.parquet: ")


def test_too_many_columns_rows_and_cells(user):
    columns = ",".join(f"c{i}" for i in range(101))
    assert "101 columns, and at most 100" in looked_at(user, f"{columns}\n".encode())
    assert "rows, and at most 100,000" in looked_at(user, b"a\n" + b"1\n" * 150_000)
    wide = ",".join(f"c{i}" for i in range(50)) + "\n"
    rows = ("," * 49 + "\n") * 20_001
    assert "cells, and at most 1,000,000" in looked_at(
        user, gzip.compress((wide + rows).encode()), "t.csv.gz"
    )


class TestALongHeader:
    @pytest.fixture
    def limits(self):
        return replace(LIMITS, unpacked_bytes=64 * MIB)

    def test_a_first_line_without_an_end(self, user):
        content = gzip.compress(b"a," * (10 * MIB))
        assert "line 1: is longer than 16 MB" in looked_at(user, content, "t.csv.gz")


class TestManyColumns:
    @pytest.fixture
    def limits(self):
        return replace(LIMITS, upload_bytes=8 * MIB, columns=20_000)

    def test_ten_thousand_columns_can_be_chosen_from(self, user):
        names = [f"column {i}" for i in range(10_000)]
        page = user.get(user.brought((",".join(names) + "\n" + "," * 9_999 + "\n").encode())).text
        assert page.count("<option") == 10_000
        assert page.count("checkbox") == 1  # nobody leaves them out one by one
        assert len(page) < MIB

    def test_names_that_are_too_long(self, user):
        content = ",".join(f"{i}{'x' * 300}" for i in range(7_000)) + "\n"
        assert "the column names are longer than 2,000,000 characters" in looked_at(user, content.encode())


def test_the_limits_hold_again_when_the_report_is_made(user):
    """A file could be exchanged in between; nobody else can, but the process looks for itself."""
    table = user.brought()
    path = user.table(table).path
    path.write_bytes(b"outlook,wind,play\n" + b"a,b,c\n" * 150_000)
    report = user.report(table, "play")
    assert "rows, and at most 100,000 are taken here" in user.wait(report)["message"]


def test_forms_that_name_no_column(user):
    table = user.brought()
    for target in ("", "3", "-1", "x", "9" * 30, "²", "../x"):
        answer = user.post(f"{table}/reports", {"what": "report", "target": target})
        assert answer.status_code == 400, target
    assert user.post(f"{table}/reports", {"what": "report", "target": "0", "drop": "7"}).status_code == 400
    assert user.post(f"{table}/reports", {"target": "0" * (2 * MIB)}).status_code == 413
    answer = user.http.post(
        f"{table}/reports", content=b"\xff=\xff", headers={"origin": "http://127.0.0.1:8123"}
    )
    assert answer.status_code == 400


def test_a_short_text_in_many_rows_of_a_parquet_file(user, tmp_path):
    """A dictionary holds a text once, however many rows have it: 100 kB and a few codes are 10 GB of text."""
    sql = "SELECT repeat('x', 100000) AS a, range % 2 AS y FROM range(100000)"
    content = parquet(tmp_path, sql)
    assert len(content) < MIB
    assert "larger than 8 MB once it is unpacked" in looked_at(user, content, "t.parquet")
    few = parquet(tmp_path, "SELECT 'x' || range % 3 AS a, range % 2 AS y FROM range(100000)")
    assert "100,000 rows, 2 columns" in user.get(user.brought(few, "t.parquet")).text


def test_a_form_with_very_many_columns_is_read_at_once(user):
    """The names are looked up in the list itself: a copy of it for every field takes seconds."""
    table = user.table(user.brought())
    assert table.columns is table.columns
    answer = user.post(f"/tables/{table.key}/reports", {"target": "2", "drop": ["0"] * 3000})
    assert answer.status_code == 303
