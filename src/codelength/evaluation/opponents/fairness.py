"""Rules for opponents: completion of unseen classes, and a share of the class prior.

A class that was not seen in training would have probability zero, and one such row would decide a comparison.
So each opponent is completed by a share for unseen classes. It is then mixed with the smoothed class prior,
as if it had seen one row more that carries no information. This does not make an opponent worse.
"""

import numpy as np

from ...typing import FloatArray, IntArray


def class_prior(class_weights: FloatArray) -> FloatArray:
    """Return smoothed class probabilities: (n_c + 1/2) / (n + C/2).

    Examples
    --------
    >>> class_prior(np.array([2.0, 0.0]))
    array([0.83333333, 0.16666667])
    """
    return np.asarray((class_weights + 0.5) / (class_weights.sum() + len(class_weights) / 2))


def completed(probs: FloatArray, class_weights: FloatArray) -> FloatArray:
    """Return probabilities of all classes from those of the classes seen.

    If k of C classes were not seen among n rows, these k share k/2 / (n + C/2) equally.

    Parameters
    ----------
    probs : array of shape (n_rows, n_seen)
        Probabilities of the classes seen, in the order of the classes.
    class_weights : array of shape (n_classes,)
        Weight of each class in training; 0 for classes not seen.

    Examples
    --------
    >>> completed(np.array([[0.25, 0.75]]), np.array([4.0, 0.0, 4.5])).round(3)
    array([[0.238, 0.05 , 0.712]])
    """
    seen = class_weights > 0
    n_unseen = int(np.count_nonzero(~seen))
    found = np.zeros((len(probs), len(class_weights)))
    found[:, seen] = probs
    if n_unseen:
        share = 0.5 * n_unseen / (class_weights.sum() + len(class_weights) / 2)
        found *= 1 - share
        found[:, ~seen] = share / n_unseen
    return found


def fair(probs: FloatArray, class_weights: FloatArray) -> FloatArray:
    """Return the completed probabilities mixed with the class prior: (n p + prior) / (n + 1).

    Parameters
    ----------
    probs : array of shape (n_rows, n_seen)
        Probabilities of the classes seen.
    class_weights : array of shape (n_classes,)
        Weight of each class in training; 0 for classes not seen.

    Examples
    --------
    >>> fair(np.array([[1.0, 0.0]]), np.array([2.0, 1.0])).round(3)
    array([[0.906, 0.094]])
    """
    n = class_weights.sum()
    return np.asarray((n * completed(probs, class_weights) + class_prior(class_weights)) / (n + 1))


def log_score(probs: FloatArray, labels: IntArray, weights: FloatArray) -> float:
    """Return the log probability of the classes that occurred, summed over rows."""
    return float(weights @ np.log(probs[np.arange(len(labels)), labels]))
