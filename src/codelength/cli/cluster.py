"""``codelength cluster``.

The command is the front of :class:`codelength.FiniteMixture` without classes. Everything that can be wrong
with the options is checked before the fit, which may take minutes.

Order of reading: ``cluster``, ``_check_files`` and ``_check_replications`` (before the fit), ``_further`` (on
request, after it), ``_write``, ``_memberships`` and ``_draw`` (files).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..blocks import Paragraph
from ..errors import InvalidParameter
from . import options
from .choices import CRITERIA_ON_REQUEST, FIGURE, FILE, INTERVAL_KIND, MIXTURE_CRITERION, Whole
from .command import command
from .models import build, given
from .output import print_json, show
from .progress import working
from .saving import check_marked, check_outputs, check_table_name, save, write_rows, write_table
from .source import TableArgument

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..latent.inference import Intervals, LikelihoodRatioTest
    from ..selection.comparison import Comparison
    from ..sources.files.writers import ColumnDict

KIND = "finite-mixture"

TESTS, INTERVALS = 99, 500
"""Replications of a test and of intervals by default."""

DRAWN = ("nonparametric", "parametric", "posterior")
"""Kinds of intervals that need replications."""

UNTESTED = "No test: one class was found, and there is no smaller number to test against."


@command("Find hidden classes in a table.")
@options.table
@options.in_model(
    "--components",
    Whole("components", words=("auto",)),
    "How many components; auto finds the number with the shortest code length.",
    usual="auto",
)
@options.in_model("--criterion", MIXTURE_CRITERION, "The code length that chooses.", usual="cheeseman_stutz")
@options.prior
@options.in_model("--starts", Whole("starts"), "Random starts for each number of components.", usual="20")
@options.in_model(
    "--reached",
    Whole("reached"),
    "Add starts until the best solution has been found this many times, up to 100 starts "
    "(--param max_init=100).",
    usual="5",
)
@options.cells
@options.identifiers
@options.seed
@options.param
@options.in_output(
    "--criteria",
    CRITERIA_ON_REQUEST,
    "Compare the numbers of components by this criterion too, which takes longer.",
    multiple=True,
)
@options.in_output("--intervals", None, "Give intervals of shares and probabilities.")
@options.in_output(
    "--interval-kind", INTERVAL_KIND, "Where intervals come from; implies --intervals.", usual="auto"
)
@options.in_output("--test", None, "Test the number of components against one less, by a bootstrap.")
@options.in_output(
    "--replications",
    Whole("replications"),
    "Replications of the test (by default 99), and of intervals from a bootstrap or from draws (500).",
)
@options.model_output(required=False)
@options.in_output(
    "--memberships",
    FILE,
    "Write the component of each row and the probabilities of all here, as {written}; - for standard output.",
)
@options.in_output(
    "--carry",
    "COLUMN",
    "Carry a column, such as an identifier, over to the memberships; it is not used to find the components.",
    multiple=True,
)
@options.in_output(
    "--profiles",
    FILE,
    "Write the probability of each value in each component here, with intervals where they were asked for, "
    "as .csv, .tsv, .parquet, .tex (LaTeX) or .md (Markdown).",
)
@options.in_output(
    "--comparison", FILE, "Write the comparison of the numbers of components here; files as for --profiles."
)
@options.in_output(
    "--figure",
    FIGURE,
    "Draw the profiles, or another KIND of figure, as an .svg, .png or .pdf file.",
    multiple=True,
)
@options.for_spreadsheets
@options.as_json
def cluster(
    source: TableArgument,
    params: tuple[str, ...],
    criteria: tuple[str, ...],
    intervals: bool,
    interval_kind: str | None,
    test: bool,
    replications: int | None,
    output: str | None,
    memberships: str | None,
    carry: tuple[str, ...],
    profiles: str | None,
    comparison: str | None,
    figure: tuple[tuple[str, str], ...],
    for_spreadsheets: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Find hidden classes in a table, and how many there are (possibly one): latent class analysis.

    Prints what a paper reports, in the order of the SMART-LCA checklist: the rows and what is missing, how
    often the best solution was found, all numbers of components compared, the fit of the one chosen, and the
    probability of each value in each component. Bundled tables are clustered without their class.

    \b
    Examples:
      codelength cluster zoo
      codelength cluster vote --memberships clusters.csv --carry class
      codelength cluster survey.csv --drop id --intervals --profiles table2.tex
      codelength cluster vote --test --figure residuals=residuals.svg
    """
    model: Any = build(KIND, given([KIND], chosen, params))
    outputs = {
        "--output": output,
        "--memberships": memberships,
        "--profiles": profiles,
        "--comparison": comparison,
        **{f"--figure {kind}": file for kind, file in figure},
    }
    # All checks come before the first row is read, because a fit can take minutes.
    check_outputs(outputs, source.files, as_json=as_json)
    if for_spreadsheets:
        check_marked([memberships, profiles, comparison])
    _check_files(outputs, carry, figure)
    kind = (interval_kind or "auto") if intervals or interval_kind is not None else None
    _check_replications(model, kind, replications, test=test)
    table, beside = source.read_carrying(carry)
    with working("clustering"):
        model.fit(table)
    compared, bounds, tested = _further(model, criteria, kind, replications, test=test)
    _write(model, compared, bounds, outputs, {"for_spreadsheets": for_spreadsheets})
    if memberships is not None:
        rows = {**beside, **_memberships(model, list(beside))}
        write_rows(iter([rows]), source.data, memberships, for_spreadsheets=for_spreadsheets)
    for drawn, file in figure:
        _draw(compared if drawn == "criteria" else model, source, drawn, file)
    if as_json:
        document = {**model._summary_document(), "comparison": compared.to_json()}
        if bounds is not None:
            estimates = {"level": bounds.level, "method": bounds.method, "estimates": bounds.records()}
            document["intervals"] = estimates
        if test:
            document["test"] = None if tested is None else tested.to_json()
        print_json({"data": source.data, "rows": table.n_rows, **document})
    elif "-" not in outputs.values():
        written = ", ".join(name for name in outputs.values() if name is not None)
        remarks = [UNTESTED] if test and tested is None else []
        remarks += [f"Wrote {written}."] if written else []
        blocks = model.summary(comparison=compared, intervals=bounds, test=tested)
        show([*blocks, *map(Paragraph, remarks)])


