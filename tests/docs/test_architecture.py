"""The map of the source tree, and the READMEs in it, agree with the tree."""

import importlib
import re
import tomllib
from collections.abc import Mapping

import pytest

from .blocks import ROOT

MAP = ROOT / "ARCHITECTURE.md"
SOURCE = ROOT / "src"
GUIDED = ("table", "sources", "mixture", "averages", "estimators", "reporting")
READMES = [SOURCE / "codelength" / folder / "README.md" for folder in GUIDED]
AT_THE_ROOT = ("src", "docs", "tests", "pyproject.toml", "README.md", "CONTRIBUTING.md")

PATH = re.compile(r"(?:[\w.]+/)+(?:[\w.-]+\.\w+)?|[\w.-]+\.(?:py|md|toml|js|css)")
"""A folder with a slash behind it, or a file with an extension."""


def drawn_tree():
    """Paths in the drawing of the tree, in order, by indentation of two spaces."""
    drawing = re.search(r"```text\n(codelength/\n.*?)```", MAP.read_text(encoding="utf-8"), re.DOTALL)[1]
    above, found = [], []
    for line in drawing.splitlines():
        names = re.split(r"\s{2,}", line.strip())[0].split()
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [names[0]]
        found += ["".join([*above[:depth], name]) for name in names]
    return found


def folders():
    """Folders of both packages, without caches."""
    packages = [SOURCE / "codelength", SOURCE / "codelength_lab"]
    files = [path for package in packages for path in package.rglob("*") if path.is_file()]
    found = {path.parent for path in files if path.parent.name != "__pycache__"}
    return {f"{path.relative_to(SOURCE)}/" for path in found}


def layers():
    """Layers of the import contract from the bottom, each a set of the modules that share it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if contract["name"] == "layers"]
    return [set(layer.split(" | ")) for layer in reversed(contract["layers"])]


def paths_in(page):
    """Paths in backticks on a page, and where they should be.

    Those of a README are relative to its folder, or to the library.
    """
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for name in re.findall(r"`([^`\n]+)`", text):
        if not PATH.fullmatch(name):
            continue
        first = name.split("/")[0]
        if first in AT_THE_ROOT:
            yield name, ROOT / name
        elif first == "codelength_lab":
            yield name, SOURCE / name
        elif page != MAP and (page.parent / name).exists():
            yield name, page.parent / name
        else:
            yield name, SOURCE / "codelength" / name


def registries():
    """Dotted names in the table of registries."""
    part = re.search(r"^## Registries\n(.*?)^## ", MAP.read_text("utf-8"), re.DOTALL | re.MULTILINE)[1]
    return re.findall(r"^\| `([\w.]+)` \|", part, re.MULTILINE)


def test_every_folder_is_in_the_drawing():
    drawn = drawn_tree()
    assert len(drawn) == len(set(drawn))
    assert {path for path in drawn if path.endswith("/")} == folders()


def test_every_file_in_the_drawing_exists():
    assert [path for path in drawn_tree() if not (SOURCE / path).exists()] == []


def test_the_drawing_has_the_order_of_the_layers():
    top = [re.fullmatch(r"codelength/(\w+)(?:/|\.py)", path) for path in drawn_tree()]
    names = [found[1] for found in top if found]
    for layer in layers():
        assert set(names[: len(layer)]) == layer
        del names[: len(layer)]
    assert names == []


@pytest.mark.parametrize("page", [MAP, *READMES], ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_exist(page):
    paths = dict(paths_in(page))
    assert len(paths) > 5
    assert [name for name, path in paths.items() if not path.exists()] == []


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.parent.name)
def test_readmes_are_short_and_name_the_modules_to_read(page):
    text = page.read_text(encoding="utf-8")
    assert 15 <= text.count("\n") <= 45
    named = {name.split("/")[0] for name in re.findall(r"`([\w./]+)`", text)}
    assert {f.name for f in page.parent.iterdir() if f.is_dir() and f.name[0] != "_"} <= named


@pytest.mark.parametrize("name", registries())
def test_registries_exist_and_have_entries(name):
    module, _, attribute = name.rpartition(".")
    registry = getattr(importlib.import_module(module), attribute)
    assert isinstance(registry, (Mapping, tuple))
    assert len(registry) > 0


def test_the_map_names_registries():
    assert len(registries()) > 12


def test_the_map_says_how_to_add_twelve_things():
    """The same twelve as the page about extending."""
    text = MAP.read_text(encoding="utf-8").partition("## To add something")[2]
    in_map = re.findall(r"^\| an? ([\w ]+) \|", text, re.MULTILINE)
    page = (ROOT / "docs" / "development" / "extending.md").read_text(encoding="utf-8")
    assert re.findall(r"^## An? ([\w ]+)$", page, re.MULTILINE) == in_map
    assert len(in_map) == 12


def test_names_in_the_ways_to_add_something_are_in_the_files_named_there():
    """``NAME in `file` ``: the file has a NAME."""
    text = MAP.read_text(encoding="utf-8").partition("## To add something")[2]
    pairs = re.findall(r"`(\w+)` in `([\w./]+\.py)`", text)
    assert len(pairs) > 6
    for name, path in pairs:
        base = SOURCE if path.startswith("codelength_lab/") else SOURCE / "codelength"
        assert re.search(rf"^{name}\b.* = ", (base / path).read_text("utf-8"), re.MULTILINE), (
            f"{path}: {name}"
        )
