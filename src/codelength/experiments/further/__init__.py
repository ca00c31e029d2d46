"""Experiments on the tables of the papers that go beyond them: what the papers leave to future work.

An experiment is a module with an ``EXPERIMENT``, and a line here.
"""

import importlib

from ..experiment import Experiment

_MODULES = ("indifferent_trees", "evidence_weights", "interval_averages")

FURTHER: dict[str, Experiment] = {
    made.key: made for made in (importlib.import_module(f".{name}", __name__).EXPERIMENT for name in _MODULES)
}
"""The experiments by key."""

__all__ = ["FURTHER"]
