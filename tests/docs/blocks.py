"""The code blocks of a page, in order."""

import doctest
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

BLOCK = re.compile(r"^(`{3,})(python|console|sh)\n(.*?)^\1", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A fenced block: its language, its text, and the line where it begins."""

    language: str
    text: str
    line: int


def pages() -> list[Path]:
    """The pages that people write, and the README."""
    written = [path for path in sorted((ROOT / "docs").rglob("*.md")) if not _is_generated(path)]
    return [ROOT / "README.md", *written]


def _is_generated(path: Path) -> bool:
    parts = path.relative_to(ROOT / "docs").parts
    return parts[0] in ("_build", "gallery", "node_modules") or "generated" in parts


def blocks_of(page: Path) -> Iterator[Block]:
    """All blocks of code and commands on a page."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield Block(found[2], found[3], text.count("\n", 0, found.start()) + 2)


def commands_of(block: Block) -> Iterator[list[str]]:
    """The commands of codelength in a block, as lists of arguments; output beside them is passed over."""
    for line in block.text.replace("\\\n", " ").splitlines():
        command = line.removeprefix("$ ") if block.language == "console" and line.startswith("$ ") else line
        if command.startswith("codelength ") and (block.language == "sh" or line.startswith("$ ")):
            yield shlex.split(command, comments=True)


def run_python(page: Path, blocks: list[Block], **given: object) -> int:
    """Run the Python blocks of a page one after the other, in one namespace; how many ran.

    A block with prompts is a doctest, and prints what it says. Any other block is run as a program. What is
    ``given`` is what the reader is supposed to have.
    """
    names: dict[str, object] = {"__name__": "__main__", **given}
    for block in blocks:
        where = f"{page.name}, line {block.line}"
        if block.text.lstrip().startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block.text, names, where, str(page), block.line)
            report: list[str] = []
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            runner.run(test, out=report.append, clear_globs=False)
            names.update(test.globs)
            assert not runner.failures, "".join(report)
        else:
            exec(compile(block.text, where, "exec"), names)
    return len(blocks)
