"""What the estimators ask of their arguments beside the table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, OneClass, SchemaMismatch
from ..table import Coded, Schema, Table, infer_schema
from ..table._messages import listed, shown, tell
from ..table.checks import check_instance
from ..table.target import target_column
from ..typing import Scalar


def check_not_empty(table: Table) -> None:
    """Refuse a table without rows or without columns."""
    if not table.columns:
        raise DataError(
            f"0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required; add a column, or "
            "declare that there is none with schema="
        )
    if not table.n_rows:
        raise DataError(
            "Found array with 0 sample(s) while a minimum of 1 is required; the table has no rows, or none "
            "of weight above 0: add some, or declare the variables with schema="
        )


def check_coded(coded: Any, schema: Schema | None = None) -> None:
    """Refuse what is no table as codes, or has codes of other variables than the schema."""
    check_instance("coded", coded, Coded, "a table as codes, as codelength.sources.as_coded makes them")
    if schema is not None and coded.schema.n_values.tolist() != schema.n_values.tolist():
        raise SchemaMismatch(
            "the codes are of other variables than those that the model was fitted on; encode the rows with "
            "its schema_"
        )


def check_labelled(coded: Any, schema: Schema) -> None:
    """Refuse coded rows that do not have the variables and the classes of a schema."""
    check_coded(coded, schema)
    if coded.schema.target is None:
        raise DataError("the rows have no classes; encode them together with their target, as_coded(X, y)")
    if coded.schema.classes != schema.classes:
        raise SchemaMismatch(
            f"the rows have other classes, {listed(coded.schema.classes)}, than the model, "
            f"{listed(schema.classes)}; encode the rows with its schema_"
        )


def check_classes(schema: Schema) -> None:
    """Refuse to predict where there is no class, and say so where there is only one."""
    if schema.target is None:
        raise DataError("the table has no class to predict; name its target, as in as_coded(X, y)")
    if schema.n_classes < 2:
        tell(
            f"target {shown(schema.target.name)}: only one class, {shown(schema.classes[0])}, which gets "
            "probability 1; if there are more, name them all with schema=",
            OneClass,
        )


def check_same_classes(classes: Any, schema: Schema, where: str) -> None:
    """Refuse classes that are not those of the schema."""
    if classes is not None and set(class_labels(classes)) != set(schema.classes):
        raise SchemaMismatch(
            f"classes={shown(classes)} is not the same {where}, {shown(list(schema.classes))}; leave it out"
        )


def class_labels(classes: Any) -> tuple[Scalar, ...]:
    """Classes that are named beforehand, in order."""
    named = target_column(classes, "classes")
    return infer_schema(Table((), len(named.missing), target=named)).classes


def warn_about_names(estimator: object, table: Table, fitted_named: bool) -> None:
    """Say when names are known on one side only, so that columns can be matched by position alone."""
    own = type(estimator).__name__
    if table.named == fitted_named or not table.columns:
        return
    if table.named:
        message = f"X has feature names, but {own} was fitted without feature names"
    else:
        message = f"X does not have valid feature names, but {own} was fitted with feature names"
    tell(f"{message}; columns are matched by position", UserWarning)


def schema_for(schema: Schema, table: Table) -> Schema:
    """A schema given beforehand; one without names of its own takes those of the table."""
    nameless = all(variable.name == f"x{i}" for i, variable in enumerate(schema.variables))
    if nameless and table.named and table.n_columns == schema.n_variables:
        return schema.named_after(table.names)
    return schema


def class_array(classes: tuple[Scalar, ...]) -> NDArray[Any]:
    """The classes as an array in which text stays text and numbers stay numbers."""
    plain = np.array(classes)
    if plain.dtype.kind == "f" and any(isinstance(label, int) for label in classes):
        plain = np.array(classes, dtype=object)  # whole numbers that no integer type holds together
    kinds = {type(label) for label in classes}
    return np.array(classes, dtype=object) if str in kinds and len(kinds) > 1 else plain
