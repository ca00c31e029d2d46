"""``codelength fit``.

Each decorator of the command is one option, in the order of the help. Options become parameters of the
model by their names; see :func:`codelength.cli.models.given`.
"""

from typing import Any

from ..blocks import Paragraph
from . import options
from .choices import CRITERION, MODEL, RULE
from .command import command
from .models import build, check_capable, given, learn, means_naive_bayes
from .output import print_json, show
from .saving import check_outputs, save
from .source import TableArgument


@command("Learn a model from a table.")
@options.target
@options.any_table
@options.in_model(
    "--model",
    MODEL,
    "Kind of model; with --rule, --prior or --select the default is naive-bayes.",
    usual="model-average",
)
@options.in_model("--rule", RULE, "How naive Bayes turns counts into probabilities.", usual="evidence")
@options.prior_or_model
@options.select
@options.in_model(
    "--criterion",
    CRITERION,
    "The code length by which a mixture is chosen; each kind of mixture has its own.",
)
@options.cells
@options.identifiers
@options.seed
@options.param
@options.model_output(required=True)
@options.as_json
def fit(
    source: TableArgument,
    model: str | None,
    params: tuple[str, ...],
    output: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Learn a model from a table and write it to a file.

    By default the model is an average over several kinds of models, each weighted by how well it predicts
    rows that it has not seen. There is nothing to tune. Naive Bayes and mixtures read files of any size, and
    several files or a query, batch after batch.

    \b
    Examples:
      codelength fit vote -o vote.json
      codelength fit zoo --model mixture-classifier -o zoo.json
      codelength fit train.csv --target play --rule map -o model.json
      codelength fit june.csv --target play --prior may.json -o june.json
      codelength fit 'sales/*.parquet' -t paid --model naive-bayes -o paid.json
      codelength fit --sql 'from sales' --database shop.db -t paid -o paid.json
    """
    kind = model or ("naive-bayes" if means_naive_bayes(chosen, params) else "model-average")
    estimator = build(kind, given([kind], chosen, params))
    check_capable(estimator, source)
    check_outputs({"--output": output}, source.files, as_json=as_json)
    learn(estimator, source, kind)
    save(estimator, output)
    if as_json:
        print_json({"model": output, **estimator._summary_document()})
    elif output != "-":
        show([*estimator.summary(), Paragraph(f"Wrote {output}.")])
