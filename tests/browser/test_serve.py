"""The local page in a browser: bring a table, pick a target, wait, read, ask what if, download."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

import codelength

pytest.importorskip("starlette", reason="the extra serve is not installed")

WIDE, PHONE = 1280, 390
ROWS = [(a, b, "yes" if a == "sun" else "no") for a in ("sun", "rain") for b in ("calm", "windy")] * 6
HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where a server is, with its token; it ends well at the end."""
    directory = tmp_path_factory.mktemp("serve")
    process = subprocess.Popen(
        [sys.executable, "-m", "codelength", "serve", "--no-browser", "--limit-mb", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(directory)},
    )
    yield re.search(r"http://\S+", process.stdout.readline())[0]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert list(directory.iterdir()) == []


@pytest.fixture(scope="module")
def session(browser, address):
    """A browser that was let in."""
    browser.look()
    browser.open(address)
    return browser


@pytest.fixture
def page(session, address):
    """The first page."""
    session.look()
    session.open(address.split("?")[0])
    return Window(session)


class Window:
    """What somebody does with a page."""

    def __init__(self, browser):
        self.browser = browser
        self.run = browser.run

    def there(self, selector):
        return self.run("return document.querySelector(arguments[0]) !== null", selector)

    def click(self, selector):
        self.wait_for(selector)
        self.run("document.querySelector(arguments[0]).click()", selector)

    def text(self, selector="main"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_for(self, selector):
        wait_until(lambda: self.there(selector))

    def choose(self, path):
        """Put a file into the field for files."""
        root = self.browser.cdp("DOM.getDocument")["root"]["nodeId"]
        node = self.browser.cdp("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
        self.browser.cdp("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def bring(self, path):
        """Choose a file: the names of its columns."""
        self.choose(path)
        self.wait_for("#target")
        return self.run("return [...document.querySelectorAll('#target option')].map((one) => one.text)")

    def overflows(self):
        """Whether anything is wider than the window."""
        return self.run("return document.documentElement.scrollWidth > window.innerWidth")

    def trouble(self):
        """What the browser complained about."""
        return self.browser.console()


def wait_until(condition, seconds=300):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def table_file(tmp_path, name="weather.csv", header="outlook,wind,play"):
    path = tmp_path / name
    path.write_text("\n".join([header, *(",".join(row) for row in ROWS)]) + "\n", encoding="utf-8")
    return path


def violations(page, axe):
    page.run(axe + "; window.axe = axe;")
    found = page.browser.wait_for(
        "const done = arguments[0]; axe.run(document, {iframes: false}).then((r) => done(r.violations), done)"
    )
    return [(one["id"], one["help"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]


def test_the_token_leaves_the_address(page, address):
    assert page.run("return location.href") == address.split("?")[0]
    assert page.run("return document.cookie") == ""
    assert page.text("h1") == "Look at a table"
    assert page.trouble() == []


def test_from_a_file_to_a_report_with_its_what_if_and_its_downloads(page, tmp_path, pictures):
    page.browser.cdp("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    assert page.bring(table_file(tmp_path)) == ["outlook", "wind", "play"]
    assert page.run("return document.querySelector('#target').selectedOptions[0].text") == "play"
    page.click("button.main")
    wait_until(lambda: page.there("progress") or page.there("iframe"))
    page.wait_for("iframe")
    page.browser._call("POST", "/frame", {"id": 0})
    wait_until(lambda: "play" in page.text("h1"))
    assert page.run("return self.origin") == "null"
    _ask_what_if(page)
    page.browser._call("POST", "/frame", {"id": None})
    wait_until(lambda: "Download the model" in page.text())
    page.click("a[href$='download/model']")
    page.click("a[href$='download/report']")
    wait_until(
        lambda: {path.name for path in tmp_path.iterdir()} >= {"weather-model.json", "weather-report.html"}
    )
    model = codelength.load(tmp_path / "weather-model.json")
    assert model.predict({"outlook": ["sun"], "wind": ["calm"]}).tolist() == ["yes"]
    assert "<h1>" in (tmp_path / "weather-report.html").read_text("utf-8")
    assert page.trouble() == []
    page.browser.look(PHONE)
    assert not page.overflows()
    if pictures is not None:
        page.browser.picture(pictures / "serve-report-phone.png")


def _ask_what_if(page):
    """Answering a question moves the probabilities, though the page has no origin."""
    page.wait_for(".whatif .panel")
    before = page.text(".whatif .panel")
    page.run(
        "const one = document.querySelector('.ask select'); one.selectedIndex = 1;"
        "one.dispatchEvent(new Event('input', {bubbles: true}));"
        "one.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    wait_until(lambda: page.text(".whatif .panel") != before, seconds=10)


def test_a_file_can_be_dropped(page):
    page.run(
        "const data = new DataTransfer(); data.items.add(new File(['a,b\\n1,x\\n2,y\\n'], 'dropped.csv'));"
        "const event = {dataTransfer: data, bubbles: true, cancelable: true};"
        "document.querySelector('#drop').dispatchEvent(new DragEvent('drop', event))"
    )
    page.wait_for("#target")
    assert page.text("h1") == "dropped.csv"
    assert page.trouble() == []


def test_hidden_classes(page, tmp_path):
    page.bring(table_file(tmp_path))
    page.click("button[value=classes]")
    page.wait_for("iframe")
    assert "weather.csv: hidden classes" in page.text("h1")
    wait_until(lambda: "Download the model" in page.text())
    assert page.trouble() == []


def test_work_can_be_cancelled(page, tmp_path):
    page.bring(table_file(tmp_path))
    page.click("button.main")
    page.click("form[action$=cancel] button")
    wait_until(lambda: "This report was cancelled" in page.text())
    assert page.trouble() == []


def test_a_bad_file_is_told_where_it_was_dropped(page, tmp_path):
    (tmp_path / "notes.json").write_text("{}")
    page.choose(tmp_path / "notes.json")
    wait_until(lambda: "save it as CSV or Parquet" in page.text("#upload-state"))
    (tmp_path / "large.csv").write_bytes(b"a,b\n" * 300_000)
    page.choose(tmp_path / "large.csv")
    wait_until(lambda: "The file is larger than 1 MB." in page.text("#upload-state"))
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    page.bring(tmp_path / "ragged.csv")
    page.click("button.main")
    wait_until(lambda: "Ragged.csv, line 3: expected 2 fields, found 1" in page.text())
    assert [message for message in page.trouble() if "415" not in message] == []


def test_a_hostile_name_runs_nothing(page, tmp_path):
    header = f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",wind,play'
    name = "<svg onload=alert(1)>.csv"
    assert page.bring(table_file(tmp_path, name, header))[0] == HOSTILE
    assert page.text("h1") == name
    assert not page.there("img")
    assert not page.there("svg")
    assert page.trouble() == []


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_in_light_and_dark(page, tmp_path, pictures, width, scheme):
    page.browser.look(width, scheme)
    assert not page.overflows()
    paper = page.run("return getComputedStyle(document.body).backgroundColor")
    lightness = sum(int(part) for part in re.findall(r"\d+", paper)[:3]) / 3
    assert (lightness < 100) == (scheme == "dark")
    _walk(page, tmp_path, lambda: page.overflows() is False)
    if pictures is not None:
        page.browser.picture(pictures / f"serve-cancelled-{width}-{scheme}.png")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_them(page, tmp_path, axe, scheme):
    page.browser.look(PHONE, scheme)
    assert violations(page, axe) == []
    _walk(page, tmp_path, lambda: violations(page, axe) == [])


def _walk(page, tmp_path, check):
    """Look at a table with a long name in it, and at a report that was cancelled."""
    page.bring(table_file(tmp_path, header="outlook_" + "x" * 200 + ",wind,play"))
    page.click("summary")
    assert check()
    page.click("button.main")
    page.click("form[action$=cancel] button")
    wait_until(lambda: "This report was cancelled" in page.text())
    assert check()


def test_every_control_is_reached_by_the_tab_key(page, tmp_path):
    page.bring(table_file(tmp_path))
    page.click("summary")
    wanted = page.run(
        "const all = document.querySelectorAll('a, button, select, input, summary');"
        "return [...all].map((one) => one.outerHTML)"
    )
    page.run("document.activeElement.blur()")
    reached = []
    for _ in wanted:
        page.browser.press("\ue004")
        reached.append(page.run("return document.activeElement.outerHTML"))
    assert sorted(reached) == sorted(wanted)


def test_the_end_of_a_session(page, address):
    """Last, because nobody comes in again with this address."""
    page.click("form[action='/end'] button")
    wait_until(lambda: "The session is over" in page.text())
    page.browser.open(address)
    assert "This address was used already" in page.text()
