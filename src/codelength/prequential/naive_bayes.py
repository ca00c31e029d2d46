"""Naive Bayes, row after row."""

import numpy as np

from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..rules import RULES, RuleName
from ..table import Coded, Schema
from .layout import sequence_tables
from .sequence import SequentialModel, checked_floor


def naive_bayes_sequence(
    schema: Schema,
    coded: Coded,
    rule: RuleName = "evidence",
    prior: PriorLike = "uniform",
    *,
    floor: float | None = None,
) -> SequentialModel:
    """Naive Bayes that predicts the class of each row from the rows before it.

    Parameters
    ----------
    schema : Schema
        The schema the table was coded by.
    coded : Coded
        The rows.
    rule : {"evidence", "map", "stochastic_complexity", "indifferent"}
        The predictive rule.
    prior : prior or its name
        Pseudocounts; rule "map" needs at least 1 everywhere.
    floor : float, optional
        The most that one row can cost, in nats.

    Examples
    --------
    >>> from codelength.table import encode
    >>> schema = Schema.from_sizes([2], n_classes=2)
    >>> coded = encode(schema, np.array([[0], [1], [0]]), [0, 1, 0])
    >>> np.exp(-naive_bayes_sequence(schema, coded).terms()).round(4)
    array([0.5   , 0.4286, 0.6667])
    """
    if rule not in RULES:
        raise InvalidParameter(f"rule={rule!r}: expected one of {', '.join(map(repr, RULES))}")
    classes = np.asarray(coded.classes, dtype=np.int64)
    if classes.max(initial=0) >= schema.n_classes:
        raise DataError(f"class {classes.max()}: the schema has {schema.n_classes} classes")
    spelled = RULES[rule](Counts.empty(schema), pseudocounts(prior, schema))
    no_class_column = np.zeros((0, schema.n_classes))
    tables = sequence_tables(coded.codes, classes, classes, schema.n_values, spelled, no_class_column)
    is_average = rule in ("evidence", "indifferent")
    group_total = float(spelled.class_offsets.sum()) if is_average else None
    return SequentialModel(tables, checked_floor(floor), group_total)
