"""Types of the values of options: one of some names, numbers, tables and files.

Names are loaded when an option is shown, parsed or completed, so that the command line starts quickly.
Invalid values raise the same exceptions, with the same messages, as the Python functions. The ``name`` of a
type is the placeholder of its values in the help.
"""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from ..errors import InvalidParameter

if TYPE_CHECKING:
    Kind = click.ParamType[Any, Any]
else:
    Kind = click.ParamType

Source = str | Callable[[], Iterable[str]]
"""A name, a registry of names as ``"module:NAME"``, or a function that returns names."""


def names_of(*sources: Source) -> tuple[str, ...]:
    """Return the names of several sources, each once.

    Examples
    --------
    >>> names_of("evidence", "codelength.naive_bayes:RULES")[:2]
    ('evidence', 'map')
    """
    names: list[str] = []
    for source in sources:
        if isinstance(source, str) and ":" not in source:
            names.append(source)
            continue
        found: Any = source
        if isinstance(source, str):
            module, _, name = source.partition(":")
            found = getattr(import_module(module), name)
        # A registry, the values of a Literal, or a function.
        names += get_args(found) or (found() if callable(found) else found)
    return tuple(dict.fromkeys(names))


def _completed(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _files(incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


class Choice(Kind):
    """One of several names.

    Parameters
    ----------
    option : str
        Name of the option in messages.
    *sources
        Names, or where they are registered; see :func:`names_of`.
    """

    name = "NAME"

    def __init__(self, option: str, *sources: Source) -> None:
        self.option, self._sources = option, sources

    def names(self) -> tuple[str, ...]:
        """Return the names."""
        return names_of(*self._sources)

    def described(self) -> str:
        """Return the names as a sentence of the help."""
        return f"One of {', '.join(self.names())}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name; raise if there is none such."""
        from ..table.checks import check_choice

        check_choice(self.option, value, self.names())
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        return _completed(self.names(), incomplete)


class PriorChoice(Choice):
    """A prior by name, or an equivalent sample size."""

    name = "NAME|NUMBER"

    def described(self) -> str:
        """Return the names and the alternative of a number, as a sentence of the help."""
        return f"One of {', '.join(self.names())}, or an equivalent sample size (a number above 0)."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name or the number."""
        from ..naive_bayes import pseudocounts
        from ..table import Schema

        prior = _number_of(value)
        # Raises for an invalid prior as the Python functions do, before any table is read.
        pseudocounts(prior, Schema.from_sizes([2], n_classes=2))
        return prior


class PriorOrModel(PriorChoice):
    """Prior by name, an equivalent sample size, or the file of a model to continue from."""

    name = "NAME|NUMBER|FILE"

    def described(self) -> str:
        """Return the names and the alternatives, as a sentence of the help."""
        names = ", ".join(self.names())
        return (
            f"One of {names}; an equivalent sample size (a number above 0); or the file of a naive Bayes "
            "model to continue from."
        )

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, the number, or the posterior of the model in a file."""
        # Model files end in .json; anything else is a name or a number.
        if not (isinstance(value, str) and value.lower().endswith(".json")):
            return super().convert(value, param, ctx)
        from ..estimators import NaiveBayes, load, name_of

        model = load(value)
        if not isinstance(model, NaiveBayes):
            raise InvalidParameter(
                f"prior={value}: a {name_of(model)} is no prior; name the file of a naive-bayes model"
            )
        return model._fitted.posterior

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text, or complete files."""
        return super().shell_complete(ctx, param, incomplete) or _files(incomplete)


class DatasetName(Choice):
    """Name or alias of a bundled table."""

    def described(self) -> str:
        """Refer to the command that lists the tables, which are too many for the help."""
        return "codelength datasets lists them."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text unchanged: aliases are resolved by the registry."""
        return value


class Setting(Choice):
    """Text of the form ``NAME=VALUE``; each known name shows an example."""

    name = "NAME=VALUE"

    def described(self) -> str:
        """Return the settings and examples of their values."""
        return f"There are {', '.join(self.names())}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text unchanged: each paper interprets its own settings."""
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text."""
        return _completed((f"{name.partition('=')[0]}=" for name in self.names()), incomplete)


class Whole(Kind):
    """Whole number of at least some size, or one of some words.

    Parameters
    ----------
    option : str
        Name of the option in messages.
    least : int
        Smallest number allowed.
    words : tuple of str
        Words that are allowed too, such as ``"auto"``.
    """

    def __init__(self, option: str, least: int = 1, *, words: tuple[str, ...] = ()) -> None:
        self.option, self.least, self.words = option, least, words
        self.name = "|".join(("NUMBER", *words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number or the word."""
        from ..table.checks import check_whole

        if value in self.words:
            return value
        # The message of the check lists the words as alternatives to a number.
        also = "".join(f", or {word}" for word in self.words)
        return check_whole(self.option, _whole_of(value), self.least, also=also)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the words that begin with a text."""
        return _completed(self.words, incomplete)


class Fraction(Kind):
    """Number above 0 and at most 1."""

    name = "NUMBER"

    def __init__(self, option: str) -> None:
        self.option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        from ..table.checks import check_number

        return check_number(self.option, _number_of(value), 0.0, 1.0, above=True)


class TableSource(Kind):
    """File, name of a bundled table, or standard input."""

    name = "TABLE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text unchanged: it is resolved when the table is read."""
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the bundled tables that begin with a text, or complete files."""
        from ..datasets import names as bundled

        # Without a first letter the shell lists files, which are what most users have.
        return _completed(bundled() if incomplete else (), incomplete) or _files(incomplete)


class KindOfFile(Kind):
    """File with an optional kind of output before it: ``KIND=FILE``.

    Parameters
    ----------
    usual : str
        Kind if none is given.
    *sources
        Kinds, or where they are registered; see :func:`names_of`.
    """

    name = "[KIND=]FILE"

    def __init__(self, usual: str, *sources: Source) -> None:
        self.usual, self._sources = usual, sources

    def described(self) -> str:
        """Return the kinds as a sentence of the help."""
        return f"A kind is one of {', '.join(names_of(*self._sources))}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the kind and the name of the file; raise if the name is empty."""
        # Click may pass values that are converted already.
        if isinstance(value, tuple):
            return value
        kind, equals, file = value.partition("=")
        # An equals sign may be part of a file name; only a known kind before it counts.
        found = (kind, file) if equals and kind in names_of(*self._sources) else (self.usual, value)
        return found[0], FileName().convert(found[1], param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the kinds that begin with a text, or complete files."""
        kinds = (f"{kind}=" for kind in names_of(*self._sources)) if incomplete else ()
        return _completed(kinds, incomplete) or _files(incomplete)


class FileName(Kind):
    """File name that the shell can complete."""

    name = "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name; raise if it is empty."""
        if value == "":
            names = "" if param is None else f"{' / '.join(param.opts)}: "
            raise InvalidParameter(f"{names}an empty file name; name a file")
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete files."""
        return _files(incomplete)


def _whole_of(text: Any) -> Any:
    """Return the whole number that a text spells; the text if it is not one, or too long to be meant."""
    return int(text) if isinstance(text, str) and re.fullmatch(r"[+-]?[0-9]{1,400}", text) else text


def _number_of(text: Any) -> Any:
    """Return the number that a text spells; the text itself if it is not one."""
    if not isinstance(text, str) or not re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?|[+-]?inf|nan", text):
        return text
    try:
        return float(text)
    except ValueError:
        return text
