"""Model files: JSON documents with a version and a checksum, checked on load, never unpickled.

.. code-block:: text

    {"format": "codelength-model", "version": 3, "sha256": "...",
     "model": {"kind": "naive-bayes", "params": {...}, "named": true, "schema": {...}, "fitted": {...}}}

JSON, because reading a pickle runs code that it names; here a file names a kind of the registry and nothing
else. Numbers have all digits, and packed arrays (:mod:`codelength._packing`) all bits, so a loaded model
predicts the same to the last bit. The checksum is of the content and not of the bytes: a file that was only
formatted anew is still valid. It finds damage, not forgery, so the content is checked as well. Files of other
versions are refused, because a wrong reading would give wrong predictions without an error.

Order of reading: :func:`write` and :func:`read`, then :func:`plain` and :func:`restored`, which convert
single parameters. The learned part of a document is up to the fitted types (:meth:`Fitted.content`).
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .._files import atomic_write
from ..counts import Counts
from ..errors import CodelengthError, InvalidModelFile, InvalidParameter
from ..naive_bayes import NaiveDistribution, Posterior, Prior
from ..table import Schema
from ..table._messages import shortened
from ..table.checks import check_path

FORMAT = "codelength-model"
VERSION = 3
MAX_BYTES = 1 << 30
"""Size of the largest model file. Larger files are refused before they are read into memory."""

_PRIORS: dict[str, Any] = {"prior": Prior, "naive_distribution": NaiveDistribution, "posterior": Posterior}

T = TypeVar("T")


def write(content: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the document of a model as a whole file, or not at all.

    Parameters
    ----------
    content : mapping
        The result of :meth:`Fitted.to_document`.
    path : str or path
        File to write.

    Raises
    ------
    InvalidParameter
        If a parameter or a label has no JSON type.
    """
    file = check_path("path", path)
    document = {"format": FORMAT, "version": VERSION, "sha256": _digest(content), "model": content}
    try:
        # NaN and infinity are not JSON, and other readers would refuse the file.
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"the model cannot be written as JSON ({shortened(str(error))})") from None
    with atomic_write(file) as beside:
        beside.write_text(text + "\n", encoding="ascii")


def read(path: str | os.PathLike[str], restore: Callable[[dict[str, Any]], T]) -> T:
    """Read a file that :func:`write` wrote.

    Parameters
    ----------
    path : str or path
        The file.
    restore : function
        Converts the document to the result.

    Raises
    ------
    InvalidModelFile
        If the file is not valid, or ``restore`` fails.
    """
    content = _checked_content(check_path("path", path))
    # The checksum finds damage, not forgery: documents edited by hand may fail anywhere in restore.
    try:
        return restore(content)
    except (CodelengthError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        reason = str(error) if isinstance(error, CodelengthError) else f"{type(error).__name__}: {error}"
        raise InvalidModelFile(
            f"{path}: not a consistent model ({shortened(reason)}); save it again"
        ) from error


def plain(value: Any) -> Any:
    """Return a parameter as JSON types.

    Schemas and priors become objects with one key, the name of their type. Values of other types are returned
    as they are; :func:`write` refuses those that JSON does not have.

    Examples
    --------
    >>> document = plain(Prior(2, 0.5))
    >>> document
    {'prior': {'class_pseudocounts': 2.0, 'value_pseudocounts': 0.5}}
    >>> restored(document)
    Prior(class_pseudocounts=2.0, value_pseudocounts=0.5)
    """
    if isinstance(value, Schema):
        return {"schema": value.to_json()}
    if isinstance(value, Counts):
        value = NaiveDistribution(value)
    for name, kind in _PRIORS.items():
        if isinstance(value, kind):
            return {name: value.to_json()}
    if isinstance(value, (np.random.RandomState, np.random.Generator, np.random.SeedSequence)):
        return None  # the state of a generator is not part of the learned model
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, (Fraction, Decimal)):
        return float(value)
    return value.item() if isinstance(value, np.generic) else value


def plain_params(params: Mapping[str, Any], without: Collection[str] = ()) -> dict[str, Any]:
    """Return parameters as JSON types, but for some."""
    return {name: plain(value) for name, value in params.items() if name not in without}


def restored_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that :func:`plain_params` wrote."""
    return {name: restored(value) for name, value in params.items()}


def restored(value: Any) -> Any:
    """Return the parameter that :func:`plain` wrote; lists become tuples."""
    if isinstance(value, dict):
        (name, content), *_ = value.items()
        return Schema.from_json(content) if name == "schema" else _PRIORS[name].from_json(content)
    return tuple(value) if isinstance(value, list) else value


def _checked_content(path: Path) -> dict[str, Any]:
    """Return the document of a model file; raise InvalidModelFile if it is not one of this version."""
    document = _parsed(path)
    # Format and version before the checksum: in another version, its definition may differ.
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidModelFile(f"{path}: not a codelength model; pass a file written by save()")
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidModelFile(
            f"{path}: version {shortened(repr(version))} is not a version; save the model again"
        )
    if version != VERSION:
        remedy = "upgrade codelength" if version > VERSION else "fit the model again"
        raise InvalidModelFile(
            f"{path}: written in version {version} of the format, and this codelength reads version "
            f"{VERSION}; {remedy}"
        )
    content = document.get("model")
    if not isinstance(content, dict) or document.get("sha256") != _digest(content):
        raise InvalidModelFile(
            f"{path}: the content does not match its checksum, so it was changed or damaged; save the "
            "model again"
        )
    return content


def _parsed(path: Path) -> Any:
    """Return the content of a JSON file; raise InvalidModelFile for anything else."""
    try:
        # Not a regular file: reading a pipe or a terminal would wait for ever.
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InvalidModelFile(f"{path}: not a regular file; pass a file written by save()")
        if status.st_size > MAX_BYTES:
            raise InvalidModelFile(
                f"{path}: {status.st_size:,} bytes, more than the {MAX_BYTES:,} that a model can have"
            )
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refused)
    except InvalidModelFile:
        raise
    except OSError as error:
        raise InvalidModelFile(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError:
        raise InvalidModelFile(f"{path}: not a text file; pass a file written by save()") from None
    except json.JSONDecodeError as error:
        raise InvalidModelFile(
            f"{path}: not complete JSON (line {error.lineno}: {error.msg}); it was cut off or is "
            "another kind of file, save the model again"
        ) from None
    except (RecursionError, ValueError) as error:
        raise InvalidModelFile(
            f"{path}: not JSON that a model is written in ({shortened(str(error))}); pass a file written by "
            "save()"
        ) from None


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def _digest(content: Mapping[str, Any]) -> str:
    """Return the checksum of a document, independent of the order of keys and of white space."""
    # In ASCII escapes, so that halves of surrogate pairs count the same before and after they are written.
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
