"""Who is let in, and what browsers are told."""

import re

import pytest

from .conftest import CSV, HOST, OWN

PAGES = ["/", "/tables/x", "/tables/x/state", "/reports/x", "/reports/x/state", "/reports/x/page"]
POSTS = ["/tables", "/end", "/tables/x/reports", "/tables/x/remove", "/reports/x/cancel", "/reports/x/remove"]


@pytest.mark.parametrize("path", PAGES)
def test_nobody_comes_in_without_a_session(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "terminal" in answer.json()["message"]


@pytest.mark.parametrize("path", POSTS)
def test_nobody_changes_anything_without_a_session(stranger, path):
    assert stranger.post(path).status_code == 403
    stranger.http.cookies.set(stranger.state.cookie, "guessed")
    assert stranger.post(path).status_code == 403


def test_people_get_a_page_and_scripts_get_json(stranger):
    page = stranger.get("/", accept="text/html,*/*;q=0.8")
    assert page.status_code == 403
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>That did not work</h1>" in page.text


def test_whoever_is_in_finds_the_way_back(user, stranger):
    assert 'href="/"' in user.get("/nowhere", accept="text/html").text
    assert 'href="/"' not in stranger.get("/nowhere", accept="text/html").text


def test_a_token_is_exchanged_for_a_cookie_and_works_once(stranger, app, state):
    token = state.issue()
    answer = stranger.enter(token)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert "domain" not in cookie
    assert token.lower() not in cookie
    assert stranger.get("/").status_code == 200
    second = type(stranger)(app, state)
    assert second.enter(token).status_code == 403
    assert "set-cookie" not in second.enter(token).headers
    assert second.get("/").status_code == 403
    assert stranger.enter(token).headers["location"] == "/"  # the same browser, which may load a page twice


def test_a_used_address_has_the_terminal_show_a_new_one(stranger, user, announced, state):
    token = state.issue()
    stranger.enter(token)
    stranger.http.cookies.clear()
    assert "was used already" in stranger.enter(token).json()["message"]
    (new,) = announced
    assert stranger.enter(new).status_code == 303


def test_a_used_address_that_is_opened_many_times_shows_one_new_one(stranger, announced, state):
    token = state.issue()
    stranger.enter(token)
    stranger.http.cookies.clear()
    assert {stranger.enter(token).status_code for _ in range(50)} == {403}
    (new,) = announced
    assert stranger.enter(new).status_code == 303
    stranger.http.cookies.clear()
    stranger.enter(token)
    assert len(announced) == 2


def test_asking_for_the_head_of_an_address_does_not_use_it(stranger, state):
    token = state.issue()
    answer = stranger.http.head("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert stranger.enter(token).status_code == 303


@pytest.mark.parametrize("offered", [None, ("weather.csv", "nowhere/weather.csv")], indirect=True)
def test_a_browser_that_a_page_led_here_comes_in(stranger, state, tmp_path):
    """It sends no cookie along a redirection that began elsewhere: a page of ours leads it on."""
    state.door = tmp_path / "open.html"
    state.door.touch()
    elsewhere = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    answer = stranger.http.get("/", params={"token": state.issue()}, headers=elsewhere)
    assert answer.status_code == 200
    assert "set-cookie" in answer.headers
    location = re.search(r'content="0;url=([^"]+)"', answer.text)[1]
    assert stranger.get(location, **{"sec-fetch-site": "same-origin"}).status_code == 200
    assert not state.door.exists()


@pytest.mark.parametrize("token", ["", "x", "\udcff", "é", "x" * 10_000])
def test_wrong_tokens_are_refused_and_announce_nothing(stranger, announced, token):
    state = stranger.state
    state.issue()
    assert not state.spend(token)
    assert not state.was_spent(token)
    if token.isascii():
        assert stranger.http.get("/", params={"token": token}).status_code == 403
    assert announced == []


def test_secrets_are_compared_in_constant_time(state, monkeypatch):
    """As a whole, by the function that is made for it; of used tokens, every one."""
    import hmac

    compared = []

    def compare(first, second):
        compared.append(first.decode())
        return first == second

    monkeypatch.setattr(hmac, "compare_digest", compare)
    tokens = [state.issue() for _ in range(3) if state.token is None or state.spend(state.token)]
    assert not state.spend("x")
    assert not state.was_spent("x")
    assert not state.admits("x")
    assert compared[-4:] == [tokens[2], tokens[0], tokens[1], state.secret]


def test_only_the_last_token_is_valid(stranger, state):
    first, second = state.issue(), state.issue()
    assert stranger.enter(first).status_code == 403
    assert stranger.enter(second).status_code == 303


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8123", "127.0.0.1.evil.example", "0.0.0.0:8123", ""]
)
@pytest.mark.parametrize("path", ["/", "/static/serve.js", "/tables/x"])
def test_another_host_is_refused(user, host, path):
    """A name that somebody makes lead to this machine would let their page share our origin."""
    answer = user.get(path, host=host)
    assert answer.status_code == 421
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", [HOST, "localhost:8123", "LOCALHOST:9", "127.0.0.1"])
def test_this_machine_is_answered_by_either_name_and_through_any_port(user, host):
    assert user.get("/static/serve.js", host=host).status_code == 200


def test_two_hosts_are_refused(user):
    answer = user.http.get("/", headers=[("host", HOST), ("host", "evil.example")])
    assert answer.status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://{HOST}"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "null", "sec-fetch-site": "same-site"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
    ],
)
@pytest.mark.parametrize("path", POSTS)
def test_another_origin_changes_nothing(user, headers, path):
    answer = user.http.post(path, content=CSV, headers=headers)
    assert answer.status_code == 403
    assert "does not come from this page" in answer.json()["message"]
    assert user.get("/").status_code == 200


