"""How results are shown: tables for people, JSON for machines."""

import json
import math
from collections.abc import Sequence
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def print_json(document: Any) -> None:
    """Print JSON; numbers that JSON lacks (infinities) become null."""
    typer.echo(json.dumps(_without_infinities(document), ensure_ascii=False, indent=2, allow_nan=False))


def print_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], n_text: int = 1) -> None:
    """Print a table, its first ``n_text`` columns as text and the others as numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for position, name in enumerate(names):
        is_text = position < n_text
        table.add_column(name, justify="left" if is_text else "right", overflow="fold", no_wrap=position == 0)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False)
    console.print(title, style="bold", markup=False)
    console.print(table)


def decimals(number: float, digits: int = 4) -> str:
    """A number for people, infinities included.

    Examples
    --------
    >>> decimals(-0.456789), decimals(float("-inf"))
    ('-0.4568', '-inf')
    """
    return f"{number:.{digits}f}" if math.isfinite(number) else str(number)


def _without_infinities(document: Any) -> Any:
    if isinstance(document, dict):
        return {str(key): _without_infinities(value) for key, value in document.items()}
    if isinstance(document, (list, tuple)):
        return [_without_infinities(value) for value in document]
    if isinstance(document, float) and not math.isfinite(document):
        return None
    return document
