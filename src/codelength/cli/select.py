"""``codelength select``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidParameter
from .options import Absent, AsJson, Missing, Numeric, Prior, Target, prior_of, read_with_target
from .output import decimals, print_json, print_table

if TYPE_CHECKING:
    from ..estimators.mixture_classifier import MixtureClassifier

CRITERIA_HELP = (
    "prequential, prequential_best, leave_one_out, best_first, worst_last, best_last, worst_first, "
    "best_ordering, evidence or evidence_with_clustering."
)

COMPARED = ("prequential", "leave_one_out", "evidence")
"""Criteria that are printed beside the one that chooses."""


def select(
    data: Annotated[str, typer.Argument(help="A table, a bundled one's name, or - for standard input.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write the model.", show_default=False)
    ] = None,
    target: Target = None,
    criterion: Annotated[str, typer.Option(help=CRITERIA_HELP, metavar="CRITERION")] = "prequential",
    candidates: Annotated[int, typer.Option(help="How many clusterings to choose among.")] = 40,
    components: Annotated[
        str, typer.Option(help="How many clusters, or the least and the largest number.", metavar="NUMBERS")
    ] = "3-20",
    orderings: Annotated[int, typer.Option(help="Random orderings of the rows.")] = 10,
    average: Annotated[
        bool, typer.Option("--average", help="Average over candidates instead of keeping the best.")
    ] = False,
    without_class: Annotated[
        bool, typer.Option("--without-class", help="Cluster by the other columns alone.")
    ] = False,
    prior: Prior = "uniform",
    seed: Annotated[int, typer.Option(help="Seed of the clusterings and orderings.")] = 0,
    top: Annotated[int, typer.Option(help="How many candidates to print.", min=1)] = 10,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    na: Absent = None,
    as_json: AsJson = False,
) -> None:
    """Choose among mixtures by how well they predict the class.

    Clusterings of the rows by k-means and EM are scored by the code length of the classes, predicted row
    after row, and by other criteria beside it (nats, shortest is best). The best is kept, and written
    with -o.

    Example:

      codelength select train.csv --target play --criterion prequential -o model.json
    """
    from ..estimators.mixture_classifier import MixtureClassifier
    from ..table.target import target_column

    columns, classes, name = read_with_target(data, target, na)
    model = MixtureClassifier(
        criterion,  # type: ignore[arg-type]
        candidates=candidates,
        n_components=_range(components),
        n_orderings=orderings,
        average=average,
        with_class=not without_class,
        prior=prior_of(prior),
        missing=missing,  # type: ignore[arg-type]
        numeric=numeric,  # type: ignore[arg-type]
        random_state=seed,
    ).fit(columns, target_column(classes, name))
    if output is not None:
        model.save(output)
    if as_json:
        print_json(_document(model, data, len(classes), output))
    else:
        _show(model, f"{data}: {len(classes)} rows", top, output)


def _range(components: str) -> tuple[int, int]:
    least, _, largest = components.partition("-")
    if not least.isdecimal() or (largest and not largest.isdecimal()) or components.endswith("-"):
        raise InvalidParameter(
            f"--components {components!r}: expected a number of clusters, or a range such as 3-20"
        )
    return int(least), int(largest or least)


def _document(model: "MixtureClassifier", data: str, n_rows: int, output: Path | None) -> dict[str, Any]:
    return {
        "data": data,
        "model": None if output is None else str(output),
        "rows": n_rows,
        "variables": model.n_features_in_,
        "classes": list(model.schema_.classes),
        "criterion": model.criterion,
        "components": model.n_components_,
        "candidates": model.selection_table_,
    }


def _show(model: "MixtureClassifier", title: str, top: int, output: Path | None) -> None:
    table = model.selection_table_
    # Few enough for a narrow terminal; --json has them all.
    shown = list(dict.fromkeys((model.criterion, *COMPARED)))
    least = {name: min(row[name] for row in table) for name in shown}
    rows = [
        [
            str(row["candidate"] + 1),
            row["method"],
            str(row["n_components"]),
            *(f"{decimals(row[name], 1)}{'*' if row[name] == least[name] else ' '}" for name in shown),
            *([f"{row['weight']:.3f}"] if model.average else []),
        ]
        for row in table[:top]
    ]
    typer.echo(f"{title}, {len(table)} distinct candidates")
    print_table(
        f"code lengths in nats, the best by {model.criterion} first (* shortest of all)",
        ["number", "method", "clusters", *(name.replace("_", " ") for name in shown)]
        + ["weight"] * model.average,
        rows,
        n_text=2,
    )
    if output is not None:
        typer.echo(f"{output}: {model.n_components_} clusters, {len(model.classes_)} classes")
