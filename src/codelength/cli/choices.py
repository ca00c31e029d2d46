"""Kinds of values that options take: names from the registries, numbers, tables.

The names are loaded when an option is shown, parsed or completed, so that the command line stays light.
What does not fit is refused in the words, and with the exception, that the Python functions have for it.
The ``name`` of a kind is what stands for such a value in the help.
"""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from ..errors import InvalidParameter

if TYPE_CHECKING:
    Kind = click.ParamType[Any, Any]
else:
    Kind = click.ParamType


class Choice(Kind):
    """One of some names.

    Parameters
    ----------
    option : str
        What messages call it.
    load : function
        Gives the names.
    """

    name = "NAME"

    def __init__(self, option: str, load: Callable[[], Iterable[str]]) -> None:
        self.option = option
        self.load = load

    def names(self) -> tuple[str, ...]:
        """The names there are."""
        return tuple(self.load())

    def described(self) -> str:
        """The names as a sentence of the help."""
        return f"One of {', '.join(self.names())}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, refused where there is none such."""
        from ..table.checks import check_choice

        check_choice(self.option, value, self.names())
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like this."""
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class PriorChoice(Choice):
    """A prior by name, or an equivalent sample size."""

    name = "NAME|NUMBER"

    def described(self) -> str:
        """The names, and that a number will do."""
        return f"One of {', '.join(self.names())}, or an equivalent sample size (a number above 0)."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name or the number."""
        from ..naive_bayes import pseudocounts
        from ..table import Schema

        prior = _number_of(value)
        # Whatever is no prior is refused here as it is in Python.
        pseudocounts(prior, Schema.from_sizes([2], n_classes=2))
        return prior


class PriorOrModel(PriorChoice):
    """A prior by name, an equivalent sample size, or a file of a model that knows something already."""

    name = "NAME|NUMBER|FILE"

    def described(self) -> str:
        """The names, and what else will do."""
        names = ", ".join(self.names())
        return (
            f"One of {names}; an equivalent sample size (a number above 0); or the file of a naive Bayes "
            "model to continue from."
        )

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, the number, or what the model knows."""
        if not (isinstance(value, str) and value.lower().endswith(".json")):
            return super().convert(value, param, ctx)
        from ..estimators import NaiveBayes, load

        model = load(value)
        if not isinstance(model, NaiveBayes):
            raise InvalidParameter(
                f"prior={value}: a {model.kind} is no prior; name the file of a naive-bayes model"
            )
        return model.posterior_

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like this, and files otherwise."""
        return super().shell_complete(ctx, param, incomplete) or [CompletionItem(incomplete, type="file")]


