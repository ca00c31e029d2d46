"""Naive Bayes on a table: code lengths by the evidence or by a rule, and leave-one-out predictions."""

from ..counts import Counts
from ..errors import InvalidParameter
from ..naive_bayes import Predictor, PriorLike
from ..table import Coded
from ..table.checks import check_flag, check_instance
from .nml import nml_code_length
from .predictions import Predictions


def evidence_code_length(
    counts: Counts, prior: PriorLike = "uniform", *, given_classes: bool = False
) -> float:
    r"""Return the code length of a labelled table when all naive Bayes models are averaged, in nats.

    .. math:: -\log P(D) = -\log \int P(D \mid \Theta) P(\Theta)\, d\Theta

    Closed form: equation (8) of [1]_. Missing cells cost nothing, and weights need not be whole numbers.

    Parameters
    ----------
    counts : Counts
        Counts of the table.
    prior : prior or its name
        The prior over models, as in :class:`codelength.NaiveBayes`.
    given_classes : bool
        Return the code length of the values given the classes, without that of the classes.

    See Also
    --------
    nml_code_length : the code length by normalised maximum likelihood, which takes no prior.

    References
    ----------
    .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.code_lengths import evidence_code_length
    >>> from codelength.table import Schema
    >>> counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1)
    >>> round(float(np.exp(-evidence_code_length(counts))), 12)
    0.25
    """
    check_instance("counts", counts, Counts, "Counts")
    check_flag("given_classes", given_classes)
    return Predictor.of(counts, "evidence", prior).evidence_code_length(given_classes=given_classes)


def rule_code_length(predictor: Predictor) -> float:
    """Return the code length of the counted rows by the code of the rule, in nats.

    The code of rules that average over models is the evidence. That of stochastic complexity is normalised
    maximum likelihood. A rule that selects one model has no code: it gives probability zero to possible
    tables.

    Raises
    ------
    InvalidParameter
        If the rule has no code.

    Examples
    --------
    >>> import numpy as np
    >>> from codelength.counts import Counts
    >>> from codelength.table import Schema
    >>> counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1).add([0], 1)
    >>> for rule in ("evidence", "stochastic_complexity"):
    ...     print(round(float(np.exp(-rule_code_length(Predictor.of(counts, rule)))), 3))
    0.111
    0.143
    """
    rule = predictor.rule
    if rule.averages:
        return predictor.evidence_code_length()
    if rule.maximises:
        return nml_code_length(predictor.counts)
    raise InvalidParameter(
        f'rule="{rule.name}": it settles on one model, so it is not a code for tables; use that of '
        "the evidence"
    )


def leave_one_out(predictor: Predictor, coded: Coded) -> Predictions:
    """Return the class distribution of each row, predicted from the other rows, with the observed class.

    The predictor counts all rows, including these, with these weights. One copy of each row is left out; see
    :mod:`codelength.table.copies`.

    Examples
    --------
    >>> from codelength.counts import count
    >>> from codelength.table import Schema
    >>> coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [1], [1]], [0, 1, 1])
    >>> round(leave_one_out(Predictor.of(count(coded)), coded).accuracy, 3)
    0.667
    """
    return Predictions(*predictor.leave_one_out(coded), coded.class_codes, coded.weights)
