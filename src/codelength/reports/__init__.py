"""Results to blocks, blocks to terminal, files and figures. Reads results, never fits anything."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .averages import comparison_page, write_comparison
    from .files import as_document, read, write
    from .further import further_page, write_further
    from .paper import blocks_of
    from .questions import question_page, write_questions
    from .saving import save
    from .validation import validation_page, write_validation

# Loaded when first used: the renderers, which every command needs, do not need the experiments.
_HOMES = {
    "as_document": "files",
    "blocks_of": "paper",
    "comparison_page": "averages",
    "further_page": "further",
    "question_page": "questions",
    "read": "files",
    "save": "saving",
    "validation_page": "validation",
    "write": "files",
    "write_comparison": "averages",
    "write_further": "further",
    "write_questions": "questions",
    "write_validation": "validation",
}

__all__ = [
    "as_document",
    "blocks_of",
    "comparison_page",
    "further_page",
    "question_page",
    "read",
    "save",
    "validation_page",
    "write",
    "write_comparison",
    "write_further",
    "write_questions",
    "write_validation",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
