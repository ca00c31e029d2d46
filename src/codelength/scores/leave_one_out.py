"""Leave-one-out predictions."""

from ..naive_bayes import Predictor
from ..table import Coded
from .predictions import Predictions


def leave_one_out(predictor: Predictor, coded: Coded) -> Predictions:
    """Return the class distribution of each row, predicted from the other rows, with the observed class.

    Parameters
    ----------
    predictor : Predictor
        Predictor from the counts of all rows, including these.
    coded : Coded
        The rows, with the weights they were counted with. One copy of each is left out; see
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
