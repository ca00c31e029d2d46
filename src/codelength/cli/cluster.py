"""``codelength cluster``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..blocks import Paragraph
from .choices import FILE, MIXTURE_CRITERION, Whole
from .command import command, option
from .models import build, given
from .options import (
    MODEL_SECTION,
    OUTPUT_SECTION,
    as_json_option,
    cell_options,
    identifiers_option,
    model_output_option,
    param_option,
    prior_option,
    seed_option,
    table_options,
)
from .output import print_json, show
from .progress import working
from .saving import check_outputs, save
from .source import Source

if TYPE_CHECKING:
    from ..estimators import FiniteMixture

KIND = "finite-mixture"


@command("Find hidden classes in a table.")
@table_options
@option(
    "--components",
    metavar="NUMBER|auto",
    type=Whole("components", words=("auto",)),
    section=MODEL_SECTION,
    usual="auto",
    help="How many components; auto finds the number with the shortest code length.",
)
@option(
    "--criterion",
    metavar="NAME",
    type=MIXTURE_CRITERION,
    section=MODEL_SECTION,
    usual="cheeseman_stutz",
    help="The code length that chooses.",
)
@prior_option
@option(
    "--starts",
    metavar="NUMBER",
    type=Whole("starts"),
    section=MODEL_SECTION,
    usual="20",
    help="Random starts for each number of components.",
)
@cell_options
@identifiers_option
@seed_option
@param_option
@model_output_option(required=False)
@option(
    "--memberships",
    metavar="FILE",
    type=FILE,
    section=OUTPUT_SECTION,
    help="Write the component of each row and the probabilities of all here, as .csv, .csv.gz, .tsv or "
    ".parquet; - for standard output.",
)
@option(
    "--figure",
    metavar="FILE",
    type=FILE,
    section=OUTPUT_SECTION,
    help="Draw the profiles of the components here, as an .svg, .png or .pdf file.",
)
@as_json_option
def cluster(
    source: Source,
    params: tuple[str, ...],
    output: str | None,
    memberships: str | None,
    figure: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Find hidden classes in a table, and how many there are (possibly one).

    Prints the code length of every number of components tried (the shortest is best) and the probability of
    each value in each component. Bundled tables are clustered without their class.

    \b
    Examples:
      codelength cluster zoo
      codelength cluster vote --memberships clusters.csv --figure clusters.svg
    """
    model: Any = build(KIND, given([KIND], options, params))
    outputs = {"--output": output, "--memberships": memberships, "--figure": figure}
    check_outputs(outputs, source.files, as_json=as_json)
    if figure is not None:
        from ..report.figures import check_name

        check_name(Path(figure))
    table = source.read(needs_target=False)
    with working("clustering"):
        model.fit(table)
    _write(model, source, outputs)
    if as_json:
        print_json({"data": source.data, "rows": table.n_rows, **model.summary_document()})
    elif "-" not in outputs.values():
        written = [name for name in outputs.values() if name is not None]
        show([*model.summary(), *([Paragraph(f"Wrote {', '.join(written)}.")] if written else [])])


def _write(model: "FiniteMixture", source: Source, outputs: dict[str, str | None]) -> None:
    if (output := outputs["--output"]) is not None:
        save(model, output)
    if (figure := outputs["--figure"]) is not None:
        from ..report.figures import draw_profiles

        draw_profiles(model, figure, title=f"{Path(source.data).stem}: {len(model.labels_)} rows")
    if (memberships := outputs["--memberships"]) is not None:
        from ..table.files.writers import open_writer

        probs = model.memberships_
        names = [f"p_{number}" for number in model.outcome_names]
        with open_writer(memberships, [model.outcome, *names]) as writer:
            columns = {name: probs[:, k] for k, name in enumerate(names)}
            writer.write({model.outcome: model.labels_ + 1} | columns)
