"""Naive Bayes as a sequential model."""

from ..errors import DataError
from ..naive_bayes import PriorLike, RuleLike, rule_of
from ..sources import as_coded
from ..table import Coded, Table
from ..table.checks import check_cap
from .layout import checked_offsets, lay_out
from .sequence import SequentialModel


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

    Returns
    -------
    SequentialModel
        The table under the model.

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
