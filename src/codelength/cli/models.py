"""Models from options: each model gets its own parameters; options that no model accepts are rejected.

Commands know no parameter of any model: signatures of the constructors decide which options a model accepts,
so that a new estimator is available with all its parameters once it is registered.

Order of reading: :func:`given` (options to values), :func:`build` (values to a model), :func:`check_capable`,
:func:`learn`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter
from .progress import counting, working

if TYPE_CHECKING:
    from ..estimators import TableEstimator
    from ..evaluation.opponents import Opponent
    from .source import TableArgument

    Model = TableEstimator | Opponent

PARAMETERS = {"seed": "random_state", "components": "n_components", "starts": "n_init"}
"""Options whose parameter has another name in Python."""

OF_NAIVE_BAYES = ("rule", "prior", "select")
"""Options and parameters that imply naive Bayes if no kind of model is named."""


def build(kind: str, values: Mapping[str, Any]) -> Any:
    """Return a model of a kind, with those of the values that are its parameters.

    Parameters
    ----------
    kind : str
        Kind of model, of this library or an opponent.
    values : mapping
        Values by the names of parameters; others than those of the model are ignored.

    Returns
    -------
    estimator
        Unfitted model, with seed 0 unless one is given.

    Examples
    --------
    >>> build("naive-bayes", {"rule": "map", "n_components": 3}).rule
    'map'
    """
    known = parameters(kind)
    own = {name: value for name, value in values.items() if name in known}
    if "random_state" in known:
        own.setdefault("random_state", 0)
    return constructor_of(kind)(**own)


def given(kinds: Sequence[str], options: Mapping[str, Any], params: Sequence[str]) -> dict[str, Any]:
    """Return values by the names of parameters, from options and from texts ``NAME=VALUE``.

    Parameters
    ----------
    kinds : sequence of str
        Kinds of models; at least one of them must have each parameter.
    options : mapping
        Values by the names of options; None for an option that was not given.
    params : sequence of str
        Further parameters, as typed.

    Returns
    -------
    dict of str to object
        Values by parameter.

    Raises
    ------
    InvalidParameter
        If no model has an option or a parameter, or one is given twice.

    Examples
    --------
    >>> given(["naive-bayes"], {"rule": "map", "select": None}, ["prior=0.5"])
    {'rule': 'map', 'prior': 0.5}
    """
    from ..table._messages import suggestion

    # In the order of the signatures, which is that of the error message below.
    known = list(dict.fromkeys(name for kind in kinds for name in parameters(kind)))
    values = {PARAMETERS.get(name, name): value for name, value in options.items() if value is not None}
    for option, value in options.items():
        if value is not None and PARAMETERS.get(option, option) not in known:
            raise InvalidParameter(f"--{option}: {' or '.join(kinds)} has no such option; leave it out")
    further = parsed(params)
    for name in further:
        if name not in known:
            raise InvalidParameter(
                f"param {name!r:.60}: {' or '.join(kinds)} has no such parameter{suggestion(name, known)} "
                f"(there are {', '.join(known)})"
            )
        if name in values:
            raise InvalidParameter(f"param {name!r}: there is an option for it, given as well; leave one out")
    return values | further


def means_naive_bayes(options: Mapping[str, Any], params: Sequence[str]) -> bool:
    """Return whether options or parameters, as :func:`given` takes them, imply naive Bayes.

    Examples
    --------
    >>> means_naive_bayes({"rule": None}, ["prior=0.5"]), means_naive_bayes({"seed": 1}, [])
    (True, False)
    """
    named = {name for name, value in options.items() if value is not None} | set(parsed(params))
    return not named.isdisjoint(OF_NAIVE_BAYES)


def parameters(kind: str) -> list[str]:
    """Return the names of the parameters of a kind of model that can be given as text."""
    return [name for name in signature(constructor_of(kind)).parameters if name != "schema"]


def constructor_of(kind: str) -> "Callable[..., Model]":
    """Return what makes a model of a kind, of this library or an opponent."""
    from ..estimators import registry

    # Opponents are imported only if needed; the registry raises for unknown kinds.
    if kind not in registry.model_names():
        from ..evaluation.opponents import OPPONENTS

        if kind in OPPONENTS:
            return OPPONENTS[kind]
    return registry.constructor_of(kind)


def parsed(params: Sequence[str]) -> dict[str, Any]:
    """Return parameters by name; a value is JSON if it can be parsed, and text otherwise.

    Examples
    --------
    >>> parsed(["rule=map", "n_components=[2, 6]", "average=true", "prior=0.5"])
    {'rule': 'map', 'n_components': (2, 6), 'average': True, 'prior': 0.5}
    """
    values: dict[str, Any] = {}
    for text in params:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not name or not equals:
            raise InvalidParameter(f"param={text!r:.60}: expected NAME=VALUE, such as n_components=3")
        if name in values:
            raise InvalidParameter(f"param {name!r:.60}: given twice; leave one of them out")
        try:
            made = json.loads(value)
        except (ValueError, RecursionError):
            made = value
        # Ranges are tuples in Python, which JSON does not have.
        values[name] = tuple(made) if isinstance(made, list) else made
    return values


def check_capable(model: "Model", source: "TableArgument") -> None:
    """Raise ``InvalidParameter`` for options about the table that an unfitted model cannot use."""
    from ..estimators import capabilities_of, name_of

    capabilities = capabilities_of(model)
    if "classes" not in capabilities and source.target is not None:
        raise InvalidParameter(
            f"--target: {name_of(model)} predicts no classes; leave the column out with --drop"
        )
    if "weights" not in capabilities and source.weights is not None:
        raise InvalidParameter(f"--weights: {name_of(model)} takes no weights; repeat the rows instead")


def learn(model: "TableEstimator", source: "TableArgument", what: str) -> None:
    """Fit a model to a table, in batches if the table is large and the model can.

    Parameters
    ----------
    model : TableEstimator
        Model to fit in place.
    source : TableArgument
        Table to read.
    what : str
        Name of the model in the progress bar.
    """
    from ..estimators import capabilities_of

    capabilities = capabilities_of(model)
    has_classes = "classes" in capabilities
    # Selection of variables needs all rows at once, hence not in batches.
    if not (source.is_large and "fit_table" in capabilities and getattr(model, "select", None) is None):
        table = source.read(needs_target=has_classes)
        with working(f"fitting {what}"):
            model.fit(table)
        return
    if has_classes and source.target is None:
        raise InvalidParameter("--target is missing: name the column to predict")
    with counting(f"fitting {what}") as progress:
        model.fit_table(source.stream, source.target, progress=progress, **source.columns)
