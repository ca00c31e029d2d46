"""Model files: dataclasses as JSON types, and back.

The annotations of the fields say what is written and which documents are valid, so that a class needs no code
of its own for files. Fields without :class:`Saved` are not written; the reader passes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ._packing import packed, unpacked
from .errors import DataError

Known: TypeAlias = Any
"""Namespace of the fields that were read before, of those of the enclosing object, and of what was passed."""

_PLAIN: dict[Any, tuple[type, ...]] = {int: (int,), float: (float, int), str: (str,), bool: (bool,)}
"""Types of JSON that are read as each type; types are exact, because a bool would pass as an integer."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Annotation of a field that is written to files, with the values that it can have.

    Attributes
    ----------
    shape : function of the known fields, optional
        Shape of an array, None for an axis of any length. For a tuple of arrays, the shape of each.
    low, high : float, or function of the known fields
        Smallest and largest number.
    is_ascending : bool
        True if the numbers of an array are strictly ascending.
    """

    shape: Callable[[Known], Any] | None = None
    low: float | Callable[[Known], float] = -np.inf
    high: float | Callable[[Known], float] = np.inf
    is_ascending: bool = False


class Savable:
    """Base class of dataclasses that are written to model files.

    Examples
    --------
    >>> from codelength.typing import FloatArray
    >>> @dataclass(frozen=True)
    ... class Line(Savable):
    ...     n_points: int
    ...     slope: Annotated[float, Saved(low=0.0)]
    ...     heights: Annotated[FloatArray, Saved(lambda known: (known.n_points,))]
    >>> document = Line(2, 0.5, np.array([1.0, 1.5])).to_json()
    >>> Line.restored(document, n_points=2)
    Line(n_points=2, slope=0.5, heights=array([1. , 1.5]))
    >>> Line.restored(document | {"slope": -1}, n_points=2)
    Traceback (most recent call last):
    codelength.errors.DataError: Line: slope has a value that it cannot have
    """

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Return the saved fields as JSON types."""
        return {name: _plain(getattr(self, name)) for name in _saved_fields(type(self))}

    @classmethod
    def restored(cls, document: Mapping[str, Any], **known: Any) -> Self:
        """Restore what :meth:`to_json` wrote.

        Parameters
        ----------
        document
            Document to read; it may come from an untrusted file.
        known
            Fields that are not saved, and further names that annotations refer to.

        Raises
        ------
        DataError, or another error of Python for values of other types
            If the document is not valid.
        """
        found = SimpleNamespace(**known)
        for name, (kind, saved) in _saved_fields(cls).items():
            setattr(found, name, _restored(kind, saved, document[name], found, f"{cls.__name__}: {name}"))
        names = [field.name for field in fields(cls) if field.init and hasattr(found, field.name)]  # type: ignore[arg-type]
        made = cls(**{name: getattr(found, name) for name in names})
        made.check_fields()
        return made

    def check_fields(self) -> None:
        """Raise DataError if the fields do not fit together; called after reading."""


def _saved_fields(cls: type) -> dict[str, tuple[Any, Saved]]:
    """Return type and annotation of each saved field, in their order."""
    found = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is Annotated and isinstance(saved := hint.__metadata__[0], Saved):
            found[name] = (get_args(hint)[0], saved)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON types."""
    if isinstance(value, np.ndarray):
        return packed(_compact(value))
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        return value.item()
    return value.to_json() if hasattr(value, "to_json") else value


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in the smallest type that keeps whole numbers exactly."""
    if array.dtype.kind == "f" and ((array != np.floor(array)) | np.signbit(array)).any():
        return array
    for kind in (np.uint8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if array.size == 0 or (array.min() >= limits.min and array.max() <= limits.max):
            return array.astype(kind)
    return array


def _restored(kind: Any, saved: Saved, document: Any, known: Known, name: str) -> Any:
    """Return a checked value of a type; raise DataError if the document is not valid."""
    origin = get_origin(kind)
    if origin is tuple:
        return _restored_parts(get_args(kind)[0], saved, document, known, name)
    if origin is np.ndarray:
        return _restored_array(get_args(get_args(kind)[1])[0], saved, document, known, name)
    if origin is Literal:
        is_valid = document in get_args(kind)
    elif issubclass(kind, Savable):
        return kind.restored(document, **vars(known))
    else:
        is_valid = type(document) in _PLAIN[kind] and (
            kind in (str, bool) or _is_within(document, saved, known)
        )
    if not is_valid:
        raise DataError(f"{name} has a value that it cannot have")
    return float(document) if kind is float else document


def _restored_parts(kind: Any, saved: Saved, document: Any, known: Known, name: str) -> tuple[Any, ...]:
    """Return a tuple of checked values of one type."""
    if not isinstance(document, list):
        raise DataError(f"{name} is not a list")
    shapes = [None] * len(document) if saved.shape is None else saved.shape(known)
    if len(shapes) != len(document):
        raise DataError(f"{name} has {len(document)} entries; expected {len(shapes)}")

    def restored(part: Any, shape: Any) -> Any:
        return _restored(kind, replace(saved, shape=lambda _: shape), part, known, name)

    return tuple(restored(part, shape) for part, shape in zip(document, shapes, strict=True))


def _restored_array(dtype: Any, saved: Saved, document: Any, known: Known, name: str) -> NDArray[Any]:
    """Return a checked array."""
    assert saved.shape is not None
    low, high = _limits(saved, known)
    array = unpacked(document, saved.shape(known), low=low, high=high)
    if array.dtype.kind == "f" and np.dtype(dtype).kind != "f":
        raise DataError(f"{name} has fractions where it cannot have any")
    if saved.is_ascending and (np.diff(array.astype(dtype)) <= 0).any():
        raise DataError(f"{name} is not in ascending order")
    return np.ascontiguousarray(array, dtype=dtype)


def _limits(saved: Saved, known: Known) -> tuple[float, float]:
    """Return the smallest and the largest valid number."""
    low = saved.low(known) if callable(saved.low) else saved.low
    return low, saved.high(known) if callable(saved.high) else saved.high


def _is_within(number: float, saved: Saved, known: Known) -> bool:
    """Return True if a number is finite and within its limits."""
    low, high = _limits(saved, known)
    return bool(np.isfinite(number) and low <= number <= high)
