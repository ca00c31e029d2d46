"""Section on the settings of the run, with the command to repeat it."""

from ....render.markup import Child, Markup, join, tag
from ...results import Made
from ...section import Section, facts, hint, paragraph
from ...words import name, number


def settings(made: Made) -> Section:
    """Return the section."""
    shown: list[tuple[str, Child]] = [(_capital(key), name(text, 300)) for key, text in made.settings]
    shown.append(("Version", f"codelength {made.version}"))
    if made.seed is not None and "seed" not in (key.lower() for key, _ in made.settings):
        shown.append(("Seed", str(made.seed)))
    if made.seconds > 0:
        shown.append(("Computed in", f"{number(made.seconds, 1)} s"))
    body = join(
        facts(shown),
        [paragraph("The same page again:"), command(made)] if made.command else None,
        hint(
            "This file needs no network. It holds column names, categories, intervals of numbers, counts and "
            "figures made of them, and no rows unless they were asked for. A category that occurs once still "
            "tells something about one row."
        ),
    )
    return Section("settings", "How this page was made", body, short="Settings")


def command(made: Made) -> Markup:
    """Return the command that repeats an analysis."""
    return tag("pre", tag("code", name(made.command, 2000)), tabindex="0")


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
