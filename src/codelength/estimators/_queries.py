"""Questions about several variables at once, for models that have a joint distribution."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import CodelengthError, DataError, UndefinedPrediction
from ..naive_bayes.answer import Answer
from ..naive_bayes.query import Question
from ..sources import as_table, known_rows
from ..table import Coded, Schema, Table, encode
from ..table._messages import shown, tell
from ..table.checks import check_same_rows
from ..table.column import Column, Factor
from ..table.table import as_column
from ..table.target import column_named
from ..typing import IntArray
from .contract import TableEstimator


class Known(NamedTuple):
    """What is known in some rows.

    Attributes
    ----------
    coded : Coded
        The rows, with missing cells where a variable is asked about.
    classes : array of shape (n_rows,)
        Codes of the classes; -1 where a class is not known, or asked about.
    """

    coded: Coded
    classes: IntArray


class JointModel(TableEstimator):
    """A model that knows how all its variables vary together."""

    def query(self, X: Any, variables: Any, y: Any = None) -> Answer:
        """The joint distribution of a few variables, given whatever else is known in each row.

        Cells that are missing, and not asked about, are summed out.

        Parameters
        ----------
        X : Table, data frame, array, or mapping of names to columns
            What is known. The variables asked about need not be there, and what they hold is not looked at.
        variables : name or names
            The variables to ask about, in this order; the class may be one of them.
        y : series, array or name of a column of X, optional
            The classes as far as they are known, None where they are not. By default the target of a
            :class:`codelength.Table`, or the column of ``X`` that has the name of the class, if there is one.

        Returns
        -------
        Answer
            ``probs``, one axis per variable after that of the rows; ``marginals``; ``most_probable``.

        Raises
        ------
        Infeasible
            Where there are more than 100,000 combinations of values.
        """
        question = self.question(variables)
        known = self._known(question, X, y)
        question.check_rows(known.coded.n_rows)
        answer = self._answer(question, known)
        self._tell_unanswered(answer)
        return answer

    def _tell_unanswered(self, answer: Answer) -> None:
        """Say where the definition gives 0/0."""
        if answer.undefined.any():
            n_undefined = np.count_nonzero(answer.undefined)
            tell(
                f"{n_undefined} of {len(answer.undefined)} rows: what is known there has probability zero "
                "(0/0); the uniform distribution stands in, undefined tells where",
                UndefinedPrediction,
            )

    def question(self, variables: Any) -> Question:
        """The variables of a question, checked, and the values that the model tells apart."""
        return Question.of(self.schema_, variables)

    def _answer(self, question: Question, known: Known) -> Answer:
        """The answer of the fitted model."""
        raise NotImplementedError

    def _known(self, question: Question, X: Any, y: Any) -> Known:
        """What is known in some rows."""
        schema = self.schema_
        table = as_table(known_rows(schema, X))
        table, target = _class_column(table, schema, y)
        if table.named and self._fitted.named:
            table = _with_blanks(table, schema, question)
        coded = question.blanked(self._coded(replace(table, target=None)))
        classes = np.full(coded.n_rows, -1, dtype=np.int64)
        if target is not None and question.class_axis is None:
            of_classes = Schema((schema.with_class_as_variable().variables[-1],))
            column = Table((replace(target, name=of_classes.names[0]),), table.n_rows)
            handle_unknown = self._fitted.params["handle_unknown"]
            codes = encode(of_classes, column, handle_unknown=handle_unknown).codes[:, 0].astype(np.int64)
            classes = np.where(codes < schema.n_classes, codes, -1)
        return Known(coded, classes)


def _class_column(table: Table, schema: Schema, y: Any) -> tuple[Table, Column | None]:
    """The table without the column of the class, and that column, if there is one."""
    if schema.target is None:
        return table, None
    y = column_named(y)
    if isinstance(y, str):
        return table.drop([y]), table.column(y)
    if y is not None:
        column = _known_classes(schema.target.name, y)
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
    """Classes of which some may be missing, as a column."""
    try:
        return as_column(name, y)
    except CodelengthError:
        raise
    except Exception:  # what foreign objects raise is up to them
        raise DataError(
            f"y={shown(y)} of type {type(y).__name__}: expected one class per row, None where it is not known"
        ) from None


def _with_blanks(table: Table, schema: Schema, question: Question) -> Table:
    """The table in which the columns asked about are there, and blank."""
    asked = {schema.names[i] for i in question.columns}
    nothing = np.full(table.n_rows, -1)
    kept = tuple(column for column in table.columns if column.name not in asked)
    blank = tuple(Factor(name, nothing, ()) for name in schema.names if name in asked)
    return replace(table, columns=(*kept, *blank), array=None)
