"""Models that predict the class of one row after the other.

A model is a layout of the rows (:mod:`.layout`) that compiled loops (:mod:`._kernels`) walk through in any
order. Naive Bayes, where a row joins the group of its class, and mixtures with a fixed clustering, where it
joins that of its cluster, share the layout, and so all criteria, orderings and races.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DataError, InvalidParameter
from ..naive_bayes import PriorLike, RuleLike, rule_of
from ..sources import as_coded
from ..table import Coded, Table
from ..table.checks import check_cap
from ..typing import FloatArray, IntArray
from .layout import SequenceLayout, checked_offsets, lay_out


@dataclass(frozen=True, eq=False, slots=True)
class SequentialModel:
    r"""Rows under a model that predicts each from the rows before it.

    Made by :func:`naive_bayes_sequence`, or from a clustering by
    :meth:`codelength.mixture.fixed_clustering.FixedClustering.sequence`. The criterion is equation (5)
    of [1]_,

    .. math:: S = \sum_t -\log P(v_t \mid v_1, u_1, \dots, v_{t-1}, u_{t-1}, u_t)

    in nats, smaller is better. It depends on the order of the rows.

    Attributes
    ----------
    layout : SequenceLayout
        The rows and the rule, as the kernels read them.
    cap : float, optional
        Largest cost of one row, in nats. Without a cap the criterion is infinite if a class of probability
        zero occurs.
    group_total : float, optional
        Summed pseudocounts of the groups; None if the rule does not give a distribution over whole rows.

    References
    ----------
    .. [1] Kontkanen, Myllymäki and Tirri (2001). Comparing prequential model selection criteria in
           supervised learning of mixture models. AISTATS.

    Examples
    --------
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0]], [0, 1, 0])
    >>> model = naive_bayes_sequence(coded)
    >>> round(model.code_length(), 4), round(model.code_length([0, 2, 1]), 4)
    (1.9459, 1.9279)
    """

    layout: SequenceLayout
    cap: float | None = None
    group_total: float | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.layout.rows)

    def terms(self, order: Any = None) -> FloatArray:
        """Compute the cost of the class of each row given the rows before it, in nats, in the order taken.

        The order is a permutation of the row numbers; by default the rows as they are.
        """
        return self._capped(self._costs(self.checked(order)))

    def code_length(self, order: Any = None) -> float:
        """Compute the criterion along one ordering: the sum of its :meth:`terms`."""
        return self.unchecked_code_length(self.checked(order))

    def errors(self, order: Any = None) -> FloatArray:
        """Compute the 0/1 loss of each row in the order taken: 1 if another class is more probable.

        Of several most probable classes the first is predicted. If no class has weight, the loss is that of a
        random guess on average.

        Examples
        --------
        >>> from codelength.prequential import naive_bayes_sequence
        >>> from codelength.table import Coded, Schema
        >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0]], [0, 1, 0])
        >>> naive_bayes_sequence(coded).errors()
        array([0., 1., 0.])
        """
        from ._kernels import sequential_errors

        return np.asarray(sequential_errors(self.layout, self.checked(order)))

    def joint_terms(self, order: Any = None) -> FloatArray:
        """Compute the cost of each row, class and other cells together, given the rows before it, in nats.

        In naive Bayes they add up to the evidence code length in any order. In a mixture with a fixed
        clustering the cluster of the new row is summed out, and they add up to neither -log P(D | z)
        nor -log P(D, z).

        Raises
        ------
        InvalidParameter
            If the rule is not an average over models, such as rule "map".

        Examples
        --------
        >>> import numpy as np
        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0]], [0, 1, 0])
        >>> model = naive_bayes_sequence(coded)
        >>> first, again = model.joint_terms().sum(), model.joint_terms([2, 1, 0]).sum()
        >>> bool(np.isclose(first, again))
        True
        """
        if self.group_total is None:
            raise InvalidParameter(
                "joint_terms: the weights of this rule are not a distribution over rows; use a rule that "
                'averages over models, such as rule="evidence"'
            )
        # The kernel leaves out the normaliser of the groups, which depends on the number of rows only.
        totals: FloatArray = np.log(self.group_total + np.arange(self.n_rows))
        return self._costs(self.checked(order), joint=True) + totals

    def leave_one_out(self) -> FloatArray:
        """Compute the cost of the class of each row given all the other rows, in nats, in row order.

        Examples
        --------
        >>> import numpy as np
        >>> from codelength.table import Schema
        >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0]], [0, 1, 0])
        >>> np.exp(-naive_bayes_sequence(coded).leave_one_out()).round(4)
        array([0.6667, 0.4   , 0.6667])
        """
        from ._kernels import left_out_terms

        return self._capped(np.asarray(left_out_terms(self.layout)))

    def unchecked_code_length(self, order: IntArray) -> float:
        """Compute the criterion along an ordering that is not checked: row numbers as int64, each once."""
        return float(self._capped(self._costs(order)).sum())

    def checked(self, order: Any) -> IntArray:
        """Return the ordering as an array of row numbers; raise if it is not a permutation."""
        if order is None:
            return np.arange(self.n_rows)
        rows = np.asarray(order)
        # Kernels do not check bounds, so an ordering is checked before it reaches them.
        if rows.shape != (self.n_rows,) or (len(rows) and rows.dtype.kind not in "iu"):
            raise InvalidParameter(
                f"order of shape {rows.shape} and type {rows.dtype}: expected each of the {self.n_rows} row "
                "numbers once"
            )
        if not np.array_equal(np.sort(rows), np.arange(self.n_rows)):
            raise InvalidParameter(f"order: expected each of the row numbers 0 to {self.n_rows - 1} once")
        return np.ascontiguousarray(rows, dtype=np.int64)

    def _costs(self, order: IntArray, joint: bool = False) -> FloatArray:
        from ._kernels import sequential_terms

        return np.asarray(sequential_terms(self.layout, order, joint))

    def _capped(self, terms: FloatArray) -> FloatArray:
        return terms if self.cap is None else np.minimum(terms, self.cap)


def naive_bayes_sequence(
    coded: Coded | Table,
    rule: RuleLike = "evidence",
    prior: PriorLike = "uniform",
    *,
    cap: float | None = None,
) -> SequentialModel:
    """Build naive Bayes that predicts the class of each row from the rows before it.

    Parameters
    ----------
    coded : Coded, or a Table with a target
        The rows and their classes; a row of weight 3 is taken for three rows.
    rule : str or Rule
        The predictive rule, one of ``codelength.naive_bayes.RULES``.
    prior : prior or its name
        Pseudocounts; rule "map" needs at least 1 everywhere.
    cap : float, optional
        The most that one row can cost, in nats.

    Raises
    ------
    DataError
        If there is no class to predict.
    InvalidParameter
        If the rule has no prediction under the prior, or the weights are not whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [0]], [0, 1, 0])
    >>> np.exp(-naive_bayes_sequence(coded).terms()).round(4)
    array([0.5   , 0.4286, 0.6667])
    """
    rows, chosen = labelled_rows(coded), rule_of(rule)
    offsets = checked_offsets(chosen, prior, rows.schema)
    # Only rules that average over models give a distribution over whole rows.
    group_total = float(offsets.class_offsets.sum()) if chosen.averages else None
    return SequentialModel(lay_out(rows, chosen, offsets), check_cap(cap), group_total)


def labelled_rows(rows: Coded | Table) -> Coded:
    """Return the coded rows; raise if they have no class to predict."""
    coded = as_coded(rows)
    if coded.schema.target is None:
        raise DataError("the table has no class to predict; name its target, as in as_coded(X, y)")
    return coded
