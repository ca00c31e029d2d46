"""Checks of options of models on streams that depend on each other."""

from ..errors import InvalidParameter
from ..naive_bayes import Prior, PriorLike, Rule

SMALLEST, LARGEST = 1e-9, 1e9
"""Range of pseudocounts; beyond it, weights of the sizes of domains lose all digits."""


def check_growing(rule: Rule, prior: PriorLike, handle_unknown: str) -> tuple[float, float]:
    """Return the pseudocounts of classes and values for growing domains.

    Raises
    ------
    InvalidParameter
        If rule, prior or ``handle_unknown`` do not allow domains to grow.
    """
    if not (rule.averages and rule.needs_prior):
        raise InvalidParameter(
            f'domains="growing" averages over how many values there are, and rule="{rule.name}" does not; '
            'pass rule="evidence"'
        )
    if handle_unknown == "error":
        raise InvalidParameter(
            'domains="growing" takes in values that are not known; leave handle_unknown= out'
        )
    if isinstance(prior, Prior):
        given = prior.class_pseudocounts, prior.value_pseudocounts
        if all(isinstance(number, float) and SMALLEST <= number <= LARGEST for number in given):
            return given
    if isinstance(prior, str) and prior == "uniform":
        return 1.0, 1.0
    raise InvalidParameter(
        'domains="growing" takes the same pseudocount for all values, whatever their number, from 1e-9 to '
        '1e9; pass prior="uniform", or a Prior of two numbers'
    )
