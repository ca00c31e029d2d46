"""Types of the values of options: names, numbers, tables and files.

A new registry takes a line at the end: its module in the library, and its name in the module. Names are
loaded when an option is shown, parsed or completed, so that the command line starts quickly. Invalid values
raise the same exceptions, with the same messages, as the Python functions.
"""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args

import click
from click.shell_completion import CompletionItem

from ..errors import InvalidParameter

if TYPE_CHECKING:
    ParamType = click.ParamType[Any, Any]
else:
    ParamType = click.ParamType

Source = str | Callable[[], Iterable[str]]
"""A name, a registry of names as ``"module:NAME"``, or a function that returns names."""


def names_of(*sources: Source) -> tuple[str, ...]:
    """Return the names of several sources, each once.

    Examples
    --------
    >>> names_of("evidence", "codelength.naive_bayes:RULES")[:2]
    ('evidence', 'map')

    Parameters
    ----------
    *sources : str or function
        Names, registries and functions, see :data:`Source`; a registry may also be a ``Literal``, whose
        values are the names.
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


class Kind(ParamType):
    """Type of the value of an option.

    Parameters
    ----------
    name : str
        Placeholder of the values in the help.
    *sources
        Names that the value can have, see :func:`names_of`; the shell completes them. Of a name with an
        equals sign, it completes the part up to that sign.
    parse : function, optional
        Returns the value that a text stands for, or raises; by default values are texts.
    described : str
        Sentence of the help, with ``{}`` in place of the names.
    files : str
        ``"too"`` if the shell completes files that no name begins like; ``"first"`` if it lists files, and
        not names, before a letter is typed.
    """

    def __init__(
        self,
        name: str,
        *sources: Source,
        parse: Callable[[Any], Any] = lambda value: value,
        described: str = "",
        files: str = "",
    ) -> None:
        self.name = name
        self._sources, self._parse, self._described, self._files = sources, parse, described, files

    def described(self) -> str:
        """Return the sentence of the help; empty if there is none."""
        names = (name.removesuffix("=") for name in names_of(*self._sources)) if self._described else ()
        return self._described.format(", ".join(names))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that a text stands for; raise if it is not valid."""
        return self._parse(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with a text, or ask the shell for files.

        Examples
        --------
        >>> kind = Kind("NAME=VALUE", "rule=map", "rule=evidence", "prior=uniform")
        >>> [item.value for item in kind.shell_complete(None, None, "pr")]
        ['prior=']
        """
        names = names_of(*self._sources) if incomplete or self._files != "first" else ()
        starts = ("".join(name.partition("=")[:2]) for name in names)
        found = [CompletionItem(start) for start in starts if start.startswith(incomplete)]
        return found or ([CompletionItem(incomplete, type="file")] if self._files else [])


class Choice(Kind):
    """One of several names.

    Parameters
    ----------
    option : str
        Name of the option in messages.
    *sources
        Names, or where they are registered; see :func:`names_of`.

    Examples
    --------
    >>> missing = Choice("missing", "codelength.table.infer:Missing")
    >>> missing.described(), missing.convert("value", None, None)
    ('One of ignore, value.', 'value')
    """

    def __init__(self, option: str, *sources: Source) -> None:
        def parse(value: Any) -> Any:
            from ..table.checks import check_choice

            check_choice(option, value, names_of(*sources))
            return value

        super().__init__("NAME", *sources, parse=parse, described="One of {}.")


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

    Examples
    --------
    >>> components = Whole("components", words=("auto",))
    >>> components.convert("3", None, None), components.convert("auto", None, None)
    (3, 'auto')
    """

    def __init__(self, option: str, least: int = 1, *, words: tuple[str, ...] = ()) -> None:
        def parse(value: Any) -> Any:
            from ..table.checks import check_whole

            if value in words:
                return value
            # A longer text is not meant as a number.
            if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,400}", value):
                value = int(value)
            # The message of the check lists the words as alternatives to a number.
            return check_whole(option, value, least, also="".join(f", or {word}" for word in words))

        super().__init__("|".join(("NUMBER", *words)), *words, parse=parse)


