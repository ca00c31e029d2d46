"""Summary of a latent class model, in the order of the SMART-LCA checklist.

Van Lissa, Garnier-Villarreal and Anadria (2023), Recommended practices in latent class analysis using the
open-source R-package tidySEM, Structural Equation Modeling: observed data and missing cells, the numbers of
classes and the criterion, reproducibility, estimation and convergence, and then the results.

Order of reading: :func:`summary_blocks`, then one function per section; :func:`profile_records` are the
probabilities as data, and :func:`profile_grid` as text. Remarks and warnings stand before the profiles, which
mean nothing if the model is not identified or a class has no rows.
"""

import math
from typing import TYPE_CHECKING, Any

from .._display import counted
from ..blocks import Block, Bullets, Facts, Grid, Heading, Paragraph
from ..latent.fit_measures import p_value
from ..latent.inference import Intervals, LikelihoodRatioTest
from ..latent.residuals import LARGE, BivariateResiduals
from ..mixture.prediction import shown_value
from ..selection.comparison import Comparison
from ..table.schema import variables_grid

if TYPE_CHECKING:
    from ..latent.identifiability import Identifiability
    from ._fitted_mixture import FittedMixture

HALF_A_ROW = 0.5
"""A class that stands for fewer rows than this has no rows of its own, and its profile means nothing."""

MAX_NAMED = 5
"""Largest number of variables, or of pairs of them, in one line."""


def summary_blocks(
    fitted: "FittedMixture",
    *,
    comparison: Comparison | None = None,
    intervals: Intervals | None = None,
    test: LikelihoodRatioTest | None = None,
) -> list[Block]:
    """Return the whole summary.

    Parameters
    ----------
    fitted : FittedMixture
        The fitted mixture.
    comparison : Comparison, optional
        A comparison with more criteria than that of the fit, to show instead.
    intervals : Intervals, optional
        Intervals to show with the profiles.
    test : LikelihoodRatioTest, optional
        A test of the number of classes, to show below the comparison.
    """
    return [
        *_data(fitted),
        *_estimation(fitted),
        *_fit_of_all(fitted.comparison if comparison is None else comparison),
        *([] if test is None else [Facts([("bootstrap test", test.sentence())])]),
        *_fit_of_chosen(fitted),
        Heading("Classes", 2),
        *profile_blocks(fitted, intervals),
        Heading("Variables", 2),
        variables_grid("", fitted.schema.variables),
    ]


def _data(fitted: "FittedMixture") -> list[Block]:
    """Return the section about rows, missing cells and remarks."""
    seen, schema = fitted.observed, fitted.schema
    rows = f"{seen.n_used:,} of {seen.n_rows:,}"
    if seen.total_weight != seen.n_used:
        rows += f", which stand for {seen.total_weight:,.10g}"
    n_complete = seen.n_used - seen.n_incomplete
    missing = "none"
    if seen.n_incomplete:
        # Shares of counts, so equal ones are exactly equal, and keep the order of the variables.
        most = sorted(seen.by_variable.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name} {100 * share:.1f} %" for name, share in most[:MAX_NAMED])
        missing = (
            f"{100 * seen.missing_share:.1f} % of the cells, in {counted(seen.n_incomplete, 'row')} "
            f"({100 * seen.n_incomplete / seen.n_used:.1f} %); most in {named}"
        )
    facts = [
        ("rows used", rows),
        ("distinct rows", f"{seen.n_distinct:,}"),
        ("rows without missing cells", f"{n_complete:,}"),
        ("missing cells", missing),
        ("rows dropped", "none: missing cells are marginalised" if seen.n_incomplete else "none"),
        ("variables", str(schema.n_variables)),
    ]
    told = remarks_of(fitted)
    return [Heading("Observed data", 2), Facts(facts), *([Bullets(told)] if told else [])]