@pytest.mark.parametrize("headers", [OWN, {"origin": "null", "sec-fetch-site": "same-origin"}])
def test_our_own_forms_and_scripts_are_let_in(user, headers):
    answer = user.http.post("/tables", content=CSV, headers={**headers, "x-file-name": "t.csv"})
    assert answer.status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_may_link_here_but_take_nothing(user, site):
    assert user.get("/", **{"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert user.get("/", **{"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status_code == 200


def test_a_browser_that_came_by_a_link_is_led_to_the_page_itself(stranger):
    """It sends no cookie the first time."""
    answer = stranger.get("/", **{"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"})
    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0;url=/">' in answer.text
    assert stranger.get("/", **{"sec-fetch-site": "same-origin"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/", "/static/page.css", "/static/serve.css", "/static/serve.js", "/nowhere", "/tables/x"]
)
def test_every_answer_says_what_a_browser_may_do(user, path):
    headers = user.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "access-control-allow-origin" not in headers


def test_refusals_say_so_too(stranger):
    for answer in (stranger.get("/"), stranger.get("/", host="evil.example")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_report_is_a_page_of_no_origin_with_the_policy_of_its_file(user):
    report = user.report(user.brought(), "play")
    user.wait(report)
    for path in (f"{report}/page", f"{report}/download/report"):
        policy = user.get(path).headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts")
        assert "allow-same-origin" not in policy
        assert "; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'" in policy
    assert 'sandbox="allow-scripts allow-downloads allow-modals"' in user.get(report).text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(user, method):
    answer = user.http.request(method, "/", headers=OWN)
    assert answer.status_code == 405
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/app.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/serve.js%00",
        "/reports/..%2f..%2fetc%2fpasswd/page",
        "/tables/..%2f",
        "/tables/",
        "/reports/x/download/../../../etc/passwd",
        "/reports/x/download/lock",
    ],
)
def test_paths_lead_nowhere(user, path):
    answer = user.http.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text
    assert "import" not in answer.text
