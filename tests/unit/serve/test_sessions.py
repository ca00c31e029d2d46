"""Users are kept apart, and sessions end."""

from dataclasses import replace

import pytest

from .conftest import LIMITS, User


def test_two_users_do_not_see_each_other(user, other):
    table = user.brought(name="secret.csv")
    report = user.report(table, "play")
    user.wait(report)
    assert "secret.csv" in user.get("/").text
    assert "secret.csv" not in other.get("/").text
    for path in (table, f"{table}/state", report, f"{report}/state", f"{report}/page"):
        assert user.get(path).status_code == 200
        hidden, nowhere = other.get(path), other.get(path.replace(path.split("/")[2], "0" * 32))
        assert hidden.status_code == nowhere.status_code == 404
        assert hidden.content == nowhere.content
    for path in (f"{report}/download/report", f"{report}/download/model"):
        assert user.get(path).status_code == 200
        assert other.get(path).status_code == 404
    for path in (f"{table}/reports", f"{table}/remove", f"{report}/cancel", f"{report}/remove"):
        assert other.post(path, {"what": "classes"}).status_code == 404
    assert user.get(f"{report}/page").status_code == 200


def test_every_user_has_a_directory_of_their_own_that_nobody_else_enters(user, other):
    user.brought()
    other.brought()
    first, second = user.sessions()
    assert first.directory != second.directory
    assert first.directory.stat().st_mode & 0o077 == 0
    (upload,) = first.tables.values()
    assert upload.path.is_relative_to(first.directory)
    assert upload.path.parent.stat().st_mode & 0o077 == 0


def test_names_cannot_be_guessed(user):
    keys = {user.brought().rsplit("/", 1)[1] for _ in range(3)}
    assert len(keys) == 3
    assert all(len(key) == 32 and int(key, 16) for key in keys)


def test_ending_a_session_removes_its_files_and_no_others(user, other, desk):
    user.brought()
    kept = other.brought()
    answer = user.post("/end")
    assert "the session is over" in answer.text.lower()
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert user.get("/").status_code == 403
    assert other.get(kept).status_code == 200
    assert len(list(desk.directory.iterdir())) == 1


def test_the_cookie_of_a_session_that_ended_is_worth_nothing(user):
    cookies = dict(user.http.cookies)
    user.post("/end")
    user.http.cookies.update(cookies)
    assert user.get("/").status_code == 403


class TestTime:
    @pytest.fixture
    def limits(self):
        return replace(LIMITS, idle_seconds=100.0)

    @pytest.fixture
    def now(self, desk):
        now = [0.0]
        desk.sessions._clock = lambda: now[0]
        return now

    def test_a_session_ends_when_it_is_not_used(self, app, desk, now):
        user = User(app, desk)
        user.enter()
        user.brought()
        for now[0] in (60.0, 120.0, 180.0):
            assert user.get("/").status_code == 200
        now[0] = 281.0
        assert user.get("/").status_code == 403
        assert list(desk.directory.iterdir()) == []
        assert desk.sessions.storage.used == 0

    def test_sessions_that_nobody_comes_back_to_are_swept(self, app, desk, now):
        users = [User(app, desk) for _ in range(2)]
        for user in users:
            user.enter()
        table = users[0].brought(b"a,slow\n1,x\n2,y\n")
        users[0].report(table, "slow")
        now[0] = 101.0
        desk.sessions.sweep()
        assert len(users[0].sessions()) == 1  # work goes on while nobody looks
        assert users[0].get("/").status_code == 200
        assert users[1].get("/").status_code == 403


def test_servers_do_not_share_cookies(desk, app, tmp_path):
    """Browsers keep them by host, whatever the port."""
    from codelength.serve.app import Desk

    other = Desk(tmp_path, LIMITS)
    assert other.cookie != desk.cookie
