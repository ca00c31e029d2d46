"""Reception of files, with limits of size and speed.

The body of a request is written to disk piece by piece and never held as a whole. Its kind is known from the
name and the first bytes; it is checked further by :mod:`codelength.serve.inspection`, in another process.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from urllib.parse import unquote

from starlette.requests import ClientDisconnect, Request

from ..errors import DataError
from ..render import one_line
from .inspection import suffix_of
from .limits import Limits, Refused, sized

__all__ = ["given_name", "receive"]

_MAX_NAME = 80
_HEAD = 8
_TOO_LARGE, _TOO_SLOW, _OTHER_KIND, _NOTHING = 413, 408, 415, 400


def given_name(request: Request) -> str:
    """Return the name that the user gave to the file, shortened and printable; for display only.

    Examples
    --------
    >>> scope = {"type": "http", "headers": [(b"x-file-name", b"C:%5Cdata%5Cmy%20table.csv")]}
    >>> given_name(Request(scope))
    'my table.csv'
    """
    name = unquote(request.headers.get("x-file-name", ""), errors="replace")
    # Browsers on Windows once sent whole paths.
    name = one_line(name.replace("\\", "/").rsplit("/", 1)[-1])
    return name if len(name) <= _MAX_NAME else f"...{name[-_MAX_NAME + 3 :]}"


async def receive(request: Request, name: str, directory: Path, limits: Limits) -> Path:
    """Write the body of a request to a file, and check its size while it arrives.

    Parameters
    ----------
    request : Request
        Request whose body is the file.
    name : str
        Name given by the user; its ending determines the kind of file expected.
    directory : Path
        An empty directory; the name of the file in it does not depend on the user.
    limits : Limits
        Limits of size and speed.

    Raises
    ------
    Refused
        If the file is too large, too slow, empty or of another kind, or the sender disconnects.

    Returns
    -------
    Path
        The file, named ``table`` with the ending of its kind.
    """
    # A quick refusal for honest clients; the count below holds for all others.
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:18]) > limits.upload_bytes:
        raise _too_large(limits)
    n_bytes, head, pieces = 0, b"", request.stream()
    begun = time.monotonic()
    unfinished = directory / "unfinished"
    with open(unfinished, "xb") as file:
        while piece := await _next(pieces, limits, begun + n_bytes / limits.bytes_per_second):
            n_bytes += len(piece)
            if n_bytes > limits.upload_bytes:
                raise _too_large(limits)
            head = (head + piece)[:_HEAD] if len(head) < _HEAD else head
            file.write(piece)
    if not n_bytes:
        raise Refused(_NOTHING, "the file is empty; the first line must hold the column names")
    try:
        return unfinished.rename(directory / f"table{suffix_of(name, head)}")
    except DataError as error:
        raise Refused(_OTHER_KIND, str(error)) from error


async def _next(pieces: AsyncGenerator[bytes, None], limits: Limits, due: float) -> bytes:
    """Return the next piece of the body; empty at the end.

    The pieces received so far should have arrived by ``due``; a delay shortens the timeout.
    """
    # A sender that trickles bytes would otherwise never time out: each delay behind the minimum speed
    # shortens the wait for the next piece.
    seconds = limits.stall_seconds + min(0.0, due - time.monotonic())
    try:
        async with asyncio.timeout(seconds):
            async for piece in pieces:
                if piece:
                    return piece
    except TimeoutError:
        raise Refused(_TOO_SLOW, "the upload stopped halfway or was too slow; try again") from None
    except ClientDisconnect:
        raise Refused(_NOTHING, "the upload was broken off; try again") from None
    return b""


def _too_large(limits: Limits) -> Refused:
    return Refused(
        _TOO_LARGE,
        f"the file is larger than {sized(limits.upload_bytes)}; take fewer rows, or start codelength serve "
        "with a larger --limit-mb",
    )
