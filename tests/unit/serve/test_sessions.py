"""The one session of a server: its files, its names and its end."""

from codelength.serve.state import AppState

from .conftest import LIMITS, User


def test_nobody_else_enters_the_directories(user, state):
    (upload,) = (user.table(user.brought()),)
    assert upload.path.is_relative_to(state.directory)
    assert upload.path.parent.stat().st_mode & 0o077 == 0


def test_names_cannot_be_guessed(user):
    keys = {user.brought().rsplit("/", 1)[1] for _ in range(3)}
    assert len(keys) == 3
    assert all(len(key) == 32 and int(key, 16) for key in keys)


def test_a_second_browser_finds_the_same_tables(user, app, state):
    user.brought(name="mine.csv")
    second = User(app, state)
    assert second.enter().status_code == 303
    assert "mine.csv" in second.get("/").text


def test_ending_the_session_removes_its_files(user, state):
    report = user.report(user.brought(b"a,slow\n1,x\n2,y\n"), "slow")
    user.wait(report, until=("running",))
    answer = user.post("/end")
    assert "the session is over" in answer.text.lower()
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert user.get("/").status_code == 403
    assert list(state.directory.iterdir()) == []


def test_the_cookie_of_a_session_that_ended_is_worth_nothing(user, app, state):
    cookies = dict(user.http.cookies)
    user.post("/end")
    user.http.cookies.update(cookies)
    assert user.get("/").status_code == 403
    assert User(app, state).enter().status_code == 303
    assert user.get("/").status_code == 403


def test_servers_do_not_share_cookies(state, tmp_path):
    """Browsers keep them by host, whatever the port."""
    other = AppState(tmp_path, LIMITS)
    assert other.cookie != state.cookie
    other.close()
