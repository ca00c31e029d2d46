"""``codelength reproduce``."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..blocks import Paragraph
from . import options
from .choices import EXPERIMENT, SETTING, Whole
from .command import argument, command, section
from .output import print_json, show
from .progress import working

if TYPE_CHECKING:
    from codelength_lab import Reproduction

in_run = section("Run")


@command("Run the experiments of a paper again, or our own.")
@argument("experiment", metavar="EXPERIMENT", type=EXPERIMENT, purpose="The experiment.")
@in_run("--quick", None, "Run few repetitions, for a first look.")
@in_run("--settings", SETTING, "Change a setting that the paper leaves open.", multiple=True)
@in_run(
    "--jobs",
    Whole("jobs"),
    "Processes. The results do not depend on it.",
    usual="one per processor",
)
@in_run(
    "--dask",
    "ADDRESS",
    "Run on a Dask cluster whose scheduler is at this address, such as tcp://host:8786.",
)
@options.in_output(
    "--output -o",
    "DIRECTORY",
    "Directory for the results, with one directory per experiment.",
    type=click.Path(),
    default="results",
)
@options.as_json
def reproduce(
    experiment: str,
    quick: bool,
    settings: tuple[str, ...],
    jobs: int | None,
    dask: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Repeat the experiments of a paper and set our figures beside the printed ones, or run one of our own.

    Tables, figures and claims are printed, and written as CSV, JSON and SVG. Repeat the command to resume an
    interrupted run.

    \b
    Example:
      codelength reproduce predictive-inference --quick
    """
    from codelength_lab import EXPERIMENTS
    from codelength_lab import pages as reports
    from codelength_lab import reproduce as run
    from codelength_lab.registry import specify

    keys = list(EXPERIMENTS) if experiment == "all" else [experiment]
    # All are checked before the first is run.
    specs = [specify(key, quick=quick, settings=settings, strict=experiment != "all") for key in keys]
    documents = []
    for spec in specs:
        start = time.perf_counter()
        with working(spec.experiment) as progress:
            try:
                made = run(spec, directory=output, jobs=jobs, dask=dask, progress=progress)
                paths = reports.save(made.findings, made.directory)
            except KeyboardInterrupt:
                raise KeyboardInterrupt("; repeat the command to resume") from None
        if as_json:
            documents.append(reports.as_document(made.findings) | {"directory": str(made.directory)})
        else:
            told = _told(made, paths, time.perf_counter() - start)
            show([*reports.blocks_of(made.findings), Paragraph(told)])
    if as_json:
        print_json(documents if experiment == "all" else documents[0])


def _told(made: "Reproduction", paths: list[Path], seconds: float) -> str:
    """Describe the tasks, their time and the files written."""
    n_tasks = len(made.outcome.results)
    found = n_tasks - made.outcome.n_run
    kept = f" ({found} of {n_tasks} tasks were there already)" if found else ""
    return f"{n_tasks} tasks in {seconds:.1f} s{kept}. Wrote {len(paths)} files in {made.directory}."
