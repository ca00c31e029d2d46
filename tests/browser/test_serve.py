"""The local page in a browser: bring a table, pick a target, wait, read, ask what if, download."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
pytest.importorskip("starlette", reason="the extra serve is not installed")

from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="chromium and chromedriver are not installed"
)

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
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="module")
def session(address, downloads):
    """A browser with a session."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.get(address)
    yield driver
    driver.quit()


@pytest.fixture
def page(session, address):
    """The first page."""
    session.switch_to.default_content()
    session.set_window_size(1200, 900)
    session.get(address.split("?")[0])
    return session


def table_file(tmp_path, name="weather.csv", header="outlook,wind,play"):
    path = tmp_path / name
    path.write_text("\n".join([header, *(",".join(row) for row in ROWS)]) + "\n", encoding="utf-8")
    return path


def wait_for(condition, seconds=300):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


def bring(page, path):
    """Choose a file: the menu of its columns."""
    page.find_element(By.ID, "file").send_keys(str(path))
    return Select(wait_for(lambda: page.find_elements(By.ID, "target"))[0])


def words(page):
    # In one step: a page that waits for news may be replaced at any time.
    return page.execute_script("return document.querySelector('main').innerText")


def errors(page):
    return [entry["message"] for entry in page.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def overflows(page):
    """Whether anything is wider than the window."""
    return page.execute_script("return document.documentElement.scrollWidth > window.innerWidth")


def test_the_token_leaves_the_address(page, address):
    assert "token" not in page.current_url
    assert page.execute_script("return document.cookie") == ""
    assert page.find_element(By.TAG_NAME, "h1").text == "Look at a table"
    assert errors(page) == []


def test_from_a_file_to_a_report_with_its_what_if_and_its_downloads(page, tmp_path, downloads):
    menu = bring(page, table_file(tmp_path))
    assert [option.text for option in menu.options] == ["outlook", "wind", "play"]
    assert menu.first_selected_option.text == "play"
    page.find_element(By.CSS_SELECTOR, "button.main").click()
    wait_for(lambda: page.find_elements(By.TAG_NAME, "progress") or page.find_elements(By.TAG_NAME, "iframe"))
    frame = wait_for(lambda: page.find_elements(By.TAG_NAME, "iframe"))[0]
    page.switch_to.frame(frame)
    assert page.execute_script("return self.origin") == "null"
    assert "play" in page.find_element(By.TAG_NAME, "h1").text
    _ask_what_if(page)
    page.switch_to.default_content()
    wait_for(lambda: "Download the model" in words(page))
    page.find_element(By.LINK_TEXT, "Download the model").click()
    page.find_element(By.LINK_TEXT, "Download the report").click()
    wait_for(
        lambda: {path.name for path in downloads.iterdir()} >= {"weather-model.json", "weather-report.html"}
    )
    import codelength

    model = codelength.load(downloads / "weather-model.json")
    assert model.predict({"outlook": ["sun"], "wind": ["calm"]}).tolist() == ["yes"]
    assert "<h1>" in (downloads / "weather-report.html").read_text("utf-8")
    assert errors(page) == []
    page.set_window_size(390, 800)
    assert not overflows(page)


def _ask_what_if(page):
    """Answering a question moves the probabilities, though the page has no origin."""
    panel = wait_for(lambda: page.find_elements(By.CSS_SELECTOR, ".whatif .panel"))[0]
    before = panel.text
    asked = page.find_element(By.CSS_SELECTOR, ".ask select")
    Select(asked).select_by_index(1)
    wait_for(lambda: panel.text != before, seconds=10)


def test_work_can_be_cancelled(page, tmp_path):
    bring(page, table_file(tmp_path))
    page.find_element(By.CSS_SELECTOR, "button[value=classes]").click()
    wait_for(lambda: page.find_elements(By.XPATH, "//button[text()='Cancel']"))[0].click()
    wait_for(lambda: "This report was cancelled" in words(page))
    assert errors(page) == []


def test_a_bad_file_is_told_where_it_was_dropped(page, tmp_path):
    path = tmp_path / "notes.json"
    path.write_text("{}")
    page.find_element(By.ID, "file").send_keys(str(path))
    state = page.find_element(By.ID, "upload-state")
    wait_for(lambda: "Save it as CSV" in state.text or "save it as CSV" in state.text)
    large = tmp_path / "large.csv"
    large.write_bytes(b"a,b\n" * 300_000)
    page.find_element(By.ID, "file").send_keys(str(large))
    wait_for(lambda: "larger than 1 MB" in state.text)
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("a,b\n1,2\n3\n")
    menu = bring(page, ragged)
    menu.select_by_index(0)
    page.find_element(By.CSS_SELECTOR, "button.main").click()
    wait_for(lambda: "Ragged.csv, line 3: expected 2 fields, found 1" in words(page))
    assert [message for message in errors(page) if "415" not in message] == []


def test_a_hostile_name_runs_nothing(page, tmp_path):
    header = f'"{HOSTILE.replace(chr(34), chr(34) * 2)}",wind,play'
    name = "<svg onload=alert(1)>.csv"
    bring(page, table_file(tmp_path, name, header))
    assert name in words(page)
    assert HOSTILE in page.find_element(By.ID, "target").text
    assert page.find_elements(By.TAG_NAME, "img") == []
    assert page.find_elements(By.TAG_NAME, "svg") == []
    assert errors(page) == []


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_wide_and_narrow_windows(page, tmp_path, width, scheme):
    page.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    page.set_window_size(width, 800)
    assert not overflows(page)
    paper = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    lightness = sum(int(part) for part in re.findall(r"\d+", paper)[:3]) / 3
    assert (lightness < 100) == (scheme == "dark")
    bring(page, table_file(tmp_path, header="outlook_" + "x" * 200 + ",wind,play"))
    page.find_element(By.TAG_NAME, "summary").click()
    assert not overflows(page)


def test_it_can_be_used_with_the_keyboard_alone(page, tmp_path):
    """Every control is reached by the tab key, and has a name."""
    bring(page, table_file(tmp_path))
    controls = page.find_elements(By.CSS_SELECTOR, "a, button, select, input, summary")
    assert all(control.get_attribute("tabindex") != "-1" for control in controls)
    names = [control.accessible_name for control in controls if control.is_displayed()]
    assert all(names), names


def test_the_end_of_a_session(session, address):
    """Last, because nobody comes in again with this address."""
    session.switch_to.default_content()
    session.get(address.split("?")[0])
    session.find_element(By.XPATH, "//button[text()='End the session']").click()
    wait_for(lambda: "The session is over" in words(session))
    session.get(address)
    assert "This address was used already" in words(session)
