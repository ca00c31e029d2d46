"""Checks of options: choices, whole numbers, numbers, weights and random states.

All options are checked here, so that the same mistake has the same message and raises the same exception in
every function: :class:`InvalidParameter` for an option, :class:`DataError` for anything that belongs to the
rows.

Every check takes the ``name`` of the option for its message, and the ``value`` that was passed. It returns
the value in the type that the rest of the package expects, or raises.

Order of reading: :func:`check_choice` and :func:`check_whole`, then names, paths, positions of rows and
arrays; :func:`reading` (saved documents); numbers; :func:`check_weights`; random states. Depends on
``_messages`` (how values are quoted), on ``values`` and on :mod:`codelength.errors`.
"""

import math
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ..errors import CodelengthError, DataError, Infeasible, InvalidParameter, SchemaMismatch
from ..typing import FloatArray
from ._messages import listed, shortened, shown
from .values import is_number

MAX_STEPS = 1_000_000
"""Largest number of repetitions of anything: starts, iterations, orderings, chains."""

MAX_BINS = 10_000
"""Largest number of intervals of a column."""

MAX_WEIGHT = 1e90
"""Largest weight. No sum or product of such weights overflows."""


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if an option is not among the choices: a ``Literal`` or any collection of names.

    Examples
    --------
    >>> check_choice("missing", "drop", ("ignore", "value"))
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: missing='drop': expected one of 'ignore', 'value'
    """
    known: Sequence[Any] = get_args(choices) or tuple(choices)
    # The type first: an array cannot be compared with text in one truth value.
    if not isinstance(value, str) or value not in known:
        raise InvalidParameter(f"{name}={shown(value)}: expected one of {', '.join(map(repr, known))}")


def check_whole(name: str, value: Any, least: int = 1, most: int | None = None, *, also: str = "") -> int:
    """Return a whole number; raise if it is anything else or out of range.

    Both bounds are included. ``also`` ends the message with other values that would be accepted.

    Examples
    --------
    >>> check_whole("n_init", 0)
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: n_init=0: expected a whole number of at least 1
    """
    is_whole = isinstance(value, Integral) and is_number(value)
    if not is_whole or value < least or (most is not None and value > most):
        between = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidParameter(f"{name}={shown(value)}: expected a whole number {between}{also}")
    return int(value)


def check_sequence(name: str, value: Any, *, of: str = "values") -> tuple[Any, ...]:
    """Return the items of a list, an array or any other ordered collection; text counts as one value.

    ``of`` is the plural of the items, for the message.

    Examples
    --------
    >>> check_sequence("drop", "colour", of="names of columns")
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: drop='colour': expected a list of names of columns
    """
    # Text and mappings can be iterated over, but a caller who passes one hardly ever means that. Sets have no
    # order, so results would differ from run to run.
    if not isinstance(value, (str, bytes, bytearray, Set, Mapping)):
        try:
            return tuple(value)
        except Exception:  # what foreign objects raise is up to them
            pass
    raise InvalidParameter(f"{name}={shown(value)}: expected a list of {of}")


def check_names(name: str, value: Any, *, of: str = "names") -> tuple[str, ...]:
    """Return names, each of them text, from a list, a set or any other collection.

    Examples
    --------
    >>> check_names("drop", ["colour", 3])
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: drop: expected text, got 3 of type int
    """
    # Sets are accepted too, because most lists of names (drop, categories) have no order.
    names = check_sequence(name, [*value] if isinstance(value, Set) else value, of=of)
    for each in names:
        check_instance(name, each, str, "text")
    return names


def check_path(name: str, value: Any) -> Path:
    """Return the path of a file; raise if it is anything else."""
    check_instance(name, value, (str, os.PathLike), "the path of a file")
    try:
        # A null byte is text to Python, and an error without a path in every call of the system.
        if b"\x00" not in os.fsencode(value):
            return Path(value)
    except Exception:  # a path of bytes, half a surrogate pair, or an object that only looks like a path
        pass
    raise InvalidParameter(f"{name}: expected the path of a file as text, got {shown(value)}")


def check_rows(rows: Any, n_rows: int) -> NDArray[Any]:
    """Return positions of rows, from positions or a slice, or a mask with one truth value per row.

    Examples
    --------
    >>> check_rows([0, 7], 3)
    Traceback (most recent call last):
    codelength.errors.DataError: rows=[0, 7]: expected positions among 3 rows, or one truth value per row
    """
    try:
        given = np.arange(n_rows)[rows] if isinstance(rows, slice) else as_array(rows)
    except TypeError:  # a slice from here to text
        given = as_array(None)
    # An empty list is an array of floats to numpy, which cannot index.
    if given.shape == (0,):
        return given.astype(np.int64)
    is_mask = given.dtype == np.bool_ and given.shape == (n_rows,)
    is_positions = given.dtype.kind in "iu" and given.ndim == 1
    if is_mask or (is_positions and -n_rows <= int(given.min()) and int(given.max()) < n_rows):
        return given
    raise DataError(
        f"rows={shown(rows)}: expected positions among {n_rows:,} rows, or one truth value per row"
    )


def as_array(value: Any, dtype: Any = None) -> NDArray[Any]:
    """Return an array of anything, or an empty one of three dimensions, which every caller rejects.

    Examples
    --------
    >>> as_array([1, 2], float), as_array([[1, 2], [3]]).shape
    (array([1., 2.]), (0, 0, 0))
    """
    if isinstance(value, np.ndarray) and dtype is None:
        return np.asarray(value)
    try:
        # A conversion that only warns, such as of complex numbers to floats, loses something too.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return np.asarray(value, dtype=dtype)
    except Exception:  # what foreign objects raise is up to them
        return np.empty((0, 0, 0))


def check_instance(name: str, value: Any, kind: type | tuple[type, ...], expected: str) -> None:
    """Raise if an argument is of another type; ``expected`` describes what to pass."""
    if not isinstance(value, kind):
        raise InvalidParameter(
            f"{name}: expected {expected}, got {shown(value)} of type {type(value).__name__}"
        )


@contextmanager
def reading(what: str, origin: str = "to_json") -> Iterator[None]:
    """Raise a DataError if a document cannot be read.

    ``what`` is the object with an article, ``origin`` the method that writes such documents.

    Examples
    --------
    >>> with reading("a Prior"):
    ...     {}["class_pseudocounts"]
    Traceback (most recent call last):
    codelength.errors.DataError: not a Prior as JSON (KeyError: 'class_pseudocounts'); pass what to_json gave
    """
    try:
        yield
    except CodelengthError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        reason = shortened(f"{type(error).__name__}: {error}")
        raise DataError(f"not {what} as JSON ({reason}); pass what {origin} gave") from None


def check_flag(name: str, value: Any) -> bool:
    """Return a truth value; raise if it is anything else.

    Examples
    --------
    >>> check_flag("average", "no")
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: average='no': expected True or False
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameter(f"{name}={shown(value)}: expected True or False")
    return bool(value)


