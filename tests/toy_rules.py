"""Rules that nobody wrote code for: whatever takes a rule must take these."""

import numpy as np

from codelength.naive_bayes import Offsets, Rule, logarithm


class Rooted(Rule):
    """Weights that grow with the square root of a count, and are no probabilities."""

    name = "rooted"
    normalises = False

    def growth(self, numbers):
        return np.sqrt(numbers)


class Flattened(Rule):
    """Halved logarithms of the counts alone, so that what was never seen is impossible."""

    name = "flattened"
    needs_prior = False
    gives_zero = True

    def offsets(self, prior, schema):
        return Offsets(np.zeros_like(prior.class_pseudocounts), np.zeros_like(prior.value_pseudocounts))

    def growth(self, numbers):
        return logarithm(numbers) / 2


class Jeffreys(Rule):
    """The average over models, with Jeffreys' prior in place of the uniform one."""

    name = "jeffreys"
    averages = True

    def prior(self, prior):
        return "jeffreys" if prior == "uniform" else prior


TOY_RULES = {rule.name: rule for rule in (Rooted(), Flattened(), Jeffreys())}
