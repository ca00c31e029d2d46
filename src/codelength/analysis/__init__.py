"""One table, analysed: everything that its report tells, fitted and measured, as plain results."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .latent import analyse_classes as analyse_classes
    from .latent import of_model as of_model
    from .whole import analyse as analyse

# Loaded when first used: pages need the results alone.
_HOMES = {"analyse": "whole", "analyse_classes": "latent", "of_model": "latent"}

__all__ = ["analyse", "analyse_classes", "of_model"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
