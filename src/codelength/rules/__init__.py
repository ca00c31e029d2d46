"""Counts and a prior to log tables: one predictive rule a file."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from ..counts import Counts
from .evidence import evidence_rule
from .indifferent import indifferent_rule
from .map import map_rule
from .priors import Prior, PriorLike, Pseudocounts, pseudocounts
from .rule import Rule
from .scoring import Scorer, normalised
from .stochastic_complexity import stochastic_complexity_rule
from .tables import LogTables, log_tables, value_entries

RuleName: TypeAlias = Literal["map", "evidence", "stochastic_complexity", "indifferent"]

RULES: dict[RuleName, Callable[[Counts, Pseudocounts], Rule]] = {
    "map": map_rule,
    "evidence": evidence_rule,
    "stochastic_complexity": stochastic_complexity_rule,
    "indifferent": indifferent_rule,
}
"""The four predictive rules by name."""

__all__ = [
    "RULES",
    "LogTables",
    "Prior",
    "PriorLike",
    "Pseudocounts",
    "Rule",
    "RuleName",
    "Scorer",
    "evidence_rule",
    "indifferent_rule",
    "log_tables",
    "map_rule",
    "normalised",
    "pseudocounts",
    "stochastic_complexity_rule",
    "value_entries",
]
