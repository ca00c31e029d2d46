"""A browser, where there is one; pages to look at in it."""

import os
from pathlib import Path

import pytest

from .driver import Browser, programs


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Chromium, or a reason to skip."""
    found, reason = programs()
    if found is None:
        pytest.skip(reason)
    window = Browser(*found, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@pytest.fixture
def shown(browser, tmp_path):
    """Show a page from disk, on a wide light screen, and remember what the console said."""

    def show(html, fragment=""):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        browser.look()
        browser.open(f"{path.as_uri()}{fragment}")
        return browser

    return show


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, or a reason to skip."""
    named = os.environ.get("AXE_CORE")
    places = [Path(named)] if named else [Path("node_modules/axe-core")]
    for place in places:
        for path in (place, place / "axe.min.js"):
            if path.is_file():
                return path.read_text(encoding="utf-8")
    pytest.skip("axe-core is not installed (npm install axe-core; AXE_CORE names its directory)")


@pytest.fixture(scope="session")
def pictures():
    """Where pictures of pages go when CODELENGTH_PICTURES names a directory; None otherwise."""
    named = os.environ.get("CODELENGTH_PICTURES")
    if named is None:
        return None
    Path(named).mkdir(parents=True, exist_ok=True)
    return Path(named)