def _check_files(
    outputs: dict[str, str | None], carry: tuple[str, ...], figure: tuple[tuple[str, str], ...]
) -> None:
    """Reject, before anything is read, outputs that could not be written after all the work."""
    if carry and outputs["--memberships"] is None:
        raise InvalidParameter(
            "--carry: columns are carried over to the memberships; name a --memberships file"
        )
    kinds = [kind for kind, _ in figure]
    twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
    if twice is not None:
        raise InvalidParameter(f"--figure: {twice} are drawn twice; leave one of them out")
    for _, file in figure:
        from ..plot.drawing import check_name

        check_name(Path(file))
    for name in (outputs["--profiles"], outputs["--comparison"]):
        if name is not None:
            check_table_name(name)


def _check_replications(model: Any, kind: str | None, replications: int | None, *, test: bool) -> None:
    """Reject a test without a smaller number of classes, and replications of nothing."""
    if test and model.n_components == 1:
        raise InvalidParameter("--test: there is no smaller number of classes than one; ask for more classes")
    if replications is not None and not test and kind not in DRAWN:
        raise InvalidParameter(
            "--replications: nothing is replicated; leave it out, or ask for --test or an --interval-kind of "
            f"{', '.join(DRAWN[:-1])} or {DRAWN[-1]}"
        )


def _further(
    model: "FiniteMixture",
    criteria: tuple[str, ...],
    kind: Any,
    replications: int | None,
    *,
    test: bool,
) -> "tuple[Comparison, Intervals | None, LikelihoodRatioTest | None]":
    """Compute the criteria, the intervals and the test that were asked for.

    Parameters
    ----------
    model : FiniteMixture
        The fitted model.
    criteria : tuple of str
        Criteria to add to the comparison of the numbers of components.
    kind : str or None
        Kind of intervals; None for no intervals.
    replications : int, optional
        Number for both intervals and test; by default :data:`INTERVALS` and :data:`TESTS`.
    test : bool
        Whether to test the number of components.
    """
    compared: Comparison = model.comparison_
    # Further criteria take longer, and are computed on request only.
    if criteria:
        with working("comparing") as report:
            compared = model.compare(criteria, report)
    bounds = tested = None
    if kind is not None:
        with working("intervals") as report:
            bounds = model.intervals(kind, n_replications=replications or INTERVALS, progress=report)
    if test and model.n_components_ > 1:
        with working("bootstrap test") as report:
            tested = model.likelihood_ratio_test(n_replications=replications or TESTS, progress=report)
    return compared, bounds, tested


def _write(
    model: "FiniteMixture",
    compared: "Comparison",
    bounds: "Intervals | None",
    outputs: dict[str, str | None],
    options: dict[str, Any],
) -> None:
    """Write the model, the profiles and the comparison to the files that were named."""
    if (output := outputs["--output"]) is not None:
        save(model, output)
    if (profiles := outputs["--profiles"]) is not None:
        from ..estimators._latent_summary import profile_grid

        write_table(model.profile_table(bounds), profile_grid(model._fitted, bounds), profiles, **options)
    if (comparison := outputs["--comparison"]) is not None:
        write_table(compared, compared.grid(), comparison, **options)


def _memberships(model: "FiniteMixture", carried: list[str]) -> "ColumnDict":
    """Return the component of each row, and the probabilities of all."""
    from ..estimators._batches import outcome_columns

    component, *names = outcome_columns(model._fitted, carried)
    # People count components from 1.
    return {component: model.labels_ + 1, **dict(zip(names, model.memberships_.T, strict=True))}


def _draw(drawn: Any, source: TableArgument, kind: str, file: str) -> None:
    """Draw one kind of figure."""
    from .. import plot

    title = {"title": f"{Path(source.data).stem}: {len(drawn.labels_)} rows"} if kind == "profiles" else {}
    plot.KINDS[kind].from_estimator(drawn, **title).save(file)
