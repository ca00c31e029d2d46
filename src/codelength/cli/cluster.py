"""``codelength cluster``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..blocks import Paragraph
from . import options
from .choices import FILE, MIXTURE_CRITERION, Whole
from .command import command
from .models import build, given
from .output import print_json, show
from .progress import working
from .saving import check_outputs, save
from .source import Source

if TYPE_CHECKING:
    from ..estimators import FiniteMixture

KIND = "finite-mixture"


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
@options.cells
@options.identifiers
@options.seed
@options.param
@options.model_output(required=False)
@options.in_output(
    "--memberships",
    FILE,
    "Write the component of each row and the probabilities of all here, as .csv, .csv.gz, .tsv or .parquet; "
    "- for standard output.",
)
@options.in_output(
    "--figure", FILE, "Draw the profiles of the components here, as an .svg, .png or .pdf file."
)
@options.as_json
def cluster(
    source: Source,
    params: tuple[str, ...],
    output: str | None,
    memberships: str | None,
    figure: str | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Find hidden classes in a table, and how many there are (possibly one).

    Prints the code length of every number of components tried (the shortest is best) and the probability of
    each value in each component. Bundled tables are clustered without their class.

    \b
    Examples:
      codelength cluster zoo
      codelength cluster vote --memberships clusters.csv --figure clusters.svg
    """
    model: Any = build(KIND, given([KIND], chosen, params))
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
