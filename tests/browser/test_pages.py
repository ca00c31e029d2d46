"""All pages: nothing fails, nothing is cut, nothing runs that is not ours, everybody can read them."""

import pytest

from .pages import PAGES

WIDE, PHONE = 1280, 360

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

# Elements that stick out of the window, other than within something that scrolls on its own.
STICKING_OUT = """
const limit = document.documentElement.clientWidth + 1;
const scrolls = (node) => node && (node.scrollWidth > node.clientWidth + 1
  && ["auto", "scroll"].includes(getComputedStyle(node).overflowX) || scrolls(node.parentElement));
return [...document.querySelectorAll("body *")]
  .filter((node) => node.getBoundingClientRect().right > limit && !scrolls(node) && !node.closest("svg.defs"))
  .map((node) => `${node.tagName}.${node.getAttribute("class")}: ${node.textContent.slice(0, 40)}`)
"""


@pytest.fixture(scope="module", params=list(PAGES))
def page(request):
    """The name of a page and its text."""
    return request.param, PAGES[request.param]()


def test_it_says_nothing_on_the_console_and_asks_for_nothing(shown, page):
    window = shown(page[1])
    window.look(PHONE, "dark")
    assert window.console() == []
    assert (
        window.run(
            "return performance.getEntriesByType('resource').map((one) => one.name)"
            ".filter((name) => !name.startsWith('data:'))"
        )
        == []
    )


@pytest.mark.parametrize("width", [WIDE, 800, PHONE])
def test_nothing_is_wider_than_the_window(shown, page, width):
    window = shown(page[1])
    window.look(width)
    window.run(OPEN_ALL)
    assert window.run("return document.documentElement.scrollWidth") <= width
    assert window.run(STICKING_OUT) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", PHONE)])
def test_everybody_can_read_it(shown, axe, page, scheme, width):
    window = shown(page[1])
    window.look(width, scheme)
    window.run(OPEN_ALL)
    window.run(axe + "; window.axe = axe;")
    found = window.wait_for(
        "const done = arguments[0]; axe.run(document).then((r) => done(r.violations), done)"
    )
    told = [(one["id"], one["help"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]
    assert told == []


def test_light_dark_and_paper_differ(shown, page, pictures):
    window = shown(page[1])
    colour = "return getComputedStyle(document.body).backgroundColor"
    seen = []
    for look in ({}, {"scheme": "dark"}, {"scheme": "dark", "media": "print"}):
        window.look(WIDE, **look)
        seen.append(window.run(colour))
    assert seen[2] == "rgb(255, 255, 255)"
    assert len(set(seen)) == 3
    assert window.run(
        "const one = document.getElementById('what-if'); return one && getComputedStyle(one).display"
    ) in (
        None,
        "none",
    )
    assert window.pdf().startswith(b"%PDF")
    if pictures is not None:
        for width, look in ((WIDE, {}), (PHONE, {}), (WIDE, {"scheme": "dark"}), (800, {"media": "print"})):
            window.look(width, **look)
            window.picture(pictures / f"{page[0]}-{width}-{'-'.join(look.values()) or 'light'}.png")


def test_every_picture_is_drawn(shown, page):
    window = shown(page[1])
    assert window.run("return [...document.images].filter((one) => !one.naturalWidth).length") == 0
    drawn = window.run(
        "return [...document.querySelectorAll('svg.chart')].map((one) => one.getBoundingClientRect().width)"
    )
    assert all(width >= 300 for width in drawn)


def test_nothing_of_a_table_runs(shown):
    window = shown(PAGES["hostile"]())
    window.run(OPEN_ALL)
    # Whatever is chosen shows texts of the table in further places.
    window.run(
        "document.querySelectorAll('.ask select').forEach((one) => {"
        " one.selectedIndex = 1; one.dispatchEvent(new Event('change')); })"
    )
    window.run("document.querySelectorAll('.next button').forEach((one) => one.click())")
    assert window.run("return typeof window.hit") == "undefined"
    assert window.run("return document.querySelectorAll('script:not([type])').length") == 1
    assert window.run("return document.images.length") == 0
    assert window.run("return document.body.textContent.includes('onerror=hit=1')")
    # A dialog would have stopped the scripts above; the policy says so once more.
    assert window.console() == []


def test_the_policy_lets_no_other_script_in(shown):
    text = PAGES["two"]().replace(
        "</main>", "<script>window.hit = 1</script><b onclick='hit=1' id='b'>x</b></main>"
    )
    window = shown(text)
    window.run("document.getElementById('b').click()")
    assert window.run("return typeof window.hit") == "undefined"
    assert any("Content Security Policy" in message for message in window.console())


def test_the_contents_lead_to_their_sections(shown):
    window = shown(PAGES["two"]())
    window.run("document.querySelector('nav a[href=\"#variables\"]').click()")
    assert window.run("return location.hash") == "#variables"
    assert window.run("return getComputedStyle(document.querySelector('nav ol')).position") == "sticky"


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(shown):
    from codelength import report
    from unit.reporting.made_up import made_up_analysis

    frame = report(made_up_analysis())._repr_html_()
    window = shown(f"<!DOCTYPE html><html><body>{frame}</body></html>")
    assert window.console() == []
    window._call("POST", "/frame", {"id": 0})
    try:
        assert window.run("return document.querySelectorAll('.outcome li').length") == 2
        window.run(
            "const one = document.querySelector('.ask select');"
            "one.selectedIndex = 1; one.dispatchEvent(new Event('change'))"
        )
        assert window.run("return document.querySelector('.panel [role=status]').textContent").startswith(
            "1 of 3"
        )
    finally:
        window._call("POST", "/frame", {"id": None})
    assert window.console() == []