def _estimation(fitted: "FittedMixture") -> list[Block]:
    """Return the section about the model, the search and its settings, with warnings."""
    identified = fitted.identifiability
    sizes = fitted.comparison["components"]
    why = f"chosen by {fitted.comparison.criterion}" if len(fitted.path) > 1 else "as asked for"
    # Under the uniform prior, the most probable parameters are those of maximum likelihood.
    is_uniform = fitted.mode_prior == "uniform"
    what = "maximum likelihood" if is_uniform else "the most probable parameters under the prior"
    blocks: list[Block] = [
        Heading("Model and estimation", 2),
        Facts(
            [
                ("classes", f"{fitted.mixture.n_components}, {why}"),
                ("compared", ", ".join(map(str, sizes))),
                ("method", f"EM from several starts, for {what}"),
                *fitted.trust.facts(),
                ("parameters", identified.sentence()),
            ]
        ),
    ]
    # None means that the rank is not known, which is no reason to warn.
    if identified.is_identified is False:
        blocks.append(
            Paragraph(
                "Warning: this model is not identified. Its fit and its predictions stand; its profiles do "
                "not, because other profiles fit the table as well.",
                strong=True,
            )
        )
    if not fitted.trust.is_enough:
        blocks.append(
            Paragraph(
                "Warning: few starts reached the best solution, so a better one may have been missed.",
                strong=True,
            )
        )
    settings = [(name, str(value)) for name, value in fitted.shown_params().items()]
    shown = [(name, value) for name, value in settings if value not in ("", "None")]
    return [*blocks, Facts(shown, title="settings")]


def _fit_of_all(comparison: Comparison) -> list[Block]:
    """Return the section that compares all numbers of classes."""
    told = [Paragraph(sentence) for sentence in comparison.explanations()]
    return [Heading("Fit of all models", 2), comparison.grid(), *told]


def _fit_of_chosen(fitted: "FittedMixture") -> list[Block]:
    """Return the section about fit and classification of the chosen model."""
    row, found, residuals = (
        fitted.comparison.of(fitted.mixture.n_components),
        fitted.classification,
        fitted.residuals,
    )
    facts = []
    # None: no row is complete.
    if row["g2"] is not None:
        n_cells = math.prod(int(n) for n in fitted.schema.n_values)
        p = p_value(row["g2"], row["df"], n_cells, fitted.observed.total_weight)
        odds = "the table is too sparse for a p value" if p is None else f"p = {p:.3f}"
        chi2 = "beyond floats" if row["chi2"] is None else f"{row['chi2']:.2f}"
        figures = f"G2 {row['g2']:.2f}, chi-squared {chi2}, df {row['df']}"
        facts.append(("multiway table", f"{figures}; {odds}"))
    if residuals is not None:
        facts.append(("bivariate residuals", _worst_pairs(residuals)))
    if row["relative_entropy"] is not None:
        facts.append(("relative entropy", f"{row['relative_entropy']:.3f}"))
        facts.append(("expected classification error", f"{100 * found.error:.1f} %"))
    return [
        Heading("Fit and classification of the chosen model", 2),
        Facts(facts),
        *(found._blocks() if fitted.mixture.n_components > 1 else []),
    ]


def _worst_pairs(residuals: BivariateResiduals) -> str:
    """Return the largest bivariate residuals in words."""
    worst = residuals.large()
    named = "; ".join(
        f"{pair['first']} and {pair['second']} {pair['residual']:.1f}" for pair in worst[:MAX_NAMED]
    )
    if len(worst) > MAX_NAMED:
        named += f"; {len(worst) - MAX_NAMED} more"
    return f"total {residuals.total:.1f}; above {LARGE:g}: {named or 'none'}"


def profile_blocks(fitted: "FittedMixture", intervals: Intervals | None = None) -> list[Block]:
    """Return the probability of each value in each class, with a note if there are intervals."""
    if intervals is None:
        return [profile_grid(fitted)]
    told = f"In brackets: {100 * intervals.level:g} % intervals, by {intervals.method}."
    flagged = intervals.class_boundary.any() or intervals.value_boundary.any()
    if flagged:
        told += " * at the boundary: the estimate is 0 or 1, and one side of the interval with it."
    return [profile_grid(fitted, intervals), Paragraph(told)]


