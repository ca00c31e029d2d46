"""Counts and a prior to predictions: one predictive rule per file, and one registry."""

from typing import TypeAlias

from .dirichlet import dirichlet_log_evidence
from .evidence import Evidence
from .explanation import Explanation
from .indifferent import Indifferent
from .log_tables import LogTables, log_tables, value_entries
from .map import Map
from .naive_distribution import NaiveDistribution
from .posterior import Posterior
from .predictor import Predictor, rule_of
from .priors import (
    PRIORS,
    Knowledge,
    Prior,
    PriorLike,
    Pseudocounts,
    as_knowledge,
    bound_prior,
    depends_on_variables,
    pseudocounts,
    unclassed_pseudocounts,
)
from .rule import Offsets, Rule, logarithm
from .scoring import Distributions, Scorer, normalised
from .stochastic_complexity import StochasticComplexity

RuleLike: TypeAlias = str | Rule
"""A rule, or its name."""

RULES: dict[str, Rule] = {
    rule.name: rule for rule in (Evidence(), Map(), StochasticComplexity(), Indifferent())
}
"""The predictive rules by name. A rule that is entered here works everywhere."""

__all__ = [
    "PRIORS",
    "RULES",
    "Distributions",
    "Explanation",
    "Knowledge",
    "LogTables",
    "NaiveDistribution",
    "Offsets",
    "Posterior",
    "Predictor",
    "Prior",
    "PriorLike",
    "Pseudocounts",
    "Rule",
    "RuleLike",
    "Scorer",
    "as_knowledge",
    "bound_prior",
    "depends_on_variables",
    "dirichlet_log_evidence",
    "log_tables",
    "logarithm",
    "normalised",
    "pseudocounts",
    "rule_of",
    "unclassed_pseudocounts",
    "value_entries",
]
