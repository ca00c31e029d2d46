"""Normalised maximum likelihood of one multinomial, and of a labelled table under naive Bayes."""

from typing import Any

import numpy as np

from ...counts import Counts
from ...errors import DataError, InvalidParameter
from ...table._messages import shown
from ...table.checks import as_array, check_choice, check_flag
from .multinomial import is_whole, log_fit, log_normalisers
from .naive_bayes import MAX_ROWS, METHODS, Method, naive_bayes_log_normaliser

LARGEST_COUNT = 2**53
"""Largest count that a float represents exactly with all smaller ones."""


def nml_code_length(counts: Any, *, given_classes: bool = False, method: Method = "auto") -> float:
    r"""Return the code length of a table by normalised maximum likelihood, in nats.

    .. math:: -\log \frac{\max_\Theta P(D \mid \Theta)}{\sum_{D'} \max_\Theta P(D' \mid \Theta)}

    This is Rissanen's stochastic complexity [1]_: the maximised likelihood is divided by its sum over all
    tables of as many rows, whose logarithm is the same for every table. Of all codes, it has the smallest
    worst-case excess over the best fit. It does not use a prior. The sum is computed exactly, by the
    linear-time recurrence of [2]_ for one multinomial and by convolutions for naive Bayes with the class
    observed.

    Parameters
    ----------
    counts : Counts, or array of shape (n_values,)
        Counts of a labelled table, whose model is naive Bayes; or counts of the values of one variable.
    given_classes : bool
        Return the code length of the values given the classes, without that of the classes. The sum is then
        a product of sums for single multinomials.
    method : {"auto", "quadratic", "fft"}
        Method for the sum over tables, used if the classes are encoded too. ``"auto"`` convolves directly up
        to 512 rows and by fast Fourier transforms beyond.

    Raises
    ------
    DataError
        If a count is not a whole number: the sum is over tables of whole rows. Or if cells are missing and
        the classes are encoded too: the missing cells of a class then differ between the tables of the sum,
        and no closed form is known. Given the classes, missing cells cost nothing.
    Infeasible
        If there are more than ten million rows and the classes are encoded too.

    See Also
    --------
    evidence_code_length : the code length when all models are averaged under a prior.
    network_code_length : the same for each variable given others, in any network.

    References
    ----------
    .. [1] Rissanen (1996). Fisher information and stochastic complexity. IEEE Transactions on Information
           Theory 42.
    .. [2] Kontkanen and Myllymäki (2007). A linear-time algorithm for computing the multinomial stochastic
           complexity. Information Processing Letters 103.

    Examples
    --------
    Two tosses of a coin: the maximised likelihoods of the four sequences are 1, 1/4, 1/4 and 1, in sum 2.5.

    >>> from codelength.code_lengths import nml_code_length
    >>> [round(float(np.exp(-nml_code_length(tosses))), 3) for tosses in ([2, 0], [1, 1])]
    [0.4, 0.1]
    """
    check_flag("given_classes", given_classes)
    check_choice("method", method, METHODS)
    if not isinstance(counts, Counts):
        return _of_multinomial(counts)
    check_describable(counts, given_classes=given_classes)
    schema, length = counts.schema, 0.0
    for i in range(schema.n_variables):
        length -= log_fit(counts.of(i))
    if given_classes:
        # Given the classes, each class and variable is one multinomial of the known cells.
        for i, n_values in enumerate(schema.n_values.tolist()):
            length += float(log_normalisers(n_values, counts.of(i).sum(axis=1)).sum())
        return length
    return (
        length
        - log_fit(counts.class_counts)
        + naive_bayes_log_normaliser(schema.n_values.tolist(), schema.n_classes, int(counts.n_rows), method)
    )


def why_not_described(counts: Counts) -> str | None:
    """Return the reason that a table with its classes has no code, in a few words; None if it has one."""
    if not _are_rows(counts):
        return "weights are no whole numbers"
    if counts.n_rows > MAX_ROWS:
        return f"more than {MAX_ROWS:,} rows"
    return None if _incomplete(counts) is None else "cells are missing"


def check_describable(counts: Counts, *, given_classes: bool = False) -> None:
    """Raise DataError if the code is not defined: counts are fractions, or cells are missing.

    Parameters
    ----------
    counts : Counts
        Counts of a table.
    given_classes : bool
        Check the code of the values given the classes, which allows missing cells.
    """
    if not _are_rows(counts):
        raise DataError(
            "normalised maximum likelihood sums over tables of whole rows, and the rows were counted with "
            "weights that are no whole numbers; use evidence_code_length, or leave the weights out"
        )
    i = None if given_classes else _incomplete(counts)
    if i is not None:
        n_missing = counts.n_rows - float(counts.of(i).sum())
        raise DataError(
            f"variable {shown(counts.schema.names[i])}: {n_missing:,.0f} missing, and normalised maximum "
            'likelihood sums over complete tables; pass missing="value" so that missing is a value, '
            "given_classes=True to describe the values alone, or use evidence_code_length"
        )


def _are_rows(counts: Counts) -> bool:
    """Return True if all counts are whole and exact."""
    everything = np.concatenate((counts.class_counts, counts.value_counts.ravel()))
    return is_whole(everything) and counts.n_rows <= LARGEST_COUNT


def _incomplete(counts: Counts) -> int | None:
    """Return the position of the first variable with missing cells, or None."""
    spare = counts.schema.offsets[1:] - 1
    has_missing = counts.value_counts[:, spare].any(axis=0)
    return int(np.argmax(has_missing)) if has_missing.any() else None


def _of_multinomial(counts: Any) -> float:
    """Return the code length of one variable, from the counts of its values."""
    given = as_array(counts)
    if given.ndim != 1 or given.dtype.kind not in "iuf" or not given.size:
        raise InvalidParameter(
            f"counts={shown(counts)}: expected Counts, or a list with the count of each value"
        )
    numbers = given.astype(np.float64)
    if not is_whole(numbers) or numbers.sum() > LARGEST_COUNT:
        raise DataError(
            f"counts={shown(counts)}: expected whole numbers of at least 0, as counts of rows are"
        )
    # The code length is the log of the normaliser less the maximised log-likelihood.
    normaliser = log_normalisers(len(numbers), np.array([numbers.sum()], dtype=np.int64))[0]
    return float(normaliser) - log_fit(numbers)
