"""Settings of an analysis, in words."""

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

    ``some`` are the rows that models were compared on, ``by_chance`` the calibration error and the most bits
    alone that chance would give.
    """
    return (
        *_of_models(table, some, plan),
        ("calibration error by chance", f"{by_chance[0]:.4f} if all promises were right"),
        *_of_variables(table, by_chance[1]),
        (
            "what-if",
            f"naive Bayes learned from all rows, on {what_if.schema.n_variables:,} of {table.n_columns:,} "
            "variables",
        ),
        ("hidden classes", _at_a_glance(latent)),
        ("seed", str(seed)),
    )


def _of_models(table: Table, some: Table, plan: Plan) -> list[tuple[str, str]]:
    """Describe the comparison of models."""
    told = [("comparison of models", plan.protocol)]
    if some is not table:
        told.append(("rows compared on", f"{some.n_rows:,} of {table.n_rows:,}, drawn at random"))
    told.append(
        (
            "best model",
            "its gain, accuracy and calibration are measured on parts of the rows that did not choose it",
        )
    )
    if table.n_columns > MAX_COLUMNS:
        told.append(
            (
                "model average, logistic regression and a model of your own",
                f"on the {MAX_COLUMNS} variables with most bits alone among the rows learned from",
            )
        )
    return [
        *told,
        ("class prior", "shares of the classes, plus one row per class"),
        (
            "naive Bayes",
            "uniform prior; missing cells say nothing; numbers other than few whole ones are cut into five "
            "intervals of about equal frequency",
        ),
    ]


def _of_variables(table: Table, most_by_chance: float) -> list[tuple[str, str]]:
    """Describe the bits of the variables."""
    of_some = f"; for the {MAX_GIVEN_OTHERS} variables with most bits alone"
    return [
        ("bits alone", "naive Bayes (evidence) on one variable, each row predicted from all the others"),
        (
            "most bits alone by chance",
            f"{most_by_chance:.4f} for the strongest of all variables, were the classes shuffled",
        ),
        (
            "bits given the others",
            "what naive Bayes (evidence) loses without the variable, each row predicted from all the others"
            + (of_some if table.n_columns > MAX_GIVEN_OTHERS else ""),
        ),
    ]


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
