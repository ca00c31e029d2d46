"""``codelength reproduce``."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidParameter
from .options import AsJson
from .output import print_json, print_table

if TYPE_CHECKING:
    from ..experiments.findings import Findings
    from ..experiments.run import Outcome, Progress
    from ..experiments.spec import AnyCell, Spec

PAPER_HELP = (
    "predictive-inference, sc-approximations, bayes-optimal-ibl, prequential-selection, "
    "indifferent-naive-bayes, or all."
)
SETTINGS_HELP = (
    "Another choice where the paper leaves one open: bins=4, discretization=kmeans|frequency|width, "
    "learned=whole|train, missing=value|ignore, floor=100|none, map_pseudocount=0.002, sc_power=0.72, "
    "repeats=20, folds=10, seed=1. Repeatable."
)


def reproduce(
    paper: Annotated[str, typer.Argument(help=PAPER_HELP)],
    quick: Annotated[bool, typer.Option("--quick", help="Run few repetitions, for a first look.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(help="Processes; one for each processor by default.", min=1, show_default=False),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--settings", help=SETTINGS_HELP, metavar="KEY=VALUE", show_default=False),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Directory of results, one directory a paper.")
    ] = "results",
    dask: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler to run on, tcp://host:port.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the experiments of a paper afresh and set our figures beside the printed ones.

    Tables, figures and claims are printed and written as CSV, JSON and SVG. A run that was stopped goes on
    where it stopped when the same command is given again.

    Example:

      codelength reproduce predictive-inference --quick
    """
    from ..experiments.papers import PAPERS, specify
    from ..report.files import as_document

    keys = list(PAPERS) if paper == "all" else [paper]
    # All are checked before the first is run.
    specs = [specify(key, quick=quick, settings=settings or (), strict=paper != "all") for key in keys]
    documents = []
    for spec in specs:
        start = time.perf_counter()
        findings, outcome, place, paths = _run(spec, output, jobs, dask)
        if as_json:
            documents.append(as_document(findings) | {"directory": str(place)})
        else:
            _show(findings)
            _tell(spec, outcome, place, paths, time.perf_counter() - start)
    if as_json:
        print_json(documents if paper == "all" else documents[0])


def _run(
    spec: "Spec[AnyCell]", output: str, jobs: int | None, dask: str | None
) -> "tuple[Findings, Outcome, Path, list[Path]]":
    from ..experiments.papers import directory_name, find
    from ..experiments.run import run
    from ..report import write
    from ..report.figures import draw

    place = Path(output) / directory_name(spec)
    with _progress(spec.paper) as progress:
        outcome = run(spec, place, jobs=jobs, dask=dask, progress=progress)
    findings = find(spec, outcome.results)
    paths = write(findings, place)
    try:
        paths += draw(findings, place)
    except InvalidParameter as error:
        typer.echo(f"warning: {error}", err=True)
    return findings, outcome, place, paths


@contextmanager
def _progress(name: str) -> "Iterator[Progress]":
    """A bar with the time left on the terminal, and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns: list[Any] = [TextColumn(name), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(name, total=None)
        try:
            yield lambda done, total: bar.update(task, completed=done, total=total)
        except KeyboardInterrupt:
            console.print("stopped; finished cells are kept, and the same command goes on from them")
            raise


def _show(findings: "Findings") -> None:
    from ..report import tables_of

    typer.secho(f"\n{findings.title}", bold=True)
    typer.echo(findings.citation)
    if findings.quick:
        typer.echo("QUICK RUN with few repetitions: for a look, not for comparison.")
    if findings.changed:
        typer.echo(f"Settings changed: {', '.join(findings.changed)}.")
    for grid in tables_of(findings):
        print_table(grid.title, grid.names, grid.rows, n_text=grid.n_text)
    for note in findings.notes:
        typer.echo(f"- {note}")


def _tell(spec: "Spec[AnyCell]", outcome: "Outcome", place: Path, paths: list[Path], seconds: float) -> None:
    from ..experiments.papers import paper_of

    found = len(spec.cells) - outcome.n_run
    kept = f" ({found} of {len(spec.cells)} cells were there already)" if found else ""
    rate = outcome.n_items / max(outcome.seconds, 1e-9)
    typer.echo(
        f"{outcome.n_items:,} {paper_of(spec.paper).unit} in {seconds:.1f} s{kept}; "
        f"{rate:,.0f} a second and process. Wrote {len(paths)} files in {place}."
    )
