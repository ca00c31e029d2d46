"""From a file to its report, and everything that can go wrong on the way."""

import json
import logging
import os
from dataclasses import replace

import pytest

from codelength import load

from .conftest import CSV, LIMITS, User, wait_for


def test_from_a_file_to_its_report_and_model(user, tmp_path):
    table = user.brought(name="fitted.csv")
    page = user.get(table).text
    assert "4 rows, 3 columns" in page
    report = user.report(table, "play")
    told = user.wait(report)
    assert (told["state"], told["ready"]) == ("done", ["report.html", "model.json"])
    page = user.get(report).text
    assert f'src="{report}/page"' in page
    assert "fitted.csv: predicting play" in page
    shown = user.get(f"{report}/page")
    assert "4 rows of outlook, wind" in shown.text
    assert "content-disposition" not in shown.headers
    kept = user.get(f"{report}/download/report")
    assert kept.content == shown.content
    assert kept.headers["content-disposition"] == 'attachment; filename="fitted-report.html"'
    model = user.get(f"{report}/download/model")
    assert model.headers["content-disposition"] == 'attachment; filename="fitted-model.json"'
    (tmp_path / "model.json").write_bytes(model.content)
    assert load(tmp_path / "model.json").predict({"outlook": ["sun"], "wind": ["no"]}).tolist() == ["yes"]


def test_hidden_classes_and_columns_that_are_left_out(user):
    table = user.brought()
    report = user.report(table, drop=["play"])
    assert user.wait(report)["state"] == "done"
    assert "weather.csv: hidden classes" in user.get(report).text
    assert "weather.csv: None" in user.get(f"{report}/page").text
    assert "4 rows of outlook, wind<" in user.get(f"{report}/page").text
    kept = user.report(table, "play", drop=["wind", "play"])  # what is predicted is not left out
    user.wait(kept)
    assert "4 rows of outlook<" in user.get(f"{kept}/page").text


def test_the_contents_of_rows_are_shown_only_where_that_was_asked_for(user):
    table = user.brought()
    for form, shown in (({"rows": "yes"}, True), ({"rows": "no"}, False), ({}, False)):
        report = user.post(f"{table}/reports", {"what": "report", "target": "2", **form}).headers["location"]
        user.wait(report)
        assert ("and their contents" in user.get(f"{report}/page").text) == shown


def test_the_table_of_the_command_is_opened_first(state, app, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_bytes(CSV)
    state.offered = ("mine.csv", path)
    user = User(app, state)
    table = user.enter().headers["location"]
    user.wait(table)
    assert "mine.csv" in user.get(table).text
    report = user.report(table, "play")
    assert user.wait(report)["state"] == "done"
    assert user.post(f"{table}/remove").status_code == 303
    assert path.read_bytes() == CSV


def test_progress_is_told_and_work_can_be_cancelled(user, state):
    table = user.brought(b"a,slow\n1,x\n2,y\n")
    report = user.report(table, "slow")
    told = user.wait(report, until=("counting slowly",), state="stage")
    assert told["words"] == "Counting slowly ..."
    assert told["total"] == 600
    assert 'action="' + report + '/cancel"' in user.get(report).text
    process = next(iter(state.reports.values())).job._process
    assert process.poll() is None
    assert user.post(f"{report}/cancel").headers["location"] == report
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert user.get(f"{report}/state").json()["state"] == "cancelled"
    assert "This report was cancelled" in user.get(report).text
    assert user.post(f"{report}/cancel").status_code == 303  # again, which changes nothing


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,2\n3\n", "bad.csv, line 3: expected 2 fields, found 1"),
        (b"a,a\n1,2\n", "bad.csv, line 1: columns 1 and 2 are both named"),
        (b"a,b\n", "has a header but no rows"),
        (b"a,play\n1,\n2,x\n", "the class is missing"),
        (b"a,play\nr\xe9,x\n", "is not UTF-8"),
    ],
)
def test_a_bad_table_gives_a_readable_message_and_the_server_lives_on(user, content, words):
    table = user.send(content, "bad.csv").json()["location"]
    told = user.wait(table)
    if told["state"] == "done":
        column = user.table(table).columns[-1]
        table = user.report(table, column)
        told = user.wait(table)
    assert told["state"] == "failed"
    assert words in told["message"].replace("&#x27;", "'")
    assert "/desk/" not in told["message"]
    assert 'role="alert"' in user.get(table).text
    good = user.report(user.brought(), "play")
    assert user.wait(good)["state"] == "done"


