"""Pages: sections in one file that loads nothing and runs no script but its own."""

import base64
import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any

from .._display import counted
from ..render.templates import Markup, escaped, rendered, templates
from . import charts, words
from .results import Provenance
from .words import table_name


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page.

    Attributes
    ----------
    anchor : str
        Name of the section in addresses.
    title : str
        Heading.
    body : Markup
        Content below the heading.
    short : str
        Title in the table of contents; by default the heading.
    is_half : bool
        Whether the section may share a row of the page with another half.
    """

    anchor: str
    title: str
    body: Markup
    short: str = ""
    is_half: bool = False

    def element(self) -> Markup:
        """Return the section with its heading."""
        return rendered("reporting/section", anchor=self.anchor, title=self.title, body=self.body)


def page(
    made: Provenance, title: str, opening: Markup, sections: Sequence[Section], scripts: Sequence[str] = ()
) -> str:
    """Return the text of an HTML file."""
    held, style, program = made.table, resource("page.css"), "\n".join(scripts)
    text = rendered(
        "reporting/page",
        title=title,
        over=f"{table_name(held.name)} · {counted(held.n_rows, 'row')} · {counted(held.n_columns, 'column')}",
        # Texts of the table are escaped; the policy is a second barrier if one of them is not.
        policy=policy(style, program),
        style=style,
        opening=opening,
        sections=sections,
        groups=[(is_half, list(group)) for is_half, group in groupby(sections, lambda one: one.is_half)],
        closing=f"Made with codelength {made.version}.",
        program=program,
    )
    return str(text)


def policy(style: str, program: str) -> str:
    """Return a content security policy that allows this style sheet and this script, and nothing else.

    Examples
    --------
    >>> policy("", "").split("; ")[-1]
    "form-action 'none'"
    """
    parts = ["default-src 'none'", f"style-src {_hash(style)}"]
    parts += [f"script-src {_hash(program)}"] if program else []
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def resource(name: str) -> str:
    """Return a style sheet or script of the library by its file name."""
    return files(__package__).joinpath(name).read_text("utf-8")


def framed(text: str, height: int = 720) -> str:
    """Return a page within an iframe, for notebooks."""
    # In a sandbox without same-origin: the page cannot touch the notebook around it.
    return (
        f'<iframe srcdoc="{escaped(str(text))}" sandbox="allow-scripts" width="100%" height="{height}" '
        'title="codelength report"></iframe>'
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _within(value: float) -> float:
    """Return a share within 0 and 1: ends of intervals can leave the range, and are infinite for few rows."""
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0


_FILTERS: tuple[Callable[..., Any], ...] = (
    words.capital, words.counted, words.give_or_take, words.interval, words.name, words.number,
    words.percent, words.percent_interval, words.probability, charts.share,
)  # fmt: skip
templates.filters |= {function.__name__: function for function in _FILTERS}
templates.filters |= {"px": charts.pixels, "within": _within, "many": counted}
templates.globals |= {"path_of": charts.path_of, "places": charts.places}
