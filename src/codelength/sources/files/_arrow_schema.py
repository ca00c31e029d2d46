"""Types of columns that Arrow stores in a Parquet file and Parquet lacks: durations and dictionaries.

The schema is a flatbuffer, of which a few fields are read here, so that pyarrow is not needed. See Schema.fbs
and Message.fbs of the Arrow format.
"""

import base64
import struct
from contextlib import suppress

__all__ = ["DURATION", "dictionaries", "durations"]

DURATION = "DURATION "
"""How the type of a column of durations begins; the number of digits after the point of a second follows."""

_DIGITS = (0, 3, 6, 9)  # seconds, milliseconds, microseconds, nanoseconds
_MILLISECONDS = 1  # the unit where none is written
_IS_DURATION = 18


def durations(encoded: bytes) -> dict[str, str]:
    """The type of each column of durations, by name; empty where the schema cannot be understood."""
    with suppress(ValueError, IndexError, struct.error):
        buffer, tables = _fields(encoded)
        return dict(found for table in tables if (found := _duration(buffer, table)) is not None)
    return {}


def dictionaries(encoded: bytes) -> tuple[str, ...]:
    """Names of the columns that are dictionaries; none where the schema cannot be understood."""
    with suppress(ValueError, IndexError, struct.error):
        buffer, tables = _fields(encoded)
        return tuple(_name(buffer, table) for table in tables if _member(buffer, table, 4))
    return ()


def _fields(encoded: bytes) -> tuple[bytes, list[int]]:
    """The schema, and where each of its fields stands."""
    schema = base64.b64decode(encoded)
    buffer = schema[8:] if schema[:4] == b"\xff\xff\xff\xff" else schema[4:]
    message = _target(buffer, 0)
    fields = _target(buffer, _member(buffer, _target(buffer, _member(buffer, message, 2)), 1))
    (n_fields,) = struct.unpack_from("<I", buffer, fields)
    return buffer, [_target(buffer, fields + 4 * i) for i in range(1, n_fields + 1)]


def _duration(buffer: bytes, field: int) -> tuple[str, str] | None:
    """Name and type of a field of durations."""
    kind = _member(buffer, field, 2)
    if not kind or buffer[kind] != _IS_DURATION:
        return None
    unit = _member(buffer, _target(buffer, _member(buffer, field, 3)), 0)
    code = struct.unpack_from("<h", buffer, unit)[0] if unit else _MILLISECONDS
    return _name(buffer, field), f"{DURATION}{_DIGITS[code]}"


def _name(buffer: bytes, field: int) -> str:
    name = _target(buffer, _member(buffer, field, 0))
    (length,) = struct.unpack_from("<I", buffer, name)
    return buffer[name + 4 : name + 4 + length].decode()


def _member(buffer: bytes, table: int, number: int) -> int:
    """Where a member of a table stands; 0 where it has none."""
    virtual = table - struct.unpack_from("<i", buffer, table)[0]
    size, at = struct.unpack_from("<H", buffer, virtual)[0], 4 + 2 * number
    offset = struct.unpack_from("<H", buffer, virtual + at)[0] if at < size else 0
    return table + offset if offset else 0


def _target(buffer: bytes, at: int) -> int:
    """Where a reference leads."""
    return int(at + struct.unpack_from("<I", buffer, at)[0])
