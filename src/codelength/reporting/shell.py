"""Frame of a page: one file that loads nothing and runs no script but its own."""

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby

from ..render.markup import Child, Markup, escaped, join, tag
from .section import Section


def page(
    title: str,
    sections: Sequence[Section],
    *,
    over: str,
    opening: Markup,
    closing: Child = None,
    scripts: Sequence[str] = (),
    has_images: bool = False,
) -> str:
    """Return the text of an HTML file.

    Parameters
    ----------
    title : str
        Title of the page.
    sections : sequence of Section
        Sections after the opening.
    over : str
        A line above the title.
    opening : Markup
        First element, before all sections.
    closing : child, optional
        Footer.
    scripts : sequence of str
        Scripts of the library, run in this order.
    has_images : bool
        Whether the page has pictures, embedded as data.
    """
    style, program = stylesheet(), "\n".join(scripts)
    contents = tag("ol", [tag("li", _link(section)) for section in sections])
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag(
            "meta",
            http_equiv="Content-Security-Policy",
            # Texts of the table are escaped; the policy is a second barrier if one of them is not.
            content=policy(style, program, has_images=has_images),
        ),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content="codelength"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        Markup(f"<style>{style}</style>"),
    )
    body = tag(
        "body",
        tag("a", "Skip to the answer", href="#answer", class_="skip"),
        tag(
            "div",
            tag("header", tag("p", over, class_="over"), tag("h1", title), class_="top"),
            tag(
                "div",
                tag("nav", contents, class_="contents", aria_label="Contents"),
                tag(
                    "main",
                    tag("section", opening, id="answer", class_="first", aria_label="The answer"),
                    _elements(sections),
                ),
                class_="layout",
            ),
            tag("footer", closing) if closing is not None else None,
            class_="page",
        ),
        Markup(f"<script>{program}</script>") if program else None,
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def policy(style: str, program: str, *, has_images: bool = False) -> str:
    """Return a content security policy that allows this style sheet and this script, and nothing else.

    Parameters
    ----------
    style, program : str
        The style sheet and the script, which are identified by their hashes.
    has_images : bool
        Whether embedded pictures are allowed.

    Examples
    --------
    >>> policy("", "", has_images=True).split("; ")[-1]
    "form-action 'none'"
    """
    parts = ["default-src 'none'", f"style-src {_hash(style)}"]
    parts += [f"script-src {_hash(program)}"] if program else []
    parts += ["img-src data:"] if has_images else []
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def stylesheet() -> str:
    """Return the style sheet of all pages."""
    return files(__package__).joinpath("page.css").read_text("utf-8")


def program(name: str) -> str:
    """Return a script of the library by its file name."""
    return files(__package__).joinpath(name).read_text("utf-8")


def framed(text: str, height: int = 720) -> str:
    """Return a page within an iframe, for notebooks.

    Parameters
    ----------
    text : str
        HTML of the page.
    height : int
        Height of the frame in pixels.
    """
    return join(
        # In a sandbox without same-origin: the page cannot touch the notebook around it.
        Markup(f'<iframe srcdoc="{escaped(text)}" sandbox="allow-scripts" width="100%" height="{height}" '),
        Markup('title="codelength report"></iframe>'),
    )


def _elements(sections: Sequence[Section]) -> list[Markup]:
    """Return the sections; consecutive halves share a row if the screen is wide enough."""
    made: list[Markup] = []
    for is_half, group in groupby(sections, key=lambda section: section.is_half):
        elements = [section.element() for section in group]
        made += [tag("div", elements, class_="two")] if is_half else elements
    return made


def _link(section: Section) -> Markup:
    return tag("a", section.short or section.title, href=f"#{section.anchor}")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"
