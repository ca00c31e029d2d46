"""Tables to codes: rows to learn from with their schema, rows with a question about them, and checks.

The schema of a fit is settled here, before anything is counted: the declared one, or one inferred from the
rows that count. Rows of weight zero are dropped first, so their values and classes are not in it.

Order of reading: :class:`Reading`, then checks of classes, then :func:`known_in`, the known cells of rows in
a query. Depends on :mod:`codelength.table` and :mod:`codelength.sources`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CodelengthError, DataError, OneClass, SchemaMismatch, UndefinedPrediction
from ..naive_bayes.query import Answer, Known, Question
from ..sources import as_table, known_rows
from ..table import Coded, Schema, Table, Variable, encode, infer_schema
from ..table._messages import shown, tell
from ..table.checks import check_same_rows
from ..table.column import Column, Factor
from ..table.cutting import Cutting
from ..table.table import as_column, check_not_empty
from ..table.target import column_named, target_column
from ..typing import Scalar

if TYPE_CHECKING:
    from ._fitted import Fitted


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """The encoding of training tables under the parameters of an estimator.

    Attributes
    ----------
    params : mapping
        Parameters of the estimator, including those about columns and cells.
    schema : Schema, optional
        A schema that is declared before the rows are seen.
    cutting : Cutting, optional
        Intervals of columns of numbers, if not the default ones.
    """

    params: Mapping[str, Any]
    schema: Schema | None
    cutting: Cutting | None = None

    def table(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """Return the rows to learn from, without those of weight zero; arguments as those of ``fit``."""
        table = as_table(X)
        # Before y is looked at: for an empty X, a message about lengths of y would mislead. With a declared
        # schema, no rows are a valid table, whose model is the prior.
        if self.schema is None:
            check_not_empty(table)
        table = as_table(table, y, sample_weight).counted()
        if self.schema is None:
            check_not_empty(table)  # the target was the only column, perhaps
        return table

    def coded(self, table: Table, schema: Schema, **options: Any) -> Coded:
        """Encode rows to learn from; ``options`` of :func:`codelength.table.encode` take precedence."""
        # strict= of an estimator is about new rows; training columns must always match a declared schema.
        usual = {"training": True, "by_name": table.named, "handle_unknown": self.params["handle_unknown"]}
        return encode(schema, table, **(usual | options))

    def labelled(self, table: Table) -> Coded:
        """Encode rows to learn from, with their classes, under their schema."""
        return self.coded(table, self.schema_of(table))

    def inferred(self, table: Table) -> Schema:
        """Infer the schema of a table under the options about columns and cells."""
        options = {name: self.params[name] for name in ("missing", "numeric", "identifiers")}
        return infer_schema(table, cutting=self.cutting, **options)

    def schema_of(self, table: Table, classes: Any = None) -> Schema:
        """Return the schema of a table with classes: the declared one, or one inferred from the rows.

        ``classes`` names all of them, if later batches may have others than the first.
        """
        target = target_column(table.target)
        if self.schema is None:
            schema = self.inferred(table)
        else:
            schema = _named(self.schema, table)
            if schema.target is not None:
                check_same_classes(classes, schema, "as in the schema")
                check_classes(schema)
                return schema
            # A schema may declare variables only; its classes are inferred by themselves then.
            schema = replace(schema, target=infer_schema(Table((), table.n_rows, target=target)).target)
        if classes is not None:
            values = class_labels(classes)
            schema = replace(schema, target=Variable(target.name, values, origin="named beforehand"))
        check_classes(schema)
        return schema

    def schema_without_classes(self, table: Table) -> Schema:
        """Return the schema of a table without a target, for models that predict no class."""
        if self.schema is None:
            return self.inferred(replace(table, target=None))
        return _named(self.schema, table).without_target()


def _named(schema: Schema, table: Table) -> Schema:
    """Return a schema with names: its own, or those of the table if it has default names only."""
    # Schema.from_sizes gives x0, x1, ...: only sizes were declared, so any table of that width matches.
    if not schema.is_named and table.named and table.n_columns == schema.n_variables:
        return schema.named_after(table.names)
    return schema


def class_labels(classes: Any) -> tuple[Scalar, ...]:
    """Return declared classes in the order of a schema, each once.

    Examples
    --------
    >>> class_labels(["ripe", "raw", "ripe"])
    ('raw', 'ripe')
    """
    # Inferred like a target, so that declared classes and those of rows have the same types and order.
    named = target_column(classes, "classes")
    return infer_schema(Table((), len(named.missing), target=named)).classes


def check_classes(schema: Schema) -> None:
    """Raise DataError if a schema has no target; warn if there is only one class."""
    if schema.target is None:
        raise DataError("the table has no class to predict; name its target, as in as_coded(X, y)")
    # A warning, because a fold or a first batch may lack a class, and the prediction is defined.
    if schema.n_classes < 2:
        tell(
            f"target {shown(schema.target.name)}: only one class, {shown(schema.classes[0])}, which gets "
            "probability 1; if there are more, name them all with schema=",
            OneClass,
        )


def check_same_classes(classes: Any, schema: Schema, where: str) -> None:
    """Raise SchemaMismatch for declared classes that are not those of the schema; ``where`` says whose."""
    # Sets: the order of declared classes has no meaning.
    if classes is not None and set(class_labels(classes)) != set(schema.classes):
        raise SchemaMismatch(
            f"classes={shown(classes)} is not the same {where}, {shown(list(schema.classes))}; leave it out"
        )


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
    """Return the table without the column of the class, and that column, if there is one."""
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
