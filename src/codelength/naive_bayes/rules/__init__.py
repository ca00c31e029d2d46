"""The predictive rules and their registry."""

from typing import TypeAlias

from .evidence import Evidence, Indifferent
from .map import Map
from .rule import Offsets, Rule, logarithm
from .stochastic_complexity import StochasticComplexity

RuleLike: TypeAlias = str | Rule
"""A rule, or its name."""

RULES: dict[str, Rule] = {
    rule.name: rule for rule in (Evidence(), Map(), StochasticComplexity(), Indifferent())
}
"""Registry of predictive rules by name; estimators, commands and scores accept every rule in it."""

DEFAULT_RULE = "evidence"
"""Rule of models for which none is chosen."""

__all__ = ["DEFAULT_RULE", "RULES", "Offsets", "Rule", "RuleLike", "logarithm"]
