"""Pages of the documentation, made from results of experiments."""

from ..files import as_document, read, write
from ..saving import save
from .comparison import comparison_page, write_comparison
from .findings import blocks_of
from .further import further_page, write_further
from .questions import question_page, write_questions
from .validation import validation_page, write_validation

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
