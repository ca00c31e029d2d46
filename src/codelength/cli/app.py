"""The command line as a whole: its commands, its errors and its exit codes."""

import sys
import warnings
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import CodelengthError, InvalidParameter
from .cluster import cluster
from .datasets import datasets
from .evaluate import evaluate
from .fit import fit
from .inspect import inspect
from .predict import predict
from .reproduce import reproduce
from .select import select

HELP = """Honest class probabilities and code lengths for categorical tables.

Tables are CSV, Parquet or ARFF files; [bold]-[/bold] is standard input or output.

Examples:

  codelength fit train.csv --target play -o model.json

  codelength predict model.json new.csv -o predictions.csv

  codelength evaluate train.csv --target play --cv 10 --repeats 10

  codelength inspect model.json

  codelength cluster animals.csv --drop name -o clusters.csv

  codelength select train.csv --target play -o model.json

  codelength reproduce predictive-inference --quick
"""

app = typer.Typer(
    name="codelength",
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
)
app.command()(fit)
app.command()(predict)
app.command()(evaluate)
app.command()(inspect)
app.command()(cluster)
app.command()(select)
app.command()(reproduce)
app.add_typer(datasets)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"codelength {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line: exit code 0, 1 for a problem with the data, 2 for one with the call."""
    warnings.showwarning = _show_warning
    try:
        app()
    except CodelengthError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2 if isinstance(error, InvalidParameter) else 1)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    typer.echo(f"warning: {message}", err=True)