def check_number(
    name: str,
    value: Any,
    least: float = 0.0,
    most: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    also: str = "",
) -> float:
    """Return a finite number within bounds; ``above`` and ``below`` exclude the bounds themselves.

    Examples
    --------
    >>> check_number("tol", -1)
    Traceback (most recent call last):
    codelength.errors.InvalidParameter: tol=-1: expected a number of at least 0
    """
    # NaN stands for anything that is not a number: it fails every comparison.
    number = as_float(value) if is_number(value) else math.nan
    low = number > least if above else number >= least
    high = number < most if below else number <= most
    if not (low and high and math.isfinite(number)):
        bounds = f"above {least:g}" if above else f"of at least {least:g}"
        if math.isfinite(most):
            bounds += f" and {'below' if below else 'at most'} {most:g}"
        raise InvalidParameter(f"{name}={shown(value)}: expected a number {bounds}{also}")
    return number


def check_size(name: str, value: Any, most: int = MAX_STEPS, *, also: str = "") -> int:
    """Return a whole number of at least 1; raise Infeasible if it is larger than ``most``.

    Examples
    --------
    >>> check_size("n_bins", 10**8, 10_000)
    Traceback (most recent call last):
    codelength.errors.Infeasible: n_bins=100000000: too many; at most 10,000 work
    """
    number = check_whole(name, value, also=also)
    if number > most:
        raise Infeasible(f"{name}={shown(value)}: too many; at most {most:,} work")
    return number


