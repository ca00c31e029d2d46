"""The sum over all K ** N clusterings of a table, without K ** N work.

======================  =====================================================================
``"enumeration"``       all terms, one by one; any prior; the readable form
``"subsets"``           clusters split off one after another, sums of positive terms only
======================  =====================================================================
"""

from ...costs import MAX_BYTES, MAX_SECONDS
from .code_length import METHODS, ExactCodeLength, exact_code_length
from .enumeration import clustering_log_terms

__all__ = [
    "MAX_BYTES",
    "MAX_SECONDS",
    "METHODS",
    "ExactCodeLength",
    "clustering_log_terms",
    "exact_code_length",
]
