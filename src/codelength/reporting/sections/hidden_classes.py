"""Latent classes of a table, of a table with a target at a glance, or of a fitted model.

Order of reading: :func:`analyse_classes`, :func:`glance` and :func:`of_model` make a ``LatentAnalysis``, of
which :func:`opening`, :func:`comparison`, :func:`profiles` and :func:`trust` are the parts of a page, and
:func:`section` one section of the page of another table. Depends on :class:`codelength.FiniteMixture` and
its comparison of numbers of classes; :mod:`codelength.plot` uses :func:`by_information`.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..._version import __version__
from ...blocks import Block, Facts, Heading
from ...decisions import ranked
from ...estimators import FiniteMixture
from ...evaluation.fits import Progress, check_progress
from ...render.templates import Markup, html, macro
from ...selection.comparison import ON_ANOTHER_SCALE, Comparison
from ...sources import as_table
from ...table import Table
from ...table.checks import seed_of
from ...typing import FloatArray
from ..charts import Frame, ticks
from ..page import Section
from ..results import LatentAnalysis
from ..words import capital, counted, number
from .table import checked, command_of, model_facts, noting, table_facts

MAX_ROWS = 20_000
"""Largest number of rows that latent classes are fitted to; a random sample if there are more."""

GLANCE_ROWS, GLANCE_CELLS, GLANCE_CLASSES = 1_000, 20_000, 6
"""Most rows, cells and classes of a first look on the page of a table with a target."""

GLANCE_LEAST_ROWS = 10
"""Fewest rows of a first look."""

MAX_VARIABLES, MAX_VALUES, MAX_CLASSES, N_OPEN = 100, 24, 8, 6
"""Variables, values and classes that are shown, and variables that are open at first."""

FRAME = Frame(360.0, 300.0, left=58.0, right=14.0, top=14.0, bottom=48.0)

ValueProbs = dict[str | float | bool | None, FloatArray]
"""Probabilities of each value of a variable, by class."""

_MODEL = ("model", "finite mixture of products of multinomials (latent classes)")


def analyse_classes(table: Any, *, random_state: Any = 0, progress: Progress | None = None) -> LatentAnalysis:
    """Fit latent classes to a table and choose their number, possibly one.

    Parameters
    ----------
    table : Table
        The rows; a target is ignored.
    random_state : int, generator or None
        Seed. A number gives the same analysis every time.
    progress : function, optional
        Called with the work done and the work in all.

    Returns
    -------
    LatentAnalysis
        The model that was chosen, and all numbers of classes compared.

    Raises
    ------
    DataError
        If there are no rows or no columns, or rows with weights.

    Examples
    --------
    >>> answers = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> analyse_classes(answers).comparison.chosen
    2
    """
    told, seed = check_progress(progress), seed_of(random_state)
    found = _looked_for(checked(as_table(table)), seed, MAX_ROWS, FiniteMixture(random_state=seed))
    told(1.0, 1.0)
    return found


def glance(table: Table, seed: int) -> LatentAnalysis | None:
    """Fit a first set of latent classes to a table with a target, within a second or two.

    Few rows and few numbers of classes are tried; None if there are too few rows or too many columns.
    """
    n_rows = min(GLANCE_ROWS, GLANCE_CELLS // max(table.n_columns, 1))
    # With one column, or fewer rows than half the columns, classes cannot be told from noise.
    if table.n_columns < 2 or min(n_rows, table.n_rows) < max(GLANCE_LEAST_ROWS, table.n_columns // 2):
        return None
    model = FiniteMixture(n_init=10, max_init=20, max_components=GLANCE_CLASSES, random_state=seed)
    return _looked_for(table, seed, n_rows, model)


def of_model(model: FiniteMixture) -> LatentAnalysis:
    """Return the latent classes of a fitted mixture as an analysis.

    Examples
    --------
    >>> answers = {name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")}
    >>> of_model(FiniteMixture(2, random_state=0).fit(answers)).table.n_rows
    20
    """
    return LatentAnalysis(
        table=model_facts(model),
        model=model,
        comparison=model.comparison_,
        settings=(_MODEL, *_search(model)),
        command="",
        version=__version__,
        seed=model.random_state if isinstance(model.random_state, int) else None,
        seconds=0.0,
    )


def _looked_for(given: Table, seed: int, most_rows: int, model: FiniteMixture) -> LatentAnalysis:
    """Fit latent classes to at most so many rows, drawn at random."""
    start = time.perf_counter()
    rows, settings = replace(given, target=None), [_MODEL]
    some = rows
    if rows.n_rows > most_rows:
        # The same stream as in analyse(): a first look takes its rows from those that models are compared on.
        kept = np.random.default_rng([seed, 5]).permutation(rows.n_rows)[:most_rows]
        some = rows.take(np.sort(kept))
        settings.append(("rows", f"{most_rows:,} of {rows.n_rows:,} rows, drawn at random"))
    with noting() as notes:
        model.fit(some)
    return LatentAnalysis(
        table=table_facts(rows, model.schema_, None, notes),
        model=model,
        comparison=model.comparison_,
        settings=(*settings, *_search(model), ("seed", str(seed))),
        command=command_of(given, seed, latent=True),
        version=__version__,
        seed=seed,
        seconds=time.perf_counter() - start,
    )


def _search(model: FiniteMixture) -> list[tuple[str, str]]:
    """Return the numbers of classes compared and the starts of EM, in words."""
    tried, found = model.comparison_["components"], model.trust_
    criterion = model.get_params()["criterion"]
    return [
        ("number of classes", f"{min(tried)} to {max(tried)} classes, chosen by {criterion}"),
        ("starts of EM", f"{found.n_starts}, of which {found.n_reached} reached the best end"),
    ]


def opening(analysis: LatentAnalysis) -> Markup:
    """Return the number of classes, their sizes, and the certainty of assignments."""
    compared = analysis.comparison
    posterior = compared.of(compared.chosen).get("posterior")
    sure = ""
    if posterior is not None and len(compared) > 1:
        sure = f" (posterior probability {number(posterior, 2)} among those compared)"
    return _part("answer", analysis, _rows(analysis), _called(compared.criterion), sure)


def _rows(analysis: LatentAnalysis) -> str:
    """Describe the rows used, as the beginning of a sentence."""
    n_rows, n_seen = analysis.table.n_rows, analysis.model._fitted.observed.n_rows
    if n_seen < n_rows:
        return f"{counted(n_seen)} of the {counted(n_rows)} rows, drawn at random,"
    return f"The {counted(n_rows)} rows"


def section(analysis: LatentAnalysis, target: str) -> Section:
    """Return a first look at latent classes as one section of a page about a target."""
    # The profile of a single class is the table itself.
    looks = [] if analysis.comparison.chosen == 1 else [profiles(analysis, n_open=0)]
    parts = [comparison(analysis), *looks, trust(analysis)]
    return Section(
        "hidden", "Hidden classes", _part("first_look", opening(analysis), target, analysis, parts)
    )


def comparison(analysis: LatentAnalysis) -> Section:
    """Return the numbers of classes compared: the path of the criterion, and all figures."""
    compared = analysis.comparison
    path = _path(compared) if len(compared) > 1 else None
    body = _part("comparison", path, html([compared.grid()]), compared.explanations())
    return Section("classes", "How many classes?", body, short="Number of classes")


def _path(compared: Comparison) -> Markup | None:
    """Draw code length over the number of classes, in bits above the best."""
    # Every comparison has the Cheeseman-Stutz code length, but not every criterion has a column.
    drawn = compared.criterion if compared.criterion in compared.columns else "cheeseman_stutz"
    # Information criteria are on the scale of twice the code length.
    scale = ON_ANOTHER_SCALE.get(drawn, 1.0)
    values = [
        (int(size), float(length) / scale / math.log(2))
        for size, length in zip(compared["components"], compared[drawn], strict=True)
        if length is not None and math.isfinite(length)
    ]
    if len(values) < 2:
        return None
    best = min(length for _, length in values)
    top = 1.05 * (max(length - best for _, length in values) or 1.0)
    x, y = FRAME.across(values[0][0], values[-1][0], inset=10), FRAME.upwards(0, top)
    points = [(size, x(size), y(length - best)) for size, length in values]
    what = capital(_called(drawn)) if scale == 1.0 else f"Half of {_called(drawn)}"
    return _part("path", what, compared.chosen, points, FRAME, y, ticks(0, top, 5))


def _called(criterion: str) -> str:
    """Return the name of a criterion within a sentence.

    Examples
    --------
    >>> _called("cheeseman_stutz"), _called("bic")
    ('the Cheeseman-Stutz code length', 'BIC')
    """
    if criterion == "cheeseman_stutz":
        return "the Cheeseman-Stutz code length"
    return criterion.upper() if len(criterion) < 5 else f"the {criterion.replace('_', ' ')} code length"


def profiles(analysis: LatentAnalysis, n_open: int = N_OPEN) -> Section:
    """Return the profiles of the classes, the variables with most information first."""
    shares = analysis.model.parameters_.class_probs
    variables = by_information(analysis.model)
    shown = [
        {"name": name, "bits": bits, "is_open": place < n_open} | _profile(values, shares)
        for place, (name, values, bits) in enumerate(variables[:MAX_VARIABLES])
    ]
    most = max((bits for *_, bits in variables), default=0.0)
    body = _part("profiles", shown, len(variables) - len(shown), shares, most)
    return Section("profiles", "What the classes look like", body, short="Profiles")


def by_information(model: FiniteMixture) -> list[tuple[str, ValueProbs, float]]:
    """Return name, value probabilities and bits about the class of each variable, most bits first."""
    by_name, shares = list(model.profiles().items()), model.parameters_.class_probs
    bits = [bits_about_class(np.array(list(values.values())), shares) for _, values in by_name]
    return [(*by_name[n], bits[n]) for n in ranked(bits, scale=1.0)]


def bits_about_class(value_probs: FloatArray, shares: FloatArray) -> float:
    """Return the mutual information of a variable and the class, in bits."""
    if not value_probs.size:
        return 0.0
    overall = value_probs @ shares
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(value_probs > 0, np.log2(value_probs / overall[:, None]), 0.0)
    # Rounding can make the information of an independent variable slightly negative.
    return max(float((shares * value_probs * ratios).sum()), 0.0)


def _profile(values: ValueProbs, shares: FloatArray) -> dict[str, Any]:
    """Return the values of a variable that are shown, and what is left out."""
    # Classes are in descending order of size, so that the first ones are the largest.
    n_classes, probs = min(len(shares), MAX_CLASSES), list(values.items())
    if len(probs) > MAX_VALUES:
        # The most probable values, but in the order of the variable, which may be that of intervals.
        kept = sorted(ranked([own @ shares for _, own in probs])[:MAX_VALUES].tolist())
        probs = [probs[n] for n in kept]
    remarks = []
    if len(values) > len(probs):
        remarks.append(f"The most common values; {counted(len(values) - len(probs))} others are left out.")
    if len(shares) > n_classes:
        remarks.append(f"The {n_classes} largest of {len(shares)} classes.")
    return {
        "n_classes": n_classes,
        "cells": [(value, own[:n_classes].tolist(), float(own @ shares)) for value, own in probs],
        "remarks": " ".join(remarks),
    }


def trust(analysis: LatentAnalysis) -> Section:
    """Return the section on convergence, identifiability and classification of the solution."""
    found, parts = analysis.model.trust_, _parts(analysis.model.summary(comparison=analysis.comparison))
    good = [
        (
            found.is_enough,
            "the best solution was reached often enough",
            "few starts reached the best solution",
        ),
        (found.converged, "all runs converged", "some runs did not converge"),
        (
            analysis.model.identifiability_.is_identified is not False,
            "the model is identified, as far as was checked",
            "the model is not identified: other profiles fit as well",
        ),
    ]
    estimation = parts.get("Model and estimation", [])
    chosen = [block for block in estimation if isinstance(block, Facts) and block.title == "settings"]
    body = _part(
        "trust",
        [(held, words if held else warning) for held, words, warning in good],
        html(block for block in estimation if block not in chosen),
        html(replace(block, title="") for block in chosen),
        html(parts.get("Fit and classification of the chosen model", [])),
        html(parts.get("Observed data", [])),
    )
    return Section("trust", "How far to trust it", body, short="Trust")


def _part(name: str, *values: Any) -> Markup:
    """Return a part of the page, made by a macro of the template."""
    made: Markup = macro(name, within="reporting/sections/hidden_classes")(*values)
    return made


def _parts(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """Group the blocks of a summary by the heading above them."""
    parts: dict[str, list[Block]] = {}
    own: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            own = parts.setdefault(block.text, [])
        else:
            own.append(block)
    return parts
