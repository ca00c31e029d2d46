"""Commands and options whose help is grouped into sections.

Some commands have dozens of options, too many for the one list that click prints. Each option names its
section, the choices of a value are read from the registry that defines them, and defaults that depend on
other options are given in words (``usual``). The page docs/reference/cli.md is made from the same parameters.

Order of reading: :func:`command`, :func:`argument` and :func:`section` (what commands call), :class:`Option`,
then the help: ``_Help`` and ``_described``.
"""

import shutil
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .choices import Kind

F = TypeVar("F", bound=Callable[..., Any])

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of all commands."""

WIDEST, NARROWEST = 88, 30
"""Limits of the width of the help, which is that of the terminal otherwise."""

LEAST_ROOM = 28
"""Columns that a description needs next to its term."""

FIXED_SPACE = "\xa0"
"""A space at which no line is broken."""


class Option(click.Option):
    """Option in a section of the help.

    Parameters
    ----------
    section : str
        Section of the help.
    usual : str
        Value shown as default if click knows none.
    *args, **attrs
        Arguments of :class:`click.Option`.
    """

    def __init__(self, *args: Any, section: str = "General", usual: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.section = section
        self.usual = usual

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names with the placeholder of the value, and the purpose with choices and default.

        Examples
        --------
        >>> option = Option(["--rows", "-r"], metavar="NUMBER", help="Rows to show.", multiple=True)
        >>> option.get_help_record(click.Context(click.Command("head")))
        ('-r, --rows NUMBER', 'Rows to show. Repeatable.')
        """
        names = ", ".join(sorted(self.opts, key=len))
        parts = [expanded(self.help or "")]
        if isinstance(self.type, Kind):
            parts.append(self.type.described())
        if self.multiple:
            parts.append("Repeatable.")
        if self.required:
            parts.append("[required]")
        elif default := self.usual or self._default():
            # The default must not be torn apart by the wrapping of lines.
            parts.append(f"[default: {default}]".replace(" ", FIXED_SPACE))
        return (names if self.is_flag else f"{names} {self.metavar}"), " ".join(filter(None, parts))

    def _default(self) -> str:
        is_text = isinstance(self.default, (str, int, float)) and not isinstance(self.default, bool)
        return str(self.default) if is_text else ""


class Argument(click.Argument):
    """Argument with an explanation in the help.

    Parameters
    ----------
    purpose : str
        Description in the help; see :func:`expanded`.
    *args, **attrs
        Arguments of :class:`click.Argument`.
    """

    def __init__(self, *args: Any, purpose: str = "", **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.purpose = purpose


class _Help:
    """Mixin for the help of a command: its arguments, and its options by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments and options, with all descriptions in one column."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        for parameter in ctx.command.get_params(ctx):
            if isinstance(parameter, Argument):
                choices = parameter.type.described() if isinstance(parameter.type, Kind) else ""
                record = (parameter.human_readable_name, f"{expanded(parameter.purpose)} {choices}".rstrip())
                sections["Arguments"].append(record)
            elif (described := parameter.get_help_record(ctx)) is not None:
                section = parameter.section if isinstance(parameter, Option) else "General"
                sections.setdefault(section, []).append(described)
        # Over all sections, so that the descriptions of the whole help are aligned.
        indent = 4 + max(len(term) for records in sections.values() for term, _ in records)
        for section, records in sections.items():
            if records:
                formatter.write(f"\n{section}:\n")
            for term, text in records:
                formatter.write(_described(f"  {term}", text, indent, formatter.width))


def _described(term: str, text: str, indent: int, width: int) -> str:
    """Return a description next to its term, or below it if there is little room.

    Lines are broken at spaces only, because names may have hyphens.

    Examples
    --------
    >>> print(_described("  --na TEXT", "Text that means missing, by default NA.", 14, 44), end="")
      --na TEXT   Text that means missing, by
                  default NA.
    """
    is_narrow = width - indent < LEAST_ROOM
    if is_narrow:
        indent = 8
    lines = textwrap.wrap(text, width - indent, break_on_hyphens=False)
    indented = f"\n{' ' * indent}".join(lines).replace(FIXED_SPACE, " ")
    return f"{term}\n{' ' * indent}{indented}\n" if is_narrow else f"{term.ljust(indent)}{indented}\n"


class Context(click.Context):
    """Context of a running command."""

    def make_formatter(self) -> click.HelpFormatter:
        """Return the formatter of the help, as wide as the terminal."""
        columns = shutil.get_terminal_size().columns
        return click.HelpFormatter(width=max(min(columns, WIDEST), NARROWEST) - 2)


class Command(_Help, click.Command):
    """A command with a grouped help."""

    context_class = Context


class Group(_Help, click.Group):
    """A group of commands."""

    command_class = Command
    context_class = Context

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they were added, which is that of their use."""
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands first, because they are what users look for."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)


def command(short_help: str) -> Callable[[F], Command]:
    """Return a decorator that makes a function a command, with its description in the list of commands."""
    return click.command(cls=Command, context_settings=SETTINGS, short_help=short_help)


def section(title: str) -> Callable[..., Callable[[F], F]]:
    """Return a function that adds options to a section of the help."""

    def option(names: str, value: Kind | str | None, purpose: str, **attrs: Any) -> Callable[[F], F]:
        """Return the decorator of an option.

        Parameters
        ----------
        names : str
            Names of the option, separated by spaces; a name without a hyphen is that of the parameter.
        value : Kind, str or None
            Type of the value, or the placeholder of any text in the help; None for a flag.
        purpose : str
            Description in the help; see :func:`expanded`.
        **attrs
            ``usual``, and any argument of :class:`click.Option`.
        """
        kind: dict[str, Any] = {"is_flag": True}
        if isinstance(value, str):
            kind = {"metavar": value}
        elif value is not None:
            kind = {"metavar": value.name, "type": value}
        return click.option(*names.split(), cls=Option, section=title, help=purpose, **kind, **attrs)

    return option


def expanded(text: str) -> str:
    """Return a description with the endings of files that are ``{read}`` or ``{written}`` filled in."""
    if "{" not in text:
        return text
    from ..sources.files.formats import SUFFIXES, WRITTEN

    plain = [ending for ending in SUFFIXES if not ending.endswith(".gz")]
    read, written = (f"{', '.join(endings[:-1])} or {endings[-1]}" for endings in (plain, WRITTEN))
    return text.format(read=read, written=written)


def argument(name: str, *, purpose: str, **attrs: Any) -> Callable[[F], F]:
    """Return the decorator of an argument with its description in the help; see :func:`expanded`."""
    return click.argument(name, cls=Argument, purpose=purpose, **attrs)
