"""Code length of a labelled table by the evidence of naive Bayes."""

from ..counts import Counts
from ..naive_bayes import Predictor, PriorLike
from ..table.checks import check_flag, check_instance


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
