"""Table that compares mixtures with several numbers of components, as papers print it.

Order of reading: the names of columns and criteria; :class:`Comparison`, the table itself; :func:`compare`,
which fills it from fits in next to no time; :func:`with_criteria`, which adds code lengths that take longer
and posterior probabilities by the best of them.

Depends on :mod:`codelength.mixture.code_length` for criteria and on :mod:`codelength.latent.fit_measures` for
all other columns.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, SupportsFloat, overload

import numpy as np
from scipy.special import logsumexp

from .._display import Shown
from ..blocks import Block, Grid, Paragraph, Strong
from ..decisions import first_best
from ..errors import CodelengthError, DataError, InvalidParameter
from ..latent.fit_measures import fit_measures
from ..mixture.cache import Rows
from ..mixture.code_length import CRITERIA
from ..mixture.em import SearchSummary
from ..mixture.parameters import MixtureParameters
from ..naive_bayes import PriorLike
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_choice, check_sequence, reading

ON_REQUEST = ("neighbourhoods", "annealed", "exact")
"""Criteria that take longer, and are computed on request."""

EVIDENCE_ORDER = ("exact", "annealed", "neighbourhoods")
"""Criteria on request that give posterior probabilities, the best one first."""

ON_ANOTHER_SCALE = {"aic": 2.0, "bic": 2.0}
"""Factors between the column of a criterion and its code length."""

NO_EVIDENCE = ("aic",)
"""Criteria whose exponential does not approximate a probability of the rows."""

OF_LIKELIHOOD = ("log_likelihood", "parameters", "aic", "bic", "adjusted_bic", "caic", "icl")
"""Columns before the code lengths."""

LOWER_IS_BETTER = (*OF_LIKELIHOOD[2:], *CRITERIA)

HEADINGS = {
    "components": "classes",
    "log_likelihood": "log-lik.",
    "parameters": "par.",
    "aic": "AIC",
    "bic": "BIC",
    "adjusted_bic": "aBIC",
    "caic": "CAIC",
    "icl": "ICL",
    "cheeseman_stutz": "Ch.-Stutz",
    "neighbourhoods": "neighb.",
    "posterior": "P(classes)",
    "g2": "G2",
    "chi2": "chi2",
    "df": "df",
    "relative_entropy": "rel. entropy",
    "smallest_share": "smallest",
    "reached": "reached",
}
"""Headings of the columns in printed tables."""


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Comparison(Shown, Sequence[dict[str, Any]]):
    """Mixtures with several numbers of components, one row each.

    A sequence of dicts, so that ``pandas.DataFrame(comparison)`` and ``polars.DataFrame(list(comparison))``
    give a frame; ``comparison["bic"]`` is one column. Information criteria are on the scale of minus twice
    the log-likelihood, as in other programs; code lengths (``cheeseman_stutz``, ``neighbourhoods``,
    ``annealed``, ``exact`` and the criterion that chose) are in nats. Definitions:
    :class:`codelength.latent.fit_measures.FitMeasures`.

    Attributes
    ----------
    rows : tuple of dict
        The figures by name, by increasing number of components.
    chosen : int
        The number of components of the model.
    criterion : str
        The code length that chose among them.
    posterior_by : str
        The code length that gives the posterior probabilities, under equal prior probabilities.
    notes : dict of str to str
        Reasons why a requested criterion is missing, with the numbers of components concerned.
    seconds : dict of str to float
        Run time of the criteria on request.
    """

    rows: tuple[dict[str, Any], ...]
    chosen: int
    criterion: str
    posterior_by: str
    notes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[dict[str, Any]]: ...
    @overload
    def __getitem__(self, place: str) -> list[Any]: ...
    def __getitem__(self, place: int | slice | str) -> Any:
        if isinstance(place, str):
            check_choice("column", place, self.columns)
            return [row[place] for row in self.rows]
        return self.rows[place]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.rows[0]) if self.rows else ()

    def of(self, n_components: int) -> dict[str, Any]:
        """Return the row of one number of components."""
        found = [row for row in self.rows if row["components"] == n_components]
        if not found:
            sizes = ", ".join(map(str, self["components"]))
            raise InvalidParameter(f"n_components={shown(n_components)}: compared were {sizes}")
        return found[0]

    def to_json(self) -> dict[str, Any]:
        """Return the table as JSON types, without run times."""
        return {
            "rows": [dict(row) for row in self.rows],
            "chosen": self.chosen,
            "criterion": self.criterion,
            "posterior_by": self.posterior_by,
            "notes": dict(self.notes),
        }

    @classmethod
    @reading("a Comparison")
    def from_json(cls, document: Mapping[str, Any]) -> "Comparison":
        """Read a table that :meth:`to_json` wrote, and check it."""
        rows = [dict(row) for row in document["rows"]]
        plain = (int, float, bool, type(None))
        if not rows or any(
            tuple(row) != tuple(rows[0])
            or not {"components", document["criterion"], "reached", "starts"} <= row.keys()
            or not all(isinstance(value, plain) for value in row.values())
            for row in rows
        ):
            raise DataError("the comparison is not a table of numbers; pass what to_json gave")
        found = cls(
            tuple(rows),
            document["chosen"],
            str(document["criterion"]),
            str(document["posterior_by"]),
            {str(name): str(reason) for name, reason in document["notes"].items()},
        )
        found.of(found.chosen)
        return found

    def grid(self) -> Grid:
        """Return the table for printing; the best of each criterion is emphasised, the choice has a star."""
        # The number of starts is printed together with those that reached the best.
        kept = [name for name in self.columns if name not in ("starts", "converged", "chosen")]
        cells = [[_cell_text(name, row) for name in kept] for row in self.rows]
        for column, name in enumerate(kept):
            if name in LOWER_IS_BETTER:
                best = first_best([-np.inf if row[name] is None else -row[name] for row in self.rows])
                cells[best][column] = Strong(cells[best][column])
        for row, texts in zip(self.rows, cells, strict=True):
            texts[0] += " *" * (row["components"] == self.chosen)
        names = [HEADINGS.get(name, name.replace("_", " ")) for name in kept]
        return Grid("numbers of classes compared", names, cells)

    def explanations(self) -> list[str]:
        """Return notes on the columns, in sentences."""
        columns = (
            f"* chosen by {self.criterion}. AIC to ICL: minus twice the log-likelihood and a penalty; other "
            f"criteria: nats (1.44 bits each). P(classes): by {self.posterior_by}, all numbers equally "
            "probable before."
        )
        times = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        took = [f"Criteria on request took: {times}."] if times else []
        return [columns, *took, *(f"{name}: {reason}" for name, reason in self.notes.items())]

    def _title(self) -> str:
        sizes = self["components"]
        return f"Comparison: {min(sizes)} to {max(sizes)} classes, {self.chosen} chosen by {self.criterion}"

    def _blocks(self) -> list[Block]:
        return [self.grid(), *(Paragraph(sentence) for sentence in self.explanations())]


def compare(
    rows: Rows,
    fits: Mapping[int, tuple[MixtureParameters, SearchSummary]],
    path: Mapping[int, float],
    chosen: int,
    criterion: str,
    prior: PriorLike = "uniform",
) -> Comparison:
    """Build the table of several fits, with the criteria that are fast to compute.

    Parameters
    ----------
    rows : Coded
        The rows that the mixtures were fitted to.
    fits : mapping of int to (MixtureParameters, SearchSummary)
        The best mixture for each number of components, and the diagnostics of its fit.
    path : mapping of int to float
        Their code lengths by the criterion that chose.
    chosen : int
        The number chosen.
    criterion : str
        The criterion that chose, and gives posterior probabilities.
    prior : prior or its name
        Pseudocounts.

    Examples
    --------
    >>> from codelength.mixture.em import fit_mixture
    >>> from codelength.sources import as_coded
    >>> coded = as_coded({name: ["yes", "no"] * 10 for name in ("feathers", "eggs", "wings")})
    >>> fitted = {k: fit_mixture(coded, k, reached=5, random_state=0) for k in (1, 2)}
    >>> fits = {k: (mixture, restarts.summary) for k, (mixture, restarts) in fitted.items()}
    >>> table = compare(coded, fits, {1: 40.0, 2: 30.0}, 2, "annealed")
    >>> table["parameters"], [round(bic, 2) for bic in table["bic"]], table.of(2)["reached"]
    ([3, 7], [92.16, 48.7], 20)
    """
    found = []
    for size in sorted(fits):
        mixture, trust = fits[size]
        measures = asdict(fit_measures(rows, mixture))
        figures = {name.removeprefix("n_"): value for name, value in measures.items()}
        lengths = {"cheeseman_stutz": float(CRITERIA["cheeseman_stutz"](rows, mixture, prior))}
        # AIC and BIC have columns of their own already, on the scale of other programs.
        if criterion not in ON_ANOTHER_SCALE:
            lengths[criterion] = path[size]
        found.append(
            {
                "components": size,
                **{name: figures.pop(name) for name in OF_LIKELIHOOD},
                **lengths,
                "posterior": 0.0,
                **figures,
                "reached": trust.n_reached,
                "starts": trust.n_starts,
                "converged": trust.converged,
                "chosen": size == chosen,
            }
        )
    judge = "cheeseman_stutz" if criterion in NO_EVIDENCE else criterion
    return _judged(Comparison(tuple(found), chosen, criterion, judge))


def with_criteria(
    comparison: Comparison,
    rows: Coded,
    mixtures: Mapping[int, MixtureParameters],
    criteria: str | Iterable[str] = "all",
    prior: PriorLike = "uniform",
    *,
    seed: int = 0,
    report: Callable[[float, float], None] | None = None,
) -> Comparison:
    """Add criteria that take longer to the table, and posterior probabilities by the best of them.

    Parameters
    ----------
    comparison : Comparison
        The table without them.
    rows, prior
        As in :func:`compare`.
    mixtures : mapping of int to MixtureParameters
        The mixture of each row of the table.
    criteria : "all", name or names
        Any of ``"neighbourhoods"`` (the sum over all clusterings near 20 local optima), ``"annealed"`` (an
        estimate of the exact code length, with its standard error) and ``"exact"``. A criterion
        that cannot be computed for a number of components is None there, with the reason in
        :attr:`Comparison.notes`.
    seed : int
        Seed of the random numbers.
    report : function, optional
        Called with the work done and the total work.
    """
    names = (criteria,) if isinstance(criteria, str) else check_sequence("criteria", criteria, of="names")
    for name in names:
        check_choice("criteria", name, ("all", *ON_REQUEST))
    names, sizes = ON_REQUEST if "all" in names else tuple(dict.fromkeys(names)), comparison["components"]
    columns: dict[str, list[float | None]] = {}
    notes, seconds = dict(comparison.notes), dict(comparison.seconds)
    for number, name in enumerate(names):
        start = time.perf_counter()
        found: list[SupportsFloat | None] = []
        reasons: dict[str, list[int]] = {}
        for place, size in enumerate(sizes):
            one = _computed(name, rows, mixtures[size], prior, [seed, size])
            # One infeasible size must not cost the others; equal reasons are reported once.
            if isinstance(one, CodelengthError):
                reasons.setdefault(str(one), []).append(size)
            found.append(None if isinstance(one, CodelengthError) else one)
            if report is not None:
                report(number * len(sizes) + place + 1, len(names) * len(sizes))
        columns[name] = [None if one is None else float(one) for one in found]
        if name == "annealed":
            columns["annealed_se"] = [getattr(one, "standard_error", None) for one in found]
        seconds[name] = time.perf_counter() - start
        notes.pop(name, None)
        if reasons:
            notes[name] = "; ".join(f"{_classes(own)}: {reason}" for reason, own in reasons.items())
    # A criterion judges only if it is known for all numbers of components; otherwise probabilities would not
    # be comparable.
    judge = next(
        (name for name in EVIDENCE_ORDER if name in columns and None not in columns[name]),
        comparison.posterior_by,
    )
    whole = []
    for place, row in enumerate(comparison.rows):
        added = {name: values[place] for name, values in columns.items()}
        # Before the posterior probabilities, which may depend on them.
        others = {name: value for name, value in row.items() if name not in columns}
        first = {name: others.pop(name) for name in list(others)[: list(others).index("posterior")]}
        whole.append(first | added | others)
    return _judged(replace(comparison, rows=tuple(whole), posterior_by=judge, notes=notes, seconds=seconds))


def _computed(
    name: str, rows: Coded, mixture: MixtureParameters, prior: PriorLike, seed: list[int]
) -> SupportsFloat | CodelengthError:
    """Return a criterion on request, or the error if it cannot be computed."""
    # With one clustering there is nothing to sum over.
    own = "cheeseman_stutz" if name == "exact" and mixture.n_components == 1 else name
    try:
        # Seeded by the number of components: a figure does not depend on which others are compared.
        return CRITERIA[own](rows, mixture, prior, random_state=seed)
    except CodelengthError as error:
        return error


def _judged(comparison: Comparison) -> Comparison:
    """Return the table with posterior probabilities by its judge."""
    judge = comparison.posterior_by
    lengths = np.array([row[judge] / ON_ANOTHER_SCALE.get(judge, 1.0) for row in comparison.rows])
    # Probabilities of clearly worse numbers underflow to zero, which is meant.
    with np.errstate(under="ignore"):
        posterior = np.exp(-lengths - logsumexp(-lengths))
    rows = [row | {"posterior": float(p)} for row, p in zip(comparison.rows, posterior, strict=True)]
    return replace(comparison, rows=tuple(rows))


def _classes(sizes: list[int]) -> str:
    """Return numbers of classes in words: ``1 class``, ``3, 4 classes``."""
    return f"{', '.join(map(str, sizes))} class{'' if sizes == [1] else 'es'}"


def _cell_text(name: str, row: Mapping[str, Any]) -> str:
    """Return a figure of a row for printing; a dash if it is unknown."""
    value = row[name]
    if value is None:
        return "-"
    if name == "reached":
        return f"{value}/{row['starts']}"
    if isinstance(value, int):
        return str(value)
    return f"{value:.3f}" if name in ("posterior", "relative_entropy", "smallest_share") else f"{value:.2f}"
