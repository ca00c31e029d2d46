"""Models as JSON files: versioned, checked on load, never unpickled."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from .._files import atomic_write
from ..errors import CodelengthError, InvalidModelFile
from ..rules import Prior
from ..table import Schema

FORMAT = "codelength-model"
VERSION = 1


def write_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model, beside its place first."""
    content = {
        "kind": type(model).__name__,
        "params": {name: _to_json(value) for name, value in model.get_params(deep=False).items()},
        "named": hasattr(model, "feature_names_in_"),
        "fitted": model._content(),
    }
    document = {"format": FORMAT, "version": VERSION, "sha256": _digest(content), "model": content}
    with atomic_write(Path(path)) as beside:
        # Text in ASCII escapes: half a surrogate pair, which UTF-8 refuses, comes back as it was.
        beside.write_text(json.dumps(document, allow_nan=False) + "\n", encoding="utf-8")


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``save`` wrote.

    Raises
    ------
    InvalidModelFile
        Where the file is absent, truncated, changed, not a model, or written by a newer version.
    """
    content = _checked_content(Path(path))
    try:
        return _model(content)
    except (CodelengthError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{type(error).__name__}: {error}" if not isinstance(error, CodelengthError) else str(error)
        raise InvalidModelFile(f"{path}: not a consistent model ({reason}); save it again") from error


def _checked_content(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidModelFile(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except UnicodeDecodeError:
        raise InvalidModelFile(f"{path}: not a text file; pass a file written by save()") from None
    except (RecursionError, ValueError) as error:
        if not isinstance(error, json.JSONDecodeError):
            raise InvalidModelFile(
                f"{path}: not JSON that a model is written in ({error}); pass a file written by save()"
            ) from None
        raise InvalidModelFile(
            f"{path}: not complete JSON (line {error.lineno}: {error.msg}); it was cut off or is "
            "another kind of file, save the model again"
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidModelFile(f"{path}: not a codelength model; pass a file written by save()")
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidModelFile(f"{path}: version {version!r} is not a version; save the model again")
    if version > VERSION:
        raise InvalidModelFile(
            f"{path}: written in version {version} of the format, and this codelength reads up to "
            f"version {VERSION}; upgrade codelength"
        )
    content = document.get("model")
    if not isinstance(content, dict) or document.get("sha256") != _digest(content):
        raise InvalidModelFile(
            f"{path}: the content does not match its checksum, so it was changed or damaged; save the "
            "model again"
        )
    return content


def _model(content: dict[str, Any]) -> Any:
    from . import MODELS

    if content["kind"] not in MODELS:
        raise InvalidModelFile(f"unknown kind of model {content['kind']!r}")
    params = {name: _from_json(value) for name, value in content["params"].items()}
    return MODELS[content["kind"]](**params)._restore(content["fitted"], bool(content["named"]))


def _to_json(value: Any) -> Any:
    if isinstance(value, Schema):
        return {"schema": value.to_json()}
    if isinstance(value, Prior):
        return {"prior": value.to_json()}
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return None  # the state of a generator is not part of what was learned
    return value.item() if hasattr(value, "item") else value


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        return Schema.from_json(value["schema"]) if "schema" in value else Prior.from_json(value["prior"])
    return value


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
