"""How commands look in the help: options in sections, each with what its value is for."""

import shutil
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .choices import Choice, Kind, KindOfFile

F = TypeVar("F", bound=Callable[..., Any])

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""What all commands share."""

WIDEST, NARROWEST = 88, 30
"""The help is as wide as the terminal, within these."""

LEAST_ROOM = 28
"""Columns that a description needs to stand beside its term."""

FIXED_SPACE = "\xa0"
"""A space at which no line is broken."""


class Option(click.Option):
    """An option in a section of the help; ``usual`` is what holds without it where it has no default."""

    def __init__(self, *args: Any, section: str = "General", usual: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.section = section
        self.usual = usual

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """What the help says: the names and what the value is, the purpose, the choices and the default."""
        names = ", ".join(sorted(self.opts, key=len))
        parts = [self.help or ""]
        if isinstance(self.type, (Choice, KindOfFile)):
            parts.append(self.type.described())
        if self.multiple:
            parts.append("Repeatable.")
        if self.required:
            parts.append("[required]")
        elif default := self.usual or self._default():
            parts.append(f"[default: {default}]".replace(" ", FIXED_SPACE))
        return (names if self.is_flag else f"{names} {self.metavar}"), " ".join(filter(None, parts))

    def _default(self) -> str:
        is_text = isinstance(self.default, (str, int, float)) and not isinstance(self.default, bool)
        return str(self.default) if is_text else ""


class Argument(click.Argument):
    """An argument that is explained in the help."""

    def __init__(self, *args: Any, purpose: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.purpose = purpose


class _Help:
    """The help of a command: its arguments, and its options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options, all descriptions at one distance from the margin."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for parameter in ctx.command.get_params(ctx):
            if isinstance(parameter, Argument):
                choices = [parameter.type.described()] if isinstance(parameter.type, Choice) else []
                record = (parameter.human_readable_name, " ".join([parameter.purpose, *choices]))
                sections["Arguments"].append(record)
            elif (described := parameter.get_help_record(ctx)) is not None:
                section = parameter.section if isinstance(parameter, Option) else "General"
                sections.setdefault(section, []).append(described)
        indent = 4 + max(len(term) for records in sections.values() for term, _ in records)
        for section, records in sections.items():
            if records:
                formatter.write(f"\n{section}:\n")
            for term, text in records:
                formatter.write(_described(f"  {term}", text, indent, formatter.width))


def _described(term: str, text: str, indent: int, width: int) -> str:
    """A description beside its term, or below it where there is little room.

    Lines are broken at spaces alone: names may have hyphens.
    """
    is_narrow = width - indent < LEAST_ROOM
    if is_narrow:
        indent = 8
    lines = textwrap.wrap(text, width - indent, break_on_hyphens=False)
    indented = f"\n{' ' * indent}".join(lines).replace(FIXED_SPACE, " ")
    return f"{term}\n{' ' * indent}{indented}\n" if is_narrow else f"{term.ljust(indent)}{indented}\n"


class Context(click.Context):
    """What holds while a command runs."""

    def make_formatter(self) -> click.HelpFormatter:
        """The writer of the help, as wide as the terminal."""
        columns = shutil.get_terminal_size().columns
        return click.HelpFormatter(width=max(min(columns, WIDEST), NARROWEST) - 2)


class Command(_Help, click.Command):
    """A command."""

    context_class = Context


class Group(_Help, click.Group):
    """Commands under one name."""

    command_class = Command
    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which one needs them."""
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first, because they are what one looks for."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def command(short_help: str) -> Callable[[F], Command]:
    """A command; the short help stands in the list of commands."""
    return click.command(cls=Command, context_settings=SETTINGS, short_help=short_help)


class Section:
    """A section of the help: called, it gives an option that stands there."""

    def __init__(self, title: str) -> None:
        self.title = title

    def __call__(self, names: str, value: Kind | str | None, purpose: str, **attrs: Any) -> Callable[[F], F]:
        """An option.

        Parameters
        ----------
        names : str
            Its names with spaces between them; one without a hyphen is that of the parameter.
        value : Kind, str or None
            The kind of value it takes, or what the help calls a value that is any text; None for a flag.
        purpose : str
            What it is for.
        **attrs
            ``usual``, and anything that :class:`click.Option` takes.
        """
        kind: dict[str, Any] = {"is_flag": True}
        if isinstance(value, str):
            kind = {"metavar": value}
        elif value is not None:
            kind = {"metavar": value.name, "type": value}
        return click.option(*names.split(), cls=Option, section=self.title, help=purpose, **kind, **attrs)


def argument(name: str, *, purpose: str, **attrs: Any) -> Callable[[F], F]:
    """An argument and what it is for."""
    return click.argument(name, cls=Argument, purpose=purpose, **attrs)
