"""What a predictive rule is.

Every rule weighs class ``k`` of a row ``x`` by

.. math:: g(h_k + a_k) + \\sum_i \bigl[ g(f_{kix_i} + a_{kix_i}) - g(\\sum_l (f_{kil} + a_{kil})) \bigr]

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
    """What a rule adds to the counts of one schema.

    Attributes
    ----------
    class_offsets : array of shape (n_classes,)
        What is added to the class counts.
    value_offsets : array of shape (n_classes, n_cells)
        What is added to the value counts; 0 in the cell for missing.
    """

    class_offsets: FloatArray
    value_offsets: FloatArray


class Rule:
    """How counts become a predictive distribution. Subclasses say what they do differently.

    Attributes
    ----------
    name : str
        Name of the rule.
    averages : bool
        Whether it averages over all models, so that its predictions multiply to the evidence of the table.
    maximises : bool
        Whether it predicts with the maximised likelihood of the data and the new row, so that its code of a
        table is normalised maximum likelihood.
    needs_prior : bool
        Whether the prior that the caller gives plays a part.
    normalises : bool
        Whether the exponentials of its entries are probabilities, so that a variable of which nothing was
        seen is uniform rather than no factor at all.
    gives_zero : bool
        Whether something that has not been seen can get probability zero.
    """

    name: ClassVar[str]
    averages: ClassVar[bool] = False
    maximises: ClassVar[bool] = False
    needs_prior: ClassVar[bool] = True
    normalises: ClassVar[bool] = True
    gives_zero: ClassVar[bool] = False

    @property
    def settles(self) -> bool:
        """Whether it settles on one model, and predicts with that alone."""
        return not (self.averages or self.maximises)

    def prior(self, prior: PriorLike) -> PriorLike:
        """The prior that the rule uses when ``prior`` is asked for."""
        if not self.needs_prior and as_knowledge(prior) is not None:
            raise InvalidParameter(
                f'rule="{self.name}": it takes no prior, so that earlier cases would be passed over; pass '
                'rule="evidence" with them'
            )
        return prior

    def offsets(self, prior: Pseudocounts, schema: Schema) -> Offsets:
        """What is added to the counts, given the prior that the rule uses."""
        return Offsets(prior.class_pseudocounts, prior.value_pseudocounts)

    def offsets_under(self, prior: PriorLike, schema: Schema) -> Offsets:
        """What is added to the counts when ``prior`` is asked for."""
        return self.offsets(pseudocounts(self.prior(prior), schema), schema)

    def growth(self, numbers: FloatArray) -> FloatArray:
        """The function ``g``, for counts plus offsets."""
        return logarithm(numbers)

    def constant(self, counts: Counts, offsets: Offsets) -> float:
        """What the log weights of all classes have in common."""
        total = float((counts.class_counts + offsets.class_offsets).sum())
        return -float(np.log(total)) if total > 0 else 0.0

    def check(self, lowest: float, when: str = "") -> None:
        """Refuse a count plus offset below zero; ``lowest`` is the lowest there is.

        ``when`` begins the message.
        """
        if lowest < 0:
            raise InvalidParameter(
                f'rule="{self.name}": {when}a count plus its offset is {lowest:g}, below 0; use larger '
                "pseudocounts"
            )


def logarithm(numbers: FloatArray) -> FloatArray:
    """Natural logarithm, minus infinity at zero."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(numbers))
