"""``codelength serve``."""

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from ..errors import CodelengthError, InvalidParameter
from .choices import TABLE, Whole
from .command import argument, command, section
from .output import one_line

if TYPE_CHECKING:
    from pathlib import Path

MAX_PORT = 65535

in_server = section("Server")


@command("Look at tables on a page in the browser.")
@argument(
    "data",
    metavar="[DATA]",
    type=TABLE,
    required=False,
    purpose="A table to start with: a file, the name of a bundled table, or - for standard input.",
)
@in_server("--port", Whole("port", 0), "Port to listen on; 0 takes any free port.", usual="0")
@in_server("--no-browser", None, "Print the address without opening a browser.")
@in_server("--limit-mb", Whole("limit-mb"), "Largest file accepted, in megabytes.", usual="200")
def serve(data: str | None, port: int | None, no_browser: bool, limit_mb: int | None) -> None:
    """Serve a page to this computer alone: drop a table, pick the column to predict, read the report.

    The address that is printed works once and opens a session in the browser; opening it again prints
    another one. Reports and models can be downloaded; everything else is removed when the server ends, by
    Ctrl-C.

    \b
    Examples:
      codelength serve
      codelength serve vote
      codelength serve survey.csv --no-browser --port 8000
    """
    if (port or 0) > MAX_PORT:
        raise InvalidParameter(f"--port: {port} is not a port; name one up to {MAX_PORT}, or 0 for any")
    _check_installed()
    from ..serve.limits import MIB, Limits
    from ..serve.server import serve as run

    limits = Limits.of_this_machine(MIB * (200 if limit_mb is None else limit_mb))
    with ExitStack() as stack:
        offered = None if data is None else _offered(data, stack)
        browse = None if no_browser else _browse
        run(limits, port=port or 0, offered=offered, announce=_announce, browse=browse)
    click.echo("Ended; all files are removed.", err=True)


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise CodelengthError(
            f"serve: {error.name} is not installed; run: pip install 'codelength[serve]'"
        ) from None


def _offered(data: str, stack: ExitStack) -> "tuple[str, Path]":
    """Return the name and path of the first table, after checking that it can be opened."""
    from ..datasets.registry import find, table_path
    from ..sources.files.formats import as_file
    from ..sources.readers import column_names

    entry = find(data)
    if entry is not None:
        return entry.name, table_path(entry)
    path = stack.enter_context(as_file(data))
    column_names(path)
    return one_line("standard input" if data == "-" else path.name), path.absolute()


def _announce(address: str) -> None:
    click.echo(f"Open {address}\nIt works once, on this computer. Press Ctrl-C to end.")
    sys.stdout.flush()


def _browse(address: str) -> None:
    import webbrowser

    webbrowser.open(address)
