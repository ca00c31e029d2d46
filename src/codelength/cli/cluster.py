"""``codelength cluster``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidParameter, SchemaMismatch
from .options import Absent, AsJson, Missing, Numeric, Prior, prior_of
from .output import decimals, print_json, print_table

if TYPE_CHECKING:
    from ..estimators import FiniteMixture
    from ..table.files.readers import ColumnDict


def cluster(
    data: Annotated[str, typer.Argument(help="A table, a bundled one's name, or - for standard input.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Where to write the memberships.", show_default=False)
    ] = None,
    components: Annotated[str, typer.Option(help="How many components, or auto.", metavar="NUMBER")] = "auto",
    criterion: Annotated[
        str,
        typer.Option(
            help="cheeseman_stutz, cheeseman_stutz_soft, bic, aic, neighbourhood, annealed or exact.",
            metavar="CRITERION",
        ),
    ] = "cheeseman_stutz",
    drop: Annotated[
        list[str] | None,
        typer.Option(help="A column to leave out, such as the class. Repeatable.", show_default=False),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Where to write the model as well.", show_default=False)
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Where to draw the profiles: an .svg, .png or .pdf file.", show_default=False),
    ] = None,
    prior: Prior = "uniform",
    starts: Annotated[int, typer.Option(help="Random starts for each number of components.")] = 20,
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0,
    missing: Missing = "ignore",
    numeric: Numeric = "auto",
    na: Absent = None,
    as_json: AsJson = False,
) -> None:
    """Find hidden classes in a table, and how many there are.

    Prints the code length of every number of components tried (shortest is best) and the profile of each
    component; writes the component of every row and its probabilities.

    Example:

      codelength cluster animals.csv --drop name -o clusters.csv --figure clusters.svg
    """
    from ..estimators import FiniteMixture

    if figure is not None:
        from ..report.figures import check_name

        check_name(figure)
    columns = _read(data, drop or [], na)
    model = FiniteMixture(
        _number(components),
        criterion=criterion,  # type: ignore[arg-type]
        prior=prior_of(prior),
        n_init=starts,
        missing=missing,  # type: ignore[arg-type]
        numeric=numeric,  # type: ignore[arg-type]
        random_state=seed,
    ).fit(columns)
    if save is not None:
        model.save(save)
    if figure is not None:
        from ..report.figures import draw_profiles

        draw_profiles(model, figure, title=f"{Path(data).stem}: {len(model.labels_)} rows")
    if output is not None:
        _write(model, columns, output)
    if as_json:
        print_json(_document(model, data))
    elif output != "-":
        _show(model, data, len(model.labels_))


def _read(data: str, drop: list[str], na: list[str] | None) -> "ColumnDict":
    from .. import datasets
    from ..table.files.readers import read_columns, suggestion

    if data in datasets.names():
        columns: dict[str, Any] = dict(datasets.load(data, backend="columns").frame)
    else:
        columns = dict(read_columns(data, na=na or ()))
    for name in drop:
        if name not in columns:
            raise SchemaMismatch(f"{data}: has no column {name!r} to drop{suggestion(name, columns)}")
        del columns[name]
    return columns


def _number(components: str) -> Any:
    if components == "auto":
        return components
    if not components.isdigit() or components == "0":
        raise InvalidParameter(f"--components {components!r}: expected a whole number of at least 1, or auto")
    return int(components)


def _write(model: "FiniteMixture", columns: "ColumnDict", output: str) -> None:
    from ..table.files.writers import open_writer

    probs = model.predict_proba(columns)
    names = [f"p_{k + 1}" for k in range(model.n_components_)]
    with open_writer(output, ["component", *names]) as writer:
        writer.write({"component": model.labels_ + 1} | {name: probs[:, k] for k, name in enumerate(names)})


def _document(model: "FiniteMixture", data: str) -> dict[str, Any]:
    return {
        "data": data,
        "components": model.n_components_,
        "criterion": model.criterion,
        "code_lengths_nats": model.criterion_path_,
        "component_probs": model.parameters_.class_probs.tolist(),
        "profiles": {
            name: {str(value): probs.tolist() for value, probs in values.items()}
            for name, values in model.profiles().items()
        },
    }


def _show(model: "FiniteMixture", data: str, n_rows: int) -> None:
    shortest = min(model.criterion_path_.values())
    print_table(
        f"{data}: {n_rows} rows, code length by {model.criterion}",
        ["components", "nats", "above the best", ""],
        [
            [
                str(size),
                decimals(length, 1),
                decimals(length - shortest, 1),
                "*" if length == shortest else "",
            ]
            for size, length in model.criterion_path_.items()
        ],
    )
    names = [f"{k + 1}" for k in range(model.n_components_)]
    rows = [["all", "share of rows", *(f"{p:.2f}" for p in model.parameters_.class_probs)]]
    for name, values in model.profiles().items():
        for position, (value, probs) in enumerate(values.items()):
            shown = "missing" if value is None else str(value)
            rows.append(["" if position else name, shown, *(f"{p:.2f}" for p in probs)])
    print_table("probability of each value in each component", ["variable", "value", *names], rows, n_text=2)
