r"""The interface of predictive rules.

Every rule weighs class ``k`` of a row ``x`` by

.. math:: g(h_k + a_k) + \sum_i \bigl[ g(f_{kix_i} + a_{kix_i}) - g(\sum_l (f_{kil} + a_{kil})) \bigr]

on the log scale. Rules differ in the offsets ``a`` that they add to the counts and in the growth function
``g``, which is the logarithm for most. A rule is an object. To add a rule, write a file with a subclass of
:class:`Rule` and enter an instance in the registry ``codelength.naive_bayes.RULES``.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...counts import Counts
from ...errors import InvalidParameter
from ...table import Schema
from ...typing import FloatArray
from ..priors import PriorLike, Pseudocounts, as_knowledge, pseudocounts


@dataclass(frozen=True, eq=False, slots=True)
class Offsets:
    """Offsets that a rule adds to the counts of one schema.

    Attributes
    ----------
    class_offsets : array of shape (n_classes,)
        Offsets of the class counts.
    value_offsets : array of shape (n_classes, n_cells)
        Offsets of the value counts; 0 in the cell for missing.
    """

    class_offsets: FloatArray
    value_offsets: FloatArray


class Rule:
    """Base class of rules, which turn counts into predictive distributions.

    Attributes
    ----------
    name : str
        Name of the rule.
    averages : bool
        True if it averages over all models: the product of its predictions is the evidence of the table.
    maximises : bool
        True if it predicts with the maximised likelihood of the data and the new row: its code of a table is
        normalised maximum likelihood.
    needs_prior : bool
        True if the prior of the caller is used.
    normalises : bool
        True if the exponentials of its entries are probabilities: a variable without counts is then uniform
        instead of having no factor.
    gives_zero : bool
        True if unseen values or classes can have probability zero.
    """

    name: ClassVar[str]
    averages: ClassVar[bool] = False
    maximises: ClassVar[bool] = False
    needs_prior: ClassVar[bool] = True
    normalises: ClassVar[bool] = True
    gives_zero: ClassVar[bool] = False

    @property
    def settles(self) -> bool:
        """True if it selects one model and predicts with it."""
        return not (self.averages or self.maximises)

    def prior(self, prior: PriorLike) -> PriorLike:
        """Return the prior that the rule uses in place of ``prior``."""
        if not self.needs_prior and as_knowledge(prior) is not None:
            raise InvalidParameter(
                f'rule="{self.name}": it takes no prior, so that earlier cases would be ignored; pass '
                'rule="evidence" with them'
            )
        return prior

    def offsets(self, prior: Pseudocounts, schema: Schema) -> Offsets:
        """Return the offsets, given the prior that the rule uses."""
        return Offsets(prior.class_pseudocounts, prior.value_pseudocounts)

    def offsets_under(self, prior: PriorLike, schema: Schema) -> Offsets:
        """Return the offsets, given the prior of the caller."""
        return self.offsets(pseudocounts(self.prior(prior), schema), schema)

    def growth(self, numbers: FloatArray) -> FloatArray:
        """Return the growth function ``g`` at counts plus offsets."""
        return logarithm(numbers)

    def constant(self, counts: Counts, offsets: Offsets) -> float:
        """Return the term that the log weights of all classes have in common."""
        total = float((counts.class_counts + offsets.class_offsets).sum())
        return -float(np.log(total)) if total > 0 else 0.0

    def check(self, lowest: float, when: str = "") -> None:
        """Raise InvalidParameter if a count plus offset is below zero; ``when`` begins the message."""
        if lowest < 0:
            raise InvalidParameter(
                f'rule="{self.name}": {when}a count plus its offset is {lowest:g}, below 0; use larger '
                "pseudocounts"
            )


def logarithm(numbers: FloatArray) -> FloatArray:
    """Return the natural logarithm, minus infinity at zero, without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(numbers))
