"""Naive Bayes: predictions from counts and a prior, under any of the predictive rules."""

from .dirichlet import dirichlet_log_evidence
from .explanation import Explanation
from .log_tables import LogTables
from .naive_distribution import NaiveDistribution, Posterior
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
from .query import Answer
from .rules import RULES, Offsets, Rule, RuleLike, logarithm
from .scoring import Distributions, Scorer, normalised

__all__ = [
    "PRIORS",
    "RULES",
    "Answer",
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
    "logarithm",
    "normalised",
    "pseudocounts",
    "rule_of",
    "unclassed_pseudocounts",
]