class FileName(Kind):
    """Name of a file, with an optional kind of output before it: ``KIND=FILE``.

    Parameters
    ----------
    *sources
        Kinds, the usual one first, or where they are registered; without kinds, values are names alone.

    Examples
    --------
    >>> figure = FileName("profiles", "residuals")
    >>> figure.convert("residuals=a.svg", None, None), figure.convert("b.svg", None, None)
    (('residuals', 'a.svg'), ('profiles', 'b.svg'))
    """

    def __init__(self, *sources: Source) -> None:
        self._kinds = sources
        name, described = ("[KIND=]FILE", "A kind is one of {}.") if sources else ("FILE", "")
        starts = [lambda: [f"{kind}=" for kind in names_of(*sources)]] if sources else []
        super().__init__(name, *starts, described=described, files="first")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or the kind and the name; raise if the name is empty."""
        # Click may pass values that are converted already.
        if isinstance(value, tuple):
            return value
        kinds = names_of(*self._kinds)
        kind, equals, file = value.partition("=")
        # An equals sign may be part of a file name; only a known kind before it counts.
        if not equals or kind not in kinds:
            kind, file = next(iter(kinds), ""), value
        if file == "":
            names = "" if param is None else f"{' / '.join(param.opts)}: "
            raise InvalidParameter(f"{names}an empty file name; name a file")
        return (kind, file) if kinds else file


def _number_of(text: Any) -> Any:
    """Return the number that a text spells; the text itself if it is not one."""
    if not isinstance(text, str) or not re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?|[+-]?inf|nan", text):
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _fraction(value: Any) -> float:
    """Return a number above 0 and at most 1."""
    from ..table.checks import check_number

    return check_number("train_fraction", _number_of(value), 0.0, 1.0, above=True)


def _prior(value: Any) -> Any:
    """Return the name of a prior, or an equivalent sample size."""
    from ..naive_bayes import pseudocounts
    from ..table import Schema

    prior = _number_of(value)
    # Raises for an invalid prior as the Python functions do, before any table is read.
    pseudocounts(prior, Schema.from_sizes([2], n_classes=2))
    return prior


def _prior_or_model(value: Any) -> Any:
    """Return the name of a prior, an equivalent sample size, or the posterior of the model in a file."""
    # Model files end in .json; anything else is a name or a number.
    if not (isinstance(value, str) and value.lower().endswith(".json")):
        return _prior(value)
    from ..estimators import NaiveBayes, load, name_of

    model = load(value)
    if not isinstance(model, NaiveBayes):
        raise InvalidParameter(
            f"prior={value}: a {name_of(model)} is not a prior; name the file of a naive-bayes model"
        )
    return model._fitted.posterior


def _comparable() -> Iterable[str]:
    """Return the classifiers that evaluate compares."""
    from ..estimators import capabilities_of, constructor_of, model_names
    from ..evaluation.opponents import OPPONENTS

    # Mixtures without classes cannot be compared with classifiers.
    own = (name for name in model_names() if "classes" in capabilities_of(constructor_of(name)()))
    return [*own, *OPPONENTS]


_PRIORS = "codelength.naive_bayes:PRIORS"

RULE = Choice("rule", "codelength.naive_bayes:RULES")
PRIOR = Kind(
    "NAME|NUMBER",
    _PRIORS,
    parse=_prior,
    described="One of {}, or an equivalent sample size (a number above 0).",
)
PRIOR_OR_MODEL = Kind(
    "NAME|NUMBER|FILE",
    _PRIORS,
    parse=_prior_or_model,
    described="One of {}; an equivalent sample size (a number above 0); or the file of a naive Bayes model "
    "to continue from.",
    files="too",
)
# The most useful kinds first: the order is that of the help.
MODEL = Choice("model", "model-average", "naive-bayes", "codelength.estimators:model_names")
COMPARABLE = Choice("model", _comparable)
MIXTURE_CRITERION = Choice("criterion", "codelength.mixture.code_length:CRITERIA")
CRITERION = Choice(
    "criterion",
    "codelength.mixture.code_length:CRITERIA",
    "codelength.selection.clusterings:SELECTION_CRITERIA",
)
CRITERIA_ON_REQUEST = Choice("criteria", "all", "codelength.selection.comparison:ON_REQUEST")
INTERVAL_KIND = Choice("interval-kind", "codelength.estimators.latent_inference:IntervalKind")
VARIABLE_CRITERION = Choice("select", "codelength.selection:VARIABLE_CRITERIA")
MISSING = Choice("missing", "codelength.table.infer:Missing")
NUMERIC = Choice("numeric", "codelength.table.infer:Numeric")
IDENTIFIERS = Choice("identifiers", "codelength.table.infer:Identifiers")
# Aliases are resolved when a table is read.
DATASET = Kind("NAME", "codelength.datasets:names", described="codelength datasets lists them.")
EXPERIMENT = Choice("experiment", "codelength_lab:EXPERIMENTS", "all")
SETTING = Kind("NAME=VALUE", "codelength_lab.settings:ALTERNATIVES", described="There are {}.")
DIALECT = Choice("dialect", "codelength.export.sql:DIALECTS")
EXPORT = Choice("to", "sql", "onnx", "scorer", "bif", "xmlbif")
FRACTION = Kind("NUMBER", parse=_fraction)
TABLE = Kind("TABLE", "codelength.datasets:names", files="first")
FILE = FileName()
FIGURE = FileName("profiles", "codelength.plot:KINDS")
