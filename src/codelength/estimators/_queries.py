"""Queries about several variables at once: the known cells of rows, and warnings."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CodelengthError, DataError, UndefinedPrediction
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Known, Question
from ..sources import as_table, known_rows
from ..table import Coded, Schema, Table, encode
from ..table._messages import shown, tell
from ..table.checks import check_same_rows
from ..table.column import Column, Factor
from ..table.table import as_column
from ..table.target import column_named

if TYPE_CHECKING:
    from ._fitted import Fitted


def known_in(
    fitted: "Fitted", encode_rows: Callable[[Table], Coded], question: Question, X: Any, y: Any
) -> Known:
    """Return the known cells and classes of rows, without the variables of the question.

    Parameters
    ----------
    fitted : Fitted
        The fitted model.
    encode_rows : function
        Encodes a table under the options of the fit.
    question : Question
        The variables asked about.
    X, y
        The rows, and the classes as far as they are known; see :meth:`TableEstimator.query`.

    Returns
    -------
    Known
        Codes in which the variables of the question are missing, and codes of classes, -1 if unknown.
    """
    schema = fitted.schema
    table = as_table(known_rows(schema, X))
    table, target = _class_column(table, schema, y)
    if table.named and fitted.named:
        table = _with_blanks(table, schema, question)
    coded = question.blanked(encode_rows(replace(table, target=None)))
    question.check_rows(coded.n_rows)
    classes = np.full(coded.n_rows, -1, dtype=np.int64)
    # A class that is asked about stays unknown, even if a column holds it.
    if target is not None and question.class_axis is None:
        # Encoded as a variable, whose cells may be missing; those of a target may not.
        of_classes = Schema((schema.with_class_as_variable().variables[-1],))
        column = Table((replace(target, name=of_classes.names[0]),), table.n_rows)
        codes = encode(of_classes, column, handle_unknown=fitted.params["handle_unknown"]).codes[:, 0]
        classes = np.where(codes < schema.n_classes, codes.astype(np.int64), -1)
    return Known(coded, classes)


def tell_unanswered(answer: Answer) -> None:
    """Warn if the definition gives 0/0."""
    if answer.undefined.any():
        n_undefined = np.count_nonzero(answer.undefined)
        tell(
            f"{n_undefined} of {len(answer.undefined)} rows: what is known there has probability zero "
            "(0/0); the uniform distribution stands in, undefined tells where",
            UndefinedPrediction,
        )


def _class_column(table: Table, schema: Schema, y: Any) -> tuple[Table, Column | None]:
    """Return the table without the column of the class, and that column, if there is one.

    Parameters
    ----------
    table : Table
        The rows.
    schema : Schema
        The schema of the model.
    y : series, array, name of a column or None
        As in :meth:`TableEstimator.query`.
    """
    if schema.target is None:
        return table, None
    # An explicit y goes first, then the target of the table, then a column with the name of the class.
    y = column_named(y)
    if isinstance(y, str):
        return table.drop([y]), table.column(y)
    if y is not None:
        column = _known_classes(schema.target.name, y)
        # A table without columns, such as {}, has as many rows as y: nothing is known but the classes.
        if table.columns or table.n_rows:
            check_same_rows(table.n_rows, len(column.missing))
        return replace(table, n_rows=len(column.missing)), column
    if table.target is not None:
        return table, table.target
    name = schema.target.name
    if table.named and name in table.names and name not in schema.names:
        return table.drop([name]), table.column(name)
    return table, None


def _known_classes(name: str, y: Any) -> Column:
    """Return classes as a column, in which cells may be missing."""
    try:
        return as_column(name, y)
    except CodelengthError:
        raise
    except Exception:  # what foreign objects raise is up to them
        raise DataError(
            f"y={shown(y)} of type {type(y).__name__}: expected one class per row, None where it is not known"
        ) from None


def _with_blanks(table: Table, schema: Schema, question: Question) -> Table:
    """Return the table with a blank column for every variable of the question.

    Encoding by name requires all columns of the schema; those asked about may be absent from the rows.
    """
    asked = {schema.names[i] for i in question.columns}
    nothing = np.full(table.n_rows, -1)
    kept = tuple(column for column in table.columns if column.name not in asked)
    blank = tuple(Factor(name, nothing, ()) for name in schema.names if name in asked)
    return replace(table, columns=(*kept, *blank), array=None)
