"""References name everything there is, and generated pages are as they would be generated now."""

import csv
import importlib.util
import inspect
import re
import sys

import pytest

from codelength_lab.pages import filled
from public_names import PUBLIC

from .blocks import ROOT, pages

DOCS = ROOT / "docs"


def extension(name):
    """A module of ``docs/_ext``."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def listed():
    """The names of the API reference, by module."""
    found = {}
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    for module, names in re.findall(r"currentmodule:: (\S+)\n.*?:nosignatures:\n\n(.*?)```", page, re.DOTALL):
        found.setdefault(module, []).extend(names.split())
    return found


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_reference(module):
    """Registries are in the text."""
    registries = [name for name in PUBLIC[module] if name.isupper()]
    assert sorted([*listed()[module], *registries]) == PUBLIC[module]
    page = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    assert all(f"`{module}.{name}`" in page for name in registries)
    assert f"`{module}`" in page


def test_every_public_name_says_what_it_is():
    for module, names in listed().items():
        for name in names:
            thing = getattr(importlib.import_module(module), name)
            assert inspect.getdoc(thing), f"{module}.{name} has no docstring"


def test_the_command_line_reference_is_up_to_date(monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert page == extension("cli_reference").reference(), "run python docs/_ext/cli_reference.py"


def test_the_tables_of_the_guide_are_those_of_the_results():
    tables = extension("guide_tables")
    for path, n_tables in ((DOCS / "how-to" / "choose.md", 6), (ROOT / "README.md", 1)):
        page = path.read_text(encoding="utf-8")
        assert filled(page, tables.tables()) == page, "run python docs/_ext/guide_tables.py"
        assert page.count("<!-- table: ") == n_tables


def test_figures_in_the_text_of_the_guide_are_those_of_the_results():
    """Those that stand outside tables."""
    guide = " ".join((DOCS / "how-to" / "choose.md").read_text(encoding="utf-8").split())
    results = (DOCS / "results" / "indifferent-naive-bayes" / "results.json").read_text(encoding="utf-8")
    for figure in ("+0.021 ± 0.031", "-0.005 ± 0.004"):
        assert figure in guide
        assert figure in results
    with open(DOCS / "results" / "averages" / "gains.csv", encoding="utf-8", newline="") as file:
        gains = {row["over"]: row["mean ± s.e."] for row in csv.DictReader(file)}
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    gain = gains["random forest"].removeprefix("+")
    assert f"gain over the random forest, the best of the others, is {gain} nats" in readme
    gains = DOCS / "results" / "prequential-selection" / "gains-with-class.csv"
    with open(gains, encoding="utf-8", newline="") as file:
        best = next(row for row in csv.DictReader(file) if row["criterion"] == "BEST")
    assert f"would gain {float(best['log gain, %']):.0f} %" in guide


def test_the_run_behind_the_guide_gives_the_same_again():
    """On small tables; the whole run takes half a minute."""
    tables = extension("guide_tables")
    with open(tables.RUN, encoding="utf-8", newline="") as file:
        kept = list(csv.DictReader(file))
    for name in ("zoo", "wine"):
        again = {row["choice"]: row for row in tables.left_out(name)}
        for row in (row for row in kept if row["table"] == name):
            for score in ("log_score", "accuracy"):
                assert float(row[score]) == pytest.approx(float(again[row["choice"]][score]), rel=1e-5)


def test_links_between_pages_lead_somewhere():
    for page in pages():
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            path, gallery, name = link.partition("gallery/")
            if not gallery:
                assert (page.parent / link).exists(), f"{page}: {link}"
            else:
                assert (page.parent / path).resolve() == DOCS, f"{page}: {link}"
                assert name == "index" or (DOCS / "examples" / f"{name}.py").exists(), f"{page}: {link}"


def test_every_page_is_in_the_contents_of_its_folder():
    """A page that is in no toctree cannot be found, and the build of the site warns of it."""
    for folder in {page.parent for page in pages()} - {ROOT}:
        text = (folder / "index.md").read_text(encoding="utf-8")
        contents = re.search(r"toctree\}\n(.*?)```", text, re.DOTALL)[1]
        entries = {re.sub(r".*<(.*)>", r"\1", line) for line in contents.split("\n")}
        assert {page.stem for page in folder.glob("*.md")} - {"index"} <= entries, folder


def test_anchors_of_links_are_headings():
    for page in pages():
        for path, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
            text = (page.parent / path if path else page).read_text(encoding="utf-8")
            headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs or f'<a id="{anchor}">' in text, f"{page}: {path}#{anchor}"


def test_the_theory_links_its_equations_to_code():
    """That the files are there is tested with all other links."""
    for page in ("prediction", "naive-distributions", "nml", "code-lengths", "prequential", "averages"):
        text = (DOCS / "explanation" / "theory" / f"{page}.md").read_text(encoding="utf-8")
        links = re.findall(r"\]\(\.\./\.\./\.\./(src/codelength\w*/[\w/]+\.py)\)", text)
        assert len(links) >= 4, page
        for path in links:
            source = (ROOT / path).read_text(encoding="utf-8")
            assert source.startswith(('"""', 'r"""')), path


def test_tests_that_the_page_about_the_papers_names_exist():
    page = (DOCS / "results" / "papers.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| where")]
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, row
        for path, test in named:
            assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{test}"
    assert len(rows) > 100
