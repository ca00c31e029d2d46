"""The models by their kind; the module of a model is loaded when the model is first asked for."""

import importlib
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, TypeVar

from ..table.checks import check_choice

if TYPE_CHECKING:
    from .contract import TableEstimator

M = TypeVar("M", bound="type[TableEstimator]")

_MODULES = {
    "indifferent-trees": "indifferent_trees",
    "finite-mixture": "mixture",
    "naive-bayes": "naive_bayes",
    "evidence-average": "evidence_average",
    "trees": "members",
    "log-ratios": "members",
    "kernel": "members",
    "forests": "members",
    "best-tree": "members",
    "subsets": "members",
    "mixture-classifier": "mixture_classifier",
    "model-average": "model_average",
}
"""Modules of our own models, which enter themselves when they are loaded."""


class Models(MutableMapping[str, "type[TableEstimator]"]):
    """Models by their kind. One that is entered here works in every command and in files."""

    def __init__(self) -> None:
        self._loaded: dict[str, type[TableEstimator]] = {}
        self._order: dict[str, None] = dict.fromkeys(_MODULES)

    def __getitem__(self, kind: str) -> "type[TableEstimator]":
        if kind not in self._loaded and kind in self._order:
            importlib.import_module(f".{_MODULES[kind]}", __package__)
        return self._loaded[kind]

    def __setitem__(self, kind: str, model: "type[TableEstimator]") -> None:
        self._loaded[kind] = model
        self._order.setdefault(kind)

    def __delitem__(self, kind: str) -> None:
        del self._loaded[kind], self._order[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)


MODELS = Models()


def register(model: M) -> M:
    """Enter a model under its kind."""
    MODELS[model.kind] = model
    return model


def model_of(kind: str) -> "type[TableEstimator]":
    """Return the model of a kind."""
    check_choice("model", kind, MODELS)
    return MODELS[kind]
