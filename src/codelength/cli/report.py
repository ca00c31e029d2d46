"""``codelength report``.

The page is made by :mod:`codelength.reporting`. The command checks first that the page can be written,
prints the main result as one sentence, and records the command line on the page.
"""

import os
import shlex
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..blocks import Paragraph
from ..errors import DataError, InvalidParameter
from . import options
from .choices import FILE
from .command import command, section
from .output import print_json, show
from .progress import working
from .saving import check_outputs
from .source import TableArgument

if TYPE_CHECKING:
    from ..reporting.results import Analysis, LatentAnalysis

in_page = section("Page")


@command("Make a page about a table: one HTML file.")
@options.target
@options.optional_table
@in_page("--latent", None, "Leave the target out, and look for hidden classes in the other columns.")
@in_page("--rows", None, "Show what surprising rows contain; otherwise names, categories and counts.")
@in_page("--title", "TEXT", "Title of the page.")
@options.seed
@options.in_output("--output -o", FILE, "Write the page here.", default="report.html")
@options.as_json
def report(
    source: TableArgument | None,
    latent: bool,
    rows: bool,
    title: str | None,
    seed: int | None,
    output: str,
    as_json: bool,
) -> None:
    """Make a page about a table: how well its class can be predicted, by what, and from what.

    The page is one HTML file that needs no network: the models compared, whether their probabilities can be
    trusted, whether more rows would help, the variables by bits about the class, surprising rows, a what-if
    for new cases, and a first look at hidden classes. Without --target, or with --latent, the page is about
    hidden classes alone; bundled tables have a target.

    \b
    Examples:
      codelength report vote -o vote.html
      codelength report train.csv --target play --rows
      codelength report zoo --latent -o zoo.html
    """
    # Checked first: an analysis takes seconds, and should not fail at its very end.
    _check_place(output)
    if source is None:
        raise InvalidParameter("DATA is missing: name a table")
    check_outputs({"--output": output}, source.files, as_json=False)
    if latent and source.target is not None and not source.is_bundled:
        # A bundled table leaves out its class by itself if no target is needed; a file does not.
        source = replace(source, target=None, drop=(*source.drop, source.target))
    has_target = not latent and (source.target is not None or source.is_bundled)
    if rows and not has_target:
        raise InvalidParameter("--rows: a page about hidden classes shows no rows; leave it out")
    table = source.read(needs_target=has_target)
    if table.name is None or source.data == "-":
        table = replace(table, name=source.data)
    from ..reporting import report as page_of
    from ..reporting.analyse import analyse
    from ..reporting.results import Analysis
    from ..reporting.sections.hidden_classes import analyse_classes

    made: Analysis | LatentAnalysis
    with working("analysing") as progress:
        if has_target:
            made = analyse(table, rows=rows, random_state=seed or 0, progress=progress)
        else:
            made = analyse_classes(table, random_state=seed or 0, progress=progress)
        # The page shows the command as typed, with its options, not the one derived from the table.
        page = page_of(replace(made, command=_command(output, source.data, *source.files)), title=title)
        page.save(output)
    n_bytes = os.stat(output).st_size
    if as_json:
        print_json({"data": source.data, "page": output, "bytes": n_bytes, **_figures(made)})
    else:
        wrote = f"Wrote {output} ({max(round(n_bytes / 1000), 1):,} kB)."
        show([Paragraph(_sentence(made)), Paragraph(wrote)])


def _check_place(output: str) -> None:
    """Raise if a page cannot be written to the output."""
    if output == "-":
        raise InvalidParameter("--output: a page goes into a file; name one, such as report.html")
    parent = Path(output).absolute().parent
    if not parent.is_dir():
        raise DataError(f"{output}: the directory {parent} does not exist; create it first")


def _sentence(made: "Analysis | LatentAnalysis") -> str:
    """Return the main result as one sentence."""
    from ..reporting.results import Analysis

    if isinstance(made, Analysis):
        from ..reporting.sections.answer import in_words

        return in_words(made)
    n_classes = made.comparison.chosen
    if n_classes == 1:
        return "There are no hidden classes: one class describes the rows best."
    return f"There are {n_classes} hidden classes."


def _figures(made: "Analysis | LatentAnalysis") -> dict[str, Any]:
    """Return the figures of an analysis as JSON types."""
    from ..reporting.results import Analysis

    if isinstance(made, Analysis):
        found = {
            "target": made.table.target,
            "best": made.best,
            "prior_bits": made.prior_bits,
            "gain_bits": asdict(made.gain),
            "accuracy": asdict(made.accuracy),
            "calibration_error": asdict(made.calibration),
            "models": [asdict(model) for model in made.models],
            "variables": [
                {
                    "name": variable.name,
                    "bits_alone": variable.bits_alone and asdict(variable.bits_alone),
                    "bits_given_others": variable.bits_given_others and asdict(variable.bits_given_others),
                }
                for variable in made.variables
            ],
        }
    else:
        found = {
            "classes": made.comparison.chosen,
            "shares": made.model.parameters_.class_probs.tolist(),
            "comparison": made.comparison.to_json(),
        }
    return {"rows": made.table.n_rows, **found, "seed": made.seed, "seconds": made.seconds}


def _command(*paths: str) -> str:
    """Return the command that was typed, without the directories of files, because pages are passed on."""
    from ..reporting.words import file_name

    words = sys.argv[1:]
    # Longest first: one path can be the beginning of another.
    for path in sorted(paths, key=len, reverse=True):
        words = [word.replace(path, file_name(path)) for word in words]
    return shlex.join(["codelength", *words])
