"""Column types that Arrow stores in a Parquet file and Parquet lacks: durations and dictionaries.

The schema is a flatbuffer. A few of its fields are read here, so that pyarrow is not needed. See Schema.fbs
and Message.fbs of the Arrow format for the numbers of the fields.
"""

import base64
import struct
from contextlib import suppress

__all__ = ["DURATION", "dictionaries", "durations"]

DURATION = "DURATION "
"""Start of the type of a column of durations; the number of digits after the point of a second follows."""

_DIGITS = (0, 3, 6, 9)  # seconds, milliseconds, microseconds, nanoseconds
_MILLISECONDS = 1  # the default unit, which is not written
_IS_DURATION = 18  # in the union Type of Schema.fbs


def durations(encoded: bytes) -> dict[str, str]:
    """Return the type of each column of durations.

    Parameters
    ----------
    encoded : bytes
        The entry ``ARROW:schema`` of the metadata of a Parquet file.

    Returns
    -------
    dict of str to str
        Types by the names of the columns; empty if the schema cannot be parsed.
    """
    with suppress(ValueError, IndexError, struct.error):
        buffer, tables = _fields(encoded)
        return dict(found for table in tables if (found := _duration(buffer, table)) is not None)
    return {}


def dictionaries(encoded: bytes) -> tuple[str, ...]:
    """Return the names of the columns that are dictionaries.

    Parameters
    ----------
    encoded : bytes
        The entry ``ARROW:schema`` of the metadata of a Parquet file.

    Returns
    -------
    tuple of str
        The names; empty if the schema cannot be parsed.
    """
    with suppress(ValueError, IndexError, struct.error):
        buffer, tables = _fields(encoded)
        return tuple(_name(buffer, table) for table in tables if _member(buffer, table, 4))
    return ()


def _fields(encoded: bytes) -> tuple[bytes, list[int]]:
    """Return the decoded schema, and the offset of each of its fields."""
    schema = base64.b64decode(encoded)
    # A length precedes the message; since Arrow 0.15 also four bytes that announce it.
    buffer = schema[8:] if schema[:4] == b"\xff\xff\xff\xff" else schema[4:]
    message = _target(buffer, 0)
    fields = _target(buffer, _member(buffer, _target(buffer, _member(buffer, message, 2)), 1))
    (n_fields,) = struct.unpack_from("<I", buffer, fields)
    return buffer, [_target(buffer, fields + 4 * i) for i in range(1, n_fields + 1)]


def _duration(buffer: bytes, field: int) -> tuple[str, str] | None:
    """Return the name and the type of a field of durations; None for other fields."""
    kind = _member(buffer, field, 2)
    if not kind or buffer[kind] != _IS_DURATION:
        return None
    unit = _member(buffer, _target(buffer, _member(buffer, field, 3)), 0)
    code = struct.unpack_from("<h", buffer, unit)[0] if unit else _MILLISECONDS
    return _name(buffer, field), f"{DURATION}{_DIGITS[code]}"


def _name(buffer: bytes, field: int) -> str:
    """Return the name of a field."""
    name = _target(buffer, _member(buffer, field, 0))
    (length,) = struct.unpack_from("<I", buffer, name)
    return buffer[name + 4 : name + 4 + length].decode()


def _member(buffer: bytes, table: int, number: int) -> int:
    """Return the offset of a member of a table; 0 if the table does not have it."""
    # A table starts with the distance to its virtual table, which lists the offsets of its members.
    virtual = table - struct.unpack_from("<i", buffer, table)[0]
    size, at = struct.unpack_from("<H", buffer, virtual)[0], 4 + 2 * number
    offset = struct.unpack_from("<H", buffer, virtual + at)[0] if at < size else 0
    return table + offset if offset else 0


def _target(buffer: bytes, at: int) -> int:
    """Return the offset that a reference points to."""
    return int(at + struct.unpack_from("<I", buffer, at)[0])