class DatasetName(Choice):
    """A bundled table by its name or an alias."""

    def described(self) -> str:
        """Too many to list; there is a command for it."""
        return "codelength datasets lists them."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as it is: aliases are known where it is looked up."""
        return value


class Setting(Choice):
    """Text of the form ``NAME=VALUE``; the names there are show an example each."""

    name = "NAME=VALUE"

    def described(self) -> str:
        """The settings and what each may be."""
        return f"There are {', '.join(self.names())}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as it is: what it means is decided for each paper."""
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin like this."""
        names = (f"{name.partition('=')[0]}=" for name in self.names())
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class Whole(Kind):
    """A whole number of at least some size, or one of some words."""

    def __init__(self, option: str, least: int = 1, *, words: tuple[str, ...] = ()) -> None:
        self.option, self.least, self.words = option, least, words
        self.name = "|".join(("NUMBER", *words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number or the word."""
        from ..table.checks import check_whole

        if value in self.words:
            return value
        also = "".join(f", or {word}" for word in self.words)
        return check_whole(self.option, _whole_of(value), self.least, also=also)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words."""
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class Fraction(Kind):
    """A number above 0 and at most 1."""

    name = "NUMBER"

    def __init__(self, option: str) -> None:
        self.option = option

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        from ..table.checks import check_number

        return check_number(self.option, _number_of(value), 0.0, 1.0, above=True)


class TableSource(Kind):
    """A file, the name of a bundled table, or standard input."""

    name = "TABLE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as it is: what it means is decided when it is read."""
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Bundled tables that begin like this, and files otherwise."""
        names = [name for name in _datasets() if incomplete and name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]


class KindOfFile(Kind):
    """A file, with a kind of thing before it where it is not the usual kind: ``KIND=FILE``."""

    name = "[KIND=]FILE"

    def __init__(self, usual: str, load: Callable[[], Iterable[str]]) -> None:
        self.usual, self.load = usual, load

    def described(self) -> str:
        """The kinds as a sentence of the help."""
        return f"A kind is one of {', '.join(self.load())}."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The kind and the name of the file, refused where it is empty."""
        if isinstance(value, tuple):
            return value
        kind, equals, file = value.partition("=")
        found = (kind, file) if equals and kind in tuple(self.load()) else (self.usual, value)
        return found[0], FILE.convert(found[1], param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The kinds that begin like this, and files otherwise."""
        kinds = [f"{kind}=" for kind in self.load() if incomplete and kind.startswith(incomplete)]
        return [CompletionItem(kind) for kind in kinds] or [CompletionItem(incomplete, type="file")]


class FileName(Kind):
    """A file that the shell can complete."""

    name = "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, refused where it is empty."""
        if value == "":
            names = "" if param is None else f"{' / '.join(param.opts)}: "
            raise InvalidParameter(f"{names}an empty file name; name a file")
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Files."""
        return [CompletionItem(incomplete, type="file")]


def _whole_of(text: Any) -> Any:
    """The whole number that a text is; the text itself where it is none, or too long to be meant."""
    return int(text) if isinstance(text, str) and re.fullmatch(r"[+-]?[0-9]{1,400}", text) else text


def _number_of(text: Any) -> Any:
    """The number that a text is; the text itself where it is none."""
    if not isinstance(text, str) or not re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?|[+-]?inf|nan", text):
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _rules() -> Iterable[str]:
    from ..naive_bayes import RULES

    return RULES


def _priors() -> Iterable[str]:
    from ..naive_bayes import PRIORS

    return PRIORS


def _models() -> Iterable[str]:
    from ..estimators import MODELS

    # What most people want comes first.
    return dict.fromkeys(["model-average", "naive-bayes", *MODELS])


def _comparable() -> Iterable[str]:
    from ..estimators import MODELS
    from ..evaluation.opponents import OPPONENTS

    own = (kind for kind, model in MODELS.items() if "classes" in model.capabilities)
    return [*own, *OPPONENTS]


def _mixture_criteria() -> Iterable[str]:
    from ..mixture.code_length import CRITERIA

    return CRITERIA


def _criteria() -> Iterable[str]:
    from ..mixture.code_length import CRITERIA
    from ..selection.mixtures import SELECTION_CRITERIA

    return dict.fromkeys([*CRITERIA, *SELECTION_CRITERIA])


def _criteria_on_request() -> Iterable[str]:
    from ..selection.comparison import ON_REQUEST

    return ["all", *ON_REQUEST]


def _interval_kinds() -> Iterable[str]:
    from ..estimators._latent_inference import IntervalKind

    return get_args(IntervalKind)


def _figure_kinds() -> Iterable[str]:
    from ..plot import KINDS

    return KINDS


def _variable_criteria() -> Iterable[str]:
    from ..selection import VARIABLE_CRITERIA

    return VARIABLE_CRITERIA


def _missing() -> Iterable[str]:
    from ..table.infer import Missing

    return get_args(Missing)


def _numeric() -> Iterable[str]:
    from ..table.infer import Numeric

    return get_args(Numeric)


def _identifiers() -> Iterable[str]:
    from ..table.infer import Identifiers

    return get_args(Identifiers)


def _datasets() -> Iterable[str]:
    from ..datasets import names

    return names()


def _experiments() -> Iterable[str]:
    from codelength_lab import EXPERIMENTS

    return [*EXPERIMENTS, "all"]


def _settings() -> Iterable[str]:
    from codelength_lab.settings import ALTERNATIVES

    return ALTERNATIVES


def _dialects() -> Iterable[str]:
    from ..export.sql import DIALECTS

    return DIALECTS


RULE = Choice("rule", _rules)
PRIOR = PriorChoice("prior", _priors)
PRIOR_OR_MODEL = PriorOrModel("prior", _priors)
MODEL = Choice("model", _models)
COMPARABLE = Choice("model", _comparable)
CRITERION = Choice("criterion", _criteria)
MIXTURE_CRITERION = Choice("criterion", _mixture_criteria)
CRITERIA_ON_REQUEST = Choice("criteria", _criteria_on_request)
INTERVAL_KIND = Choice("interval-kind", _interval_kinds)
VARIABLE_CRITERION = Choice("select", _variable_criteria)
MISSING = Choice("missing", _missing)
NUMERIC = Choice("numeric", _numeric)
IDENTIFIERS = Choice("identifiers", _identifiers)
DATASET = DatasetName("name", _datasets)
EXPERIMENT = Choice("experiment", _experiments)
SETTING = Setting("settings", _settings)
DIALECT = Choice("dialect", _dialects)
EXPORT = Choice("to", lambda: ("sql", "onnx", "scorer", "bif", "xmlbif"))
TABLE = TableSource()
FILE = FileName()
FIGURE = KindOfFile("profiles", _figure_kinds)
