"""A server with small limits, and people who use it."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra serve is not installed")

from starlette.testclient import TestClient

from codelength.serve.app import make_app
from codelength.serve.limits import MIB, Limits
from codelength.serve.state import AppState

HOST = "127.0.0.1:8123"
OWN = {"origin": f"http://{HOST}"}
STAND_IN = (sys.executable, "-P", str(Path(__file__).with_name("stand_in.py")))
LIMITS = Limits(upload_bytes=MIB, unpacked_bytes=8 * MIB, rows=100_000, columns=100, cells=1_000_000)
CSV = b"outlook,wind,play\nsun,no,yes\nrain,yes,no\nsun,yes,yes\nrain,no,no\n"


def wait_for(condition):
    """Ask until a condition holds, however busy the machine is; the limit only ends a hang."""
    end = time.monotonic() + 900
    while not (found := condition()):
        assert time.monotonic() < end, "still waiting after 15 minutes"
        time.sleep(0.02)
    return found


class User:
    """Somebody with a browser."""

    def __init__(self, app, state):
        self.http = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)
        self.state = state

    def enter(self, token=None):
        """Open the address of the terminal."""
        return self.http.get("/", params={"token": token or self.state.issue()})

    def get(self, path, **headers):
        return self.http.get(path, headers=headers)

    def post(self, path, data=None, **headers):
        return self.http.post(path, data=data, headers={**OWN, **headers})

    def send(self, content=CSV, name="weather.csv", **headers):
        """Upload a file: the answer."""
        return self.http.post("/tables", content=content, headers={**OWN, "x-file-name": name, **headers})

    def brought(self, content=CSV, name="weather.csv"):
        """Upload a file and wait for its columns: the address of its page."""
        answer = self.send(content, name)
        assert answer.status_code == 201, answer.text
        location = answer.json()["location"]
        self.wait(location)
        return location

    def report(self, table, target=None, drop=()):
        """Start a report on a table: the address of its page."""
        names = self.table(table).columns
        data = {"what": "classes"} if target is None else {"what": "report", "target": names.index(target)}
        answer = self.post(f"{table}/reports", {**data, "drop": [names.index(name) for name in drop]})
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def wait(self, location, until=("done", "failed", "cancelled"), state="state"):
        """Ask until the state, or another entry, of a page is one of some; return what was told."""
        return wait_for(lambda: (told := self.get(f"{location}/state").json())[state] in until and told)

    def table(self, location):
        """What the server knows about a table."""
        return self.state.tables[location.rsplit("/", 1)[1]]


@pytest.fixture
def limits():
    return LIMITS


@pytest.fixture
def announced():
    """Tokens that were told to the terminal."""
    return []


@pytest.fixture
def offered(request):
    given = getattr(request, "param", None)
    return given and (given[0], Path(given[1]))


@pytest.fixture
def state(tmp_path, limits, announced, offered):
    directory = tmp_path / "desk"
    directory.mkdir()
    state = AppState(directory, limits, offered, announced.append, STAND_IN)
    state.directory = directory
    yield state
    state.close()
    assert list(directory.iterdir()) == []


@pytest.fixture
def app(state):
    return make_app(state)


@pytest.fixture
def stranger(app, state):
    """Somebody without a token."""
    return User(app, state)


@pytest.fixture
def user(app, state):
    """Somebody who is in."""
    user = User(app, state)
    assert user.enter().status_code == 303
    return user


__all__ = ["CSV", "HOST", "LIMITS", "OWN", "STAND_IN", "User", "replace"]