def check_cap(cap: Any) -> float | None:
    """Return the largest cost of one row in nats, or None for no limit."""
    return None if cap is None else check_number("cap", cap, also=" (nats), or None for no limit")


def check_weights(
    sample_weight: Any, n_rows: int, *, positive: bool = True, first_row: int = 0
) -> FloatArray | None:
    """Return the weights of the rows as floats, or None if every row weighs 1.

    One number stands for the weights of all rows. If ``positive``, at least one must be above zero. Rows are
    counted from ``first_row`` in messages.

    Examples
    --------
    >>> check_weights([1, 2], 2), check_weights(3, 2)
    (array([1., 2.]), array([3., 3.]))
    """
    if sample_weight is None:
        return None
    weights = _as_floats(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.shape != (n_rows,):
        raise DataError(f"sample_weight has shape {weights.shape}; expected one weight per row, ({n_rows},)")
    # Negated, so that NaN, for which every comparison is False, is unusable too.
    unusable = ~((weights >= 0) & (weights <= MAX_WEIGHT))
    if unusable.any():
        row = int(np.argmax(unusable))
        raise DataError(
            f"sample_weight, row {first_row + row}: {weights[row]}; weights must be finite, not negative and "
            f"at most {MAX_WEIGHT:g}"
        )
    # Sums over rows are weights too, those of classes and values.
    if weights.sum() > MAX_WEIGHT:
        raise DataError(
            f"sample_weight: the weights add up to {weights.sum():g}, more than {MAX_WEIGHT:g}; "
            "divide them by a constant"
        )
    if positive and n_rows and not weights.any():
        raise DataError("sample_weight: all weights are zero; at least one row must count")
    return weights


def check_whole_weights(weights: FloatArray | None, what: str) -> None:
    """Raise if weights are not whole numbers; ``what`` names the method that works on single rows."""
    if weights is not None and not np.array_equal(weights, np.round(weights)):
        raise InvalidParameter(
            f"{what} works on single rows, and the weights are not whole numbers; "
            "round them or leave them out"
        )


def check_same_rows(n_rows: int, n_classes: int) -> None:
    """Raise if a target and its table have different numbers of rows."""
    if n_classes != n_rows:
        raise DataError(
            f"X has {n_rows} rows and y has {n_classes} (inconsistent numbers of samples); give one class "
            "per row"
        )


def check_distinct(names: Iterable[str], what: str = "column names") -> None:
    """Raise if a name occurs more than once."""
    if twice := sorted(str(name) for name, times in Counter(names).items() if times > 1):
        raise SchemaMismatch(f"duplicate {what} {listed(twice)}: rename them so that each is distinct")


def check_random_state(random_state: Any) -> Any:
    """Return a random state that ``np.random.default_rng`` and ``SeedSequence`` accept.

    A ``RandomState`` is drawn from once, so that two fits with the same one differ, as in scikit-learn.
    """
    if random_state is None or isinstance(random_state, (np.random.Generator, np.random.SeedSequence)):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, (list, tuple)) and random_state:
        return [check_whole("random_state", part, 0) for part in random_state]
    return check_whole("random_state", random_state, 0, also=", a numpy generator or None")


def seed_of(random_state: Any) -> int:
    """Return a seed: the random state itself if it is a whole number, otherwise a number drawn from it."""
    state = check_random_state(random_state)
    return state if isinstance(state, int) else int(np.random.default_rng(state).integers(2**31))


def as_float(number: Any) -> float:
    """Return a number of any type as a float: infinite if it is too large, NaN if it signals NaN."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def _as_floats(sample_weight: Any) -> FloatArray:
    """Return weights as floats, in any shape; NaN if they are masked."""
    given = as_array(sample_weight)
    # numpy would read numbers from text, and take times for numbers.
    with np.errstate(over="ignore"):
        weights = as_array(given, np.float64) if given.dtype.kind in "biufO" else np.empty((0, 0, 0))
    if weights.shape == (0, 0, 0):
        raise DataError("sample_weight: expected one number per row")
    masked = isinstance(sample_weight, np.ma.MaskedArray)
    return np.where(np.ma.getmaskarray(sample_weight), np.nan, weights) if masked else weights
