"""Code length of a table under the code of a predictive rule."""

from ..errors import InvalidParameter
from ..naive_bayes import Predictor
from .nml import nml_code_length


def rule_code_length(predictor: Predictor) -> float:
    """Return the code length of the counted rows by the code of the rule, in nats.

    The code of rules that average over models is the evidence. That of stochastic complexity is normalised
    maximum likelihood. A rule that selects one model has no code: it gives probability zero to possible
    tables.

    Parameters
    ----------
    predictor : Predictor
        Counts, rule and prior.

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
        f'rule="{rule.name}": it settles on one model, which is no code for a table; use the code length of '
        "the evidence"
    )
