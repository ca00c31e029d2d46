"""Settings of an analysis, in words."""

from typing import Literal

from ...render.templates import rendered
from ...table import Coded, Table
from ..page import Section
from ..plan import MAX_COLUMNS, Plan
from ..results import LatentAnalysis, Provenance
from ..words import capital, name, number
from .variables import MAX_GIVEN_OTHERS


def settings_of(
    table: Table,
    some: Table,
    plan: Plan,
    what_if: Coded,
    by_chance: tuple[float, float],
    latent: LatentAnalysis | None,
    seed: int,
) -> tuple[tuple[str, str], ...]:
    """Describe the steps of an analysis and their settings.

    Parameters
    ----------
    table, some : Table
        All rows, and those that models were compared on.
    plan : Plan
        Training and test rows of the comparison.
    what_if : Coded
        The variables of the what-if.
    by_chance : tuple
        The calibration error and the most bits alone that chance would give.
    latent : LatentAnalysis, optional
        The first look at latent classes.
    seed : int
        Seed of all random choices.
    """
    screened = f"on the {MAX_COLUMNS} variables with most bits alone among the rows learned from"
    of_some = f"; for the {MAX_GIVEN_OTHERS} variables with most bits alone"
    is_wide = table.n_columns > MAX_COLUMNS
    steps: dict[str, str | Literal[False]] = {
        "comparison of models": plan.protocol,
        "rows compared on": some is not table and f"{some.n_rows:,} of {table.n_rows:,}, drawn at random",
        "best model": (
            "its gain, accuracy and calibration are measured on parts of the rows that did not choose it"
        ),
        "model average, logistic regression and a model of your own": is_wide and screened,
        "class prior": "shares of the classes, plus one row per class",
        "naive Bayes": (
            "uniform prior; missing cells say nothing; numbers other than few whole ones are cut into five "
            "intervals of about equal frequency"
        ),
        "calibration error by chance": f"{by_chance[0]:.4f} if all probabilities were right",
        "bits alone": "naive Bayes (evidence) on one variable, each row predicted from all the others",
        "most bits alone by chance": (
            f"{by_chance[1]:.4f} for the strongest of all variables, were the classes shuffled"
        ),
        "bits given the others": (
            "what naive Bayes (evidence) loses without the variable, each row predicted from all the others"
            f"{of_some if table.n_columns > MAX_GIVEN_OTHERS else ''}"
        ),
        "what-if": (
            f"naive Bayes learned from all rows, on {what_if.schema.n_variables:,} of {table.n_columns:,} "
            "variables"
        ),
        "hidden classes": _at_a_glance(latent),
        "seed": str(seed),
    }
    return tuple((step, words) for step, words in steps.items() if words)


def _at_a_glance(latent: LatentAnalysis | None) -> str:
    """Describe the first look at latent classes."""
    if latent is None:
        return "not looked for: too few rows or columns, or too many columns for a first look"
    plan = dict(latent.settings)
    rows, classes, starts = plan.get("rows", "all rows"), plan["number of classes"], plan["starts of EM"]
    return f"a first look at {rows}; {classes}; starts of EM: {starts}"


def section(made: Provenance) -> Section:
    """Return the section on the settings of a run, with the command to repeat it."""
    shown = [(capital(key), name(text, 300)) for key, text in made.settings]
    shown.append(("Version", f"codelength {made.version}"))
    if made.seed is not None and "seed" not in (key.lower() for key, _ in made.settings):
        shown.append(("Seed", str(made.seed)))
    if made.seconds > 0:
        shown.append(("Computed in", f"{number(made.seconds, 1)} s"))
    body = rendered("reporting/sections/settings", made=made, shown=shown)
    return Section("settings", "How this page was made", body, short="Settings")
