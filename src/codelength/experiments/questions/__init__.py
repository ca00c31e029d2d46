"""Questions that the papers leave open, each answered on a page of its own.

An experiment is a module or a package with an ``EXPERIMENT``, and a line here.
"""

import importlib

from ..experiment import Experiment

_MODULES = ("hidden_classes", "orderings")

QUESTIONS: dict[str, Experiment] = {
    made.key: made for made in (importlib.import_module(f".{name}", __name__).EXPERIMENT for name in _MODULES)
}
"""The experiments by key."""

__all__ = ["QUESTIONS"]
