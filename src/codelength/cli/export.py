"""``codelength export``."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from .._files import atomic_write
from ..errors import InvalidParameter
from . import options
from .choices import DIALECT, EXPORT, FILE
from .command import argument, command, section
from .saving import check_outputs

if TYPE_CHECKING:
    from ..estimators import Capability, TableClassifier

in_sql = section("SQL")


@command("Write a model for other programs: SQL, ONNX, JSON or a network.")
@argument("model", metavar="MODEL", type=FILE, purpose="A model file written by fit.")
@options.in_output("--to", EXPORT, "What to write.", required=True)
@in_sql("--dialect", DIALECT, "Engine that the statement is for.", usual="duckdb")
@in_sql("--table", "NAME", "Table to predict, such as orders or shop.orders.", usual="rows")
@in_sql("--keep", "COLUMN", "Column of the table to keep next to the predictions.", multiple=True)
@in_sql("--name", "NAME", "Name of the predicted column.", usual="class")
@options.in_output("--output -o", FILE, "Write it here; - for standard output.", default="-")
def export(model: str, to: str, output: str, **sql: Any) -> None:
    """Write a model for other programs, which then predict the same.

    sql is one statement from the raw columns of a table to the class and its probabilities. onnx is a graph
    for ONNX runtimes. scorer is a JSON document of look-up tables, with readers in Python and JavaScript.
    These three take naive-bayes, log-ratios, subsets, best-tree and averages of them. bif and xmlbif are
    Bayesian networks; they take naive-bayes, best-tree, and indifferent-trees of one forest.

    \b
    Examples:
      codelength fit vote --model naive-bayes -o vote.json
      codelength export vote.json --to sql --dialect postgres --table votes
      codelength export vote.json --to onnx -o vote.onnx
      codelength fit vote --model best-tree -o tree.json
      codelength export tree.json --to bif -o tree.bif
    """
    from ..estimators import MODELS, capabilities_of, constructor_of, load, model_names, name_of

    check_outputs({"--output": output}, [model], as_json=False)
    if to != "sql" and (odd := [option for option, value in sql.items() if value]):
        raise InvalidParameter(f"--{odd[0]} goes with --to sql; leave it out")
    if to == "onnx" and output == "-":
        raise InvalidParameter("--output: an ONNX graph goes into a file; name one, such as model.onnx")
    fitted = load(model)
    needed: Capability = "network" if to in ("bif", "xmlbif") else "export"
    what = {"network": "a Bayesian network", "export": "sums of look-ups"}
    # Members have one class and different capabilities; other models say themselves what they lack.
    is_member = name_of(fitted) not in MODELS
    if not hasattr(fitted, f"to_{to}") or (is_member and needed not in capabilities_of(fitted)):
        able = sorted(name for name in model_names() if needed in capabilities_of(constructor_of(name)()))
        raise InvalidParameter(
            f"{model}: predictions of {name_of(fitted)} are not {what[needed]}, which --to {to} needs; fit "
            f"--model with one of {', '.join(able)}"
        )
    content = _content(fitted, to, **sql)
    if output == "-":
        click.echo(content, nl=False, file=sys.stdout.buffer)
        return
    with atomic_write(output) as path:
        path.write_bytes(content)


def _content(
    fitted: "TableClassifier",
    to: str,
    *,
    dialect: Any,
    table: str | None,
    keep: Sequence[str],
    name: str | None,
) -> bytes:
    """Return the exported model as bytes."""
    if to == "onnx":
        return bytes(fitted.to_onnx().SerializeToString())
    if to in ("bif", "xmlbif"):
        return (fitted.to_bif() if to == "bif" else fitted.to_xmlbif()).encode()
    if to == "scorer":
        text = json.dumps(fitted.to_scorer(), allow_nan=False)
    else:
        parts, kept = (table or "rows").split("."), list(dict.fromkeys(keep))
        text = f"{fitted.to_sql(parts, dialect=dialect or 'duckdb', keep=kept, name=name)};"
    return f"{text}\n".encode()
