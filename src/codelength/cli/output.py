"""Output of results: text for people, JSON for programs.

Texts from a table, a file name or an option are shown, never interpreted: no control character reaches the
terminal.
"""

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from ..render import one_line as one_line

if TYPE_CHECKING:
    from ..blocks import Block

MAX_MESSAGE = 1000
"""Most characters of a message."""


def show(blocks: "Iterable[Block]") -> None:
    """Print blocks on standard output.

    Examples
    --------
    >>> from codelength.blocks import Paragraph
    >>> show([Paragraph("Wrote vote.json.")])
    Wrote vote.json.
    """
    from rich.console import Console

    from ..render.terminal import show as on_terminal

    class Plain(Console):
        """Console that raises for a closed pipe instead of ending the process."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    on_terminal(blocks, Plain(highlight=False))


def tell(kind: str, message: object) -> None:
    """Print one line on standard error.

    Parameters
    ----------
    kind : str
        ``"error"``, ``"warning"`` or ``"note"``.
    message : object
        Message, shortened in the middle if it is too long.
    """
    text = one_line(f"{kind}: {message}")
    if len(text) > MAX_MESSAGE:
        # The location is at the start of a message and the remedy at the end.
        text = f"{text[: MAX_MESSAGE // 2]} ... {text[-MAX_MESSAGE // 2 + 5 :]}"
    click.echo(text, err=True)


def note(text: str) -> None:
    """Add a note that is printed when the command has ended."""
    notes().append(text)


def notes() -> list[str]:
    """Return the notes of the running command."""
    texts: list[str] = click.get_current_context().meta.setdefault("codelength.notes", [])
    return texts


def print_json(document: Any) -> None:
    """Print JSON; numbers that JSON cannot express (infinities, NaN) become null.

    Examples
    --------
    >>> print_json({"rows": 3, "log_score": float("-inf")})
    {
      "rows": 3,
      "log_score": null
    }
    """
    # In ASCII, which every terminal shows; control characters become escapes.
    click.echo(json.dumps(json_ready(document), indent=2, allow_nan=False))


def json_ready(document: Any) -> Any:
    """Return a document whose numbers JSON can express.

    Examples
    --------
    >>> json_ready({1: [0.5, float("-inf")]})
    {'1': [0.5, None]}
    """
    if isinstance(document, dict):
        return {str(key): json_ready(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [json_ready(value) for value in document]
    if isinstance(document, float) and not math.isfinite(document):
        return None
    return document