@pytest.mark.parametrize(
    ("target", "words"), [("killed", "ended by the system"), ("bug", "something nobody thought of")]
)
def test_a_process_that_dies_or_fails_is_told(user, target, words, caplog):
    report = user.report(user.brought(f"a,{target}\n1,x\n2,y\n".encode()), target)
    with caplog.at_level(logging.ERROR):
        told = user.wait(report)
    assert told["state"] == "failed"
    assert words in told["message"]
    assert ("Traceback" in caplog.text) == (target == "bug")
    assert words in user.get(report).text
    assert user.get(f"{report}/page").status_code == 404


def test_what_libraries_print_does_not_disturb_the_messages(user):
    report = user.report(user.brought(b"a,chatty\n1,x\n2,y\n"), "chatty")
    assert user.wait(report)["state"] == "done"


def test_a_report_is_there_even_where_the_model_cannot_be_fitted(user):
    report = user.report(user.brought(b"a,unlearnable\n1,x\n2,y\n"), "unlearnable")
    told = user.wait(report)
    assert told["state"] == "failed"
    assert "No model: this cannot be learned; give up" in user.get(report).text
    assert user.get(f"{report}/page").status_code == 200
    assert user.get(f"{report}/download/model").status_code == 404


class TestLimitsOfTheSystem:
    """What a process meets when a table misleads it."""

    @pytest.fixture
    def limits(self):
        return replace(LIMITS, work_seconds=5, work_bytes=3 << 30)

    def test_memory(self, user):
        pytest.importorskip("resource", reason="Windows keeps no such limits")
        report = user.report(user.brought(b"a,hungry\n1,x\n2,y\n"), "hungry")
        assert "not enough memory" in user.wait(report)["message"]

    def test_time(self, user):
        pytest.importorskip("resource", reason="Windows keeps no such limits")
        report = user.report(user.brought(b"a,busy\n1,x\n2,y\n"), "busy")
        assert "more time than is allowed" in user.wait(report)["message"]


def test_removing_a_table_ends_its_work_and_frees_its_room(user, state):
    table = user.brought(b"a,slow\n1,x\n2,y\n")
    report = user.report(table, "slow")
    user.wait(report, until=("running",))
    assert user.post(f"{table}/remove").headers["location"] == "/"
    assert user.get(report).status_code == user.get(table).status_code == 404
    assert list(state.directory.iterdir()) == []


def test_a_report_can_be_removed_by_itself(user, state):
    table = user.brought()
    (before,) = wait_for(lambda: len(left := list(state.directory.iterdir())) == 1 and left)
    report = user.report(table, "play")
    user.wait(report)
    assert len(list(state.directory.iterdir())) == 2
    assert f'action="{report}/remove"' in user.get(table).text
    assert user.post(f"{report}/remove").headers["location"] == table
    assert user.get(report).status_code == 404
    assert user.post(f"{report}/remove").status_code == 404
    assert user.get(table).status_code == 200
    assert list(state.directory.iterdir()) == [before]


def test_removing_twice_at_once_does_nothing_more(user, state):
    table = user.brought()
    report = user.report(table, "play")
    user.wait(report)
    kept_table, kept_report = next(iter(state.tables.values())), next(iter(state.reports.values()))
    for _ in range(2):
        state.remove(kept_report)
        state.remove(kept_table)
    assert list(state.directory.iterdir()) == []


class TestReportsInLine:
    @pytest.fixture
    def limits(self):
        return replace(LIMITS, working=1)

    def test_reports_wait_for_each_other(self, user):
        table = user.brought(b"a,slow\n1,x\n2,y\n")
        first, second = user.report(table, "slow"), user.report(table, "slow")
        user.wait(first, until=("running",))
        assert user.get(f"{second}/state").json()["words"].startswith("Waiting for others to finish")
        user.post(f"{first}/cancel")
        user.wait(second, until=("running",))

    def test_a_report_that_is_cancelled_in_line_never_starts(self, user):
        table = user.brought(b"a,slow\n1,x\n2,y\n")
        first, second = user.report(table, "slow"), user.report(table, "slow")
        user.wait(first, until=("running",))
        user.post(f"{second}/cancel")
        assert user.get(f"{second}/state").json()["state"] == "cancelled"
        assert user.get(f"{first}/state").json()["state"] == "running"


def test_the_state_is_json_whatever_is_told(user):
    report = user.report(user.brought(), "play")
    user.wait(report)
    told = json.loads(user.get(f"{report}/state").text)
    assert set(told) == {"state", "stage", "done", "total", "message", "ready", "words", "share"}
