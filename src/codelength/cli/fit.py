"""``codelength fit``."""

from typing import Any

from ..blocks import Paragraph
from .choices import CRITERION, MODEL, RULE
from .command import command, option
from .models import build, check_capable, given
from .options import (
    MODEL_SECTION,
    as_json_option,
    cell_options,
    identifiers_option,
    model_output_option,
    param_option,
    prior_option,
    seed_option,
    select_option,
    table_options,
    target_option,
)
from .output import print_json, show
from .progress import working
from .saving import check_outputs, save
from .source import Source


@command("Learn a model from a table.")
@target_option
@table_options
@option(
    "--model", metavar="NAME", type=MODEL, default="naive-bayes", section=MODEL_SECTION, help="Kind of model."
)
@option(
    "--rule",
    metavar="NAME",
    type=RULE,
    section=MODEL_SECTION,
    usual="evidence",
    help="How counts become probabilities.",
)
@prior_option
@select_option
@option(
    "--criterion",
    metavar="NAME",
    type=CRITERION,
    section=MODEL_SECTION,
    help="The code length by which a mixture is chosen; each kind of mixture has its own.",
)
@cell_options
@identifiers_option
@seed_option
@param_option
@model_output_option(required=True)
@as_json_option
def fit(
    source: Source, model: str, params: tuple[str, ...], output: str, as_json: bool, **options: Any
) -> None:
    """Learn a model from a table and write it to a file.

    \b
    Examples:
      codelength fit vote -o vote.json
      codelength fit zoo --model mixture-classifier -o zoo.json
      codelength fit train.csv --target play --rule map -o model.json
    """
    estimator = build(model, given([model], options, params))
    check_capable(estimator, source)
    check_outputs({"--output": output}, source.files, as_json=as_json)
    table = source.read(needs_target="classes" in estimator.capabilities)
    with working(f"fitting {model}"):
        estimator.fit(table)
    save(estimator, output)
    if as_json:
        print_json({"model": output, **estimator.summary_document()})
    elif output != "-":
        show([*estimator.summary(), Paragraph(f"Wrote {output}.")])