def profile_grid(fitted: "FittedMixture", intervals: Intervals | None = None) -> Grid:
    """Return the probability of each value in each class as a grid, with intervals in brackets.

    Parameters
    ----------
    fitted : FittedMixture
        The fitted mixture.
    intervals : Intervals, optional
        Intervals of the probabilities; a star marks estimates at the boundary.
    """
    rows = []
    for record in profile_records(fitted, intervals):
        texts = []
        for k in range(1, fitted.mixture.n_components + 1):
            text = f"{record[f'class_{k}']:.2f}"
            if intervals is not None:
                low, high = record[f"class_{k}_low"], record[f"class_{k}_high"]
                text += " (unknown)" if low is None else f" ({low:.2f}, {high:.2f})"
                text += " *" * record[f"class_{k}_at_boundary"]
            texts.append(text)
        rows.append([str(record["variable"]), shown_value(record["value"]), *texts])
    # The name of a variable is in its first row only, so that the rows of one variable stand out.
    shown = [
        ["" if number and row[0] == rows[number - 1][0] else row[0], *row[1:]]
        for number, row in enumerate(rows)
    ]
    numbers = [str(number) for number in range(1, fitted.mixture.n_components + 1)]
    return Grid("probability of each value in each class", ["variable", "value", *numbers], shown, n_text=2)


def profile_records(fitted: "FittedMixture", intervals: Intervals | None = None) -> list[dict[str, Any]]:
    """Return one record per value: variable, value, and figures class by class.

    Parameters
    ----------
    fitted : FittedMixture
        The fitted mixture.
    intervals : Intervals, optional
        Intervals; then records have the bounds of each figure, and whether it is at the boundary.

    Returns
    -------
    list of dict
        Records with equal keys; the first has the shares of the classes.
    """
    mixture, schema = fitted.mixture, fitted.schema
    # -1 is not a cell: the shares of the classes, in the same form as the values.
    cells: list[tuple[str, Any, int]] = [("all", "share of rows", -1)]
    for i, variable in enumerate(schema.variables):
        cells += [
            (variable.name, value, int(schema.offsets[i]) + code)
            for code, value in enumerate(variable.values)
        ]
    found = []
    for name, value, cell in cells:
        record: dict[str, Any] = {"variable": name, "value": value}
        for k in range(mixture.n_components):
            own = f"class_{k + 1}"
            record[own] = float(mixture.class_probs[k] if cell < 0 else mixture.value_probs[k, cell])
            if intervals is not None:
                bounds = intervals.class_bounds[:, k] if cell < 0 else intervals.value_bounds[:, k, cell]
                flags = intervals.class_boundary[k] if cell < 0 else intervals.value_boundary[k, cell]
                low, high = (None if math.isnan(bound) else float(bound) for bound in bounds)
                record |= {f"{own}_low": low, f"{own}_high": high, f"{own}_at_boundary": bool(flags)}
        found.append(record)
    return found


def remarks_of(fitted: "FittedMixture") -> list[str]:
    """Return remarks about the fit that come first in a summary, in sentences."""
    n_components, n_distinct = fitted.mixture.n_components, fitted.observed.n_distinct
    told = fitted.observed.remarks()
    if n_components > max(n_distinct, 1):
        told.append(many_classes(n_components, n_distinct))
    # One size only: it was asked for, so it is the largest by definition.
    if len(fitted.path) > 1 and n_components == max(fitted.path):
        told.append(
            f"The largest number of classes that was tried, {n_components}, was chosen, so more may be "
            "better still; raise max_components."
        )
    total = fitted.observed.total_weight
    empty = [str(k + 1) for k, p in enumerate(fitted.mixture.class_probs) if p * total < HALF_A_ROW]
    if empty and total and n_components > 1:
        told.append(
            f"Class {', '.join(empty)}: less than half a row, so its profile means nothing; take "
            f"{counted(n_components - len(empty), 'class')}."
        )
    return told


def many_classes(n_components: int, n_distinct: int) -> str:
    """Return the remark that there are more classes than distinct rows."""
    return (
        f"n_components={n_components}: there are only {counted(n_distinct, 'distinct row')}, which "
        f"{counted(n_distinct, 'class')} would fit perfectly; ask for fewer classes"
    )


def unidentified(n_components: int, found: "Identifiability") -> str:
    """Return the remark that other classes fit as well."""
    return f"{counted(n_components, 'class')}: the profiles are {found.sentence()}"
