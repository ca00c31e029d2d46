"""Uploads that pause, end early or find no room, piece by piece."""

import asyncio
import errno
from dataclasses import replace

import pytest
from starlette.requests import Request

from codelength.serve.limits import Limits, Refused
from codelength.serve.uploads import given_name, receive

LIMITS = Limits(upload_bytes=1000, stall_seconds=0.05)


def request(*messages, **headers):
    """A request whose body comes in pieces, and then no more."""
    left = iter(messages)

    async def receive():
        for message in left:
            return message
        return await asyncio.sleep(30)

    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/tables", "headers": raw, "query_string": b""}
    return Request(scope, receive)


def piece(body, more=True):
    return {"type": "http.request", "body": body, "more_body": more}


def received(asked, directory, limits=LIMITS):
    return asyncio.run(receive(asked, "t.csv", directory, limits))


def test_pieces_are_joined(tmp_path):
    asked = request(piece(b"a,"), piece(b""), piece(b"b\n1,2\n"), piece(b"", more=False))
    path = received(asked, tmp_path)
    assert path == tmp_path / "table.csv"
    assert path.read_bytes() == b"a,b\n1,2\n"


@pytest.mark.parametrize(
    ("messages", "status", "words"),
    [
        ([piece(b"a,b\n")], 408, "stopped halfway"),
        ([], 408, "stopped halfway"),
        ([piece(b"a,b\n"), {"type": "http.disconnect"}], 400, "broken off"),
        ([piece(b"a" * 600), piece(b"a" * 401)], 413, "larger than 1000 bytes"),
        ([piece(b"", more=False)], 400, "is empty"),
    ],
)
def test_what_is_refused(tmp_path, messages, status, words):
    with pytest.raises(Refused, match=words) as caught:
        received(request(*messages), tmp_path)
    assert caught.value.status == status


def test_an_upload_that_trickles_is_refused_although_it_never_stops(tmp_path):
    """A byte before every pause is too long would hold a place for days."""
    limits = replace(LIMITS, stall_seconds=0.2, bytes_per_second=1000.0)

    async def receive_piece():
        await asyncio.sleep(0.02)
        return piece(b"a")

    asked = Request(request().scope, receive_piece)
    with pytest.raises(Refused, match="too slow") as caught:
        received(asked, tmp_path, limits)
    assert caught.value.status == 408


def test_an_upload_at_the_least_speed_is_taken(tmp_path):
    limits = replace(LIMITS, stall_seconds=5.0, bytes_per_second=1.0)
    pieces = [piece(b"a,b\n") for _ in range(20)]
    path = received(request(*pieces, piece(b"", more=False)), tmp_path, limits)
    assert path.stat().st_size == 80


@pytest.mark.parametrize("declared", ["1001", "9" * 400])
def test_a_file_that_says_it_is_too_large_is_not_waited_for(tmp_path, declared):
    with pytest.raises(Refused, match="larger than"):
        received(request(content_length=declared), tmp_path, replace(LIMITS, stall_seconds=60.0))


def test_exactly_as_much_as_is_allowed(tmp_path):
    assert received(request(piece(b"a" * 1000, more=False)), tmp_path).stat().st_size == 1000


def test_a_full_disk_is_told(user, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("codelength.serve.uploads.suffix_of", full)
    answer = user.send()
    assert answer.status_code == 507
    assert "No space left on device" in answer.json()["message"]
    assert list(user.state.directory.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("table.csv", "table.csv"),
        ("..%2f..%2fetc%2fpasswd", "passwd"),
        ("C:%5CUsers%5Cme%5Ct.csv", "t.csv"),
        ("a%0d%0ab%00c.csv", "a b\ufffdc.csv"),
        ("%E2%80%AEvsc.csv", "\ufffdvsc.csv"),
        ("%ff%fe.csv", "\ufffd\ufffd.csv"),
        ("x" * 100 + ".csv", "..." + "x" * 73 + ".csv"),
        ("", ""),
    ],
)
def test_names_are_cut_and_made_harmless(given, shown):
    assert given_name(request(x_file_name=given)) == shown
