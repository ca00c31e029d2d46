"""The command line reference, written from the commands themselves: ``python docs/_ext/cli_reference.py``."""

import os
from pathlib import Path

import click

PAGE = Path(__file__).parents[1] / "reference" / "cli.md"

HEAD = """# Command line

This page is generated from the commands themselves: `make docs` writes it. `codelength COMMAND --help` shows
the same.

Exit codes: 0 if all went well, 1 for a problem with the data or the machine, 2 for a wrong command line, 130
after Ctrl-C. `codelength completion SHELL` prints a script that completes commands, options, columns and
names of tables.
"""


def reference() -> str:
    """Return the page as Markdown: one section per command, with its help as it is shown in a terminal."""
    from codelength.cli.app import app

    os.environ["COLUMNS"] = "90"
    context = app.make_context("codelength", [], resilient_parsing=True)
    parts = [HEAD, _section("codelength", app, context, 2)]
    return "\n".join(parts)


def _section(path: str, command: click.Command, context: click.Context, level: int) -> str:
    text = f"{'#' * level} {path}\n\n```text\n{command.get_help(context).strip()}\n```\n"
    if not isinstance(command, click.Group):
        return text
    below = [
        _section(
            f"{path} {name}",
            command.commands[name],
            command.commands[name].make_context(name, [], parent=context, resilient_parsing=True),
            level + (level > 2),
        )
        for name in command.list_commands(context)
    ]
    return "\n".join([text, *below])


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8", newline="\n")
    print(PAGE)
