"""The experiments of the papers, one file or folder per paper.

A paper is a module with a ``PAPER``, a line here and a file of printed figures in ``published/``.
"""

import importlib

from .paper import Paper

_MODULES = (
    "predictive_inference",
    "sc_approximations",
    "bayes_optimal_ibl",
    "prequential_selection",
    "indifferent_naive_bayes",
)

PAPERS: dict[str, Paper] = {
    paper.key: paper for paper in (importlib.import_module(f".{name}", __name__).PAPER for name in _MODULES)
}
"""The papers by key, in the order of their years."""

__all__ = ["PAPERS", "Paper"]
