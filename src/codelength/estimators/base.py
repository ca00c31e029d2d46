"""What the estimators on tables share: options, encoding, names, files and tags."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..table import Coded, Schema, Variable, encode, infer_schema
from ..table.checks import check_choice
from ..table.column import Column
from ..table.encode import HandleUnknown
from ..table.infer import Missing, Numeric
from ..table.target import target_column
from ..typing import FloatArray
from .persistence import write_model
from .validation import schema_for, warn_about_names


class TableEstimator(BaseEstimator):
    """An estimator with the options ``missing``, ``handle_unknown``, ``numeric`` and ``schema``."""

    schema_: Schema
    n_features_in_: int

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON; :func:`codelength.load` reads it back to the last bit.

        A random generator given as ``random_state`` is not kept: its state is no part of what was learned.
        """
        check_is_fitted(self, "schema_")
        write_model(self, path)

    def _check_table_options(self) -> None:
        check_choice("missing", self.missing, Missing)
        check_choice("handle_unknown", self.handle_unknown, HandleUnknown)
        check_choice("numeric", self.numeric, Numeric)
        if self.schema is not None and not isinstance(self.schema, Schema):
            raise InvalidParameter(f"schema={self.schema!r}: expected a Schema, or None to infer it")

    def _settled_schema(
        self, columns: Columns, target: Column, classes: Any = None, weights: FloatArray | None = None
    ) -> Schema:
        """The schema of a table with classes: the one given, or what the rows and the classes named say."""
        if self.schema is None:
            schema = infer_schema(
                columns, target, missing=self.missing, numeric=self.numeric, sample_weight=weights
            )
        else:
            schema = schema_for(self.schema, columns)
            if schema.target is not None:
                check_same_classes(classes, schema, "as in the schema")
                return schema
            schema = replace(schema, target=infer_schema({}, target).target)
        if classes is not None:
            named = infer_schema({}, target_column(classes, "classes")).classes
            schema = replace(schema, target=Variable(target.name, named, origin="named beforehand"))
        if schema.n_classes < 2:
            raise DataError(
                f"target: only one class, {schema.classes[0]!r}; a classifier needs at least two: "
                "name them all with schema= or partial_fit(classes=)"
            )
        return schema

    def _set_schema(self, schema: Schema, named: bool) -> None:
        """Keep the schema, and the names of its variables where the training table had names."""
        self.schema_ = schema
        self.n_features_in_ = schema.n_variables
        if named:
            self.feature_names_in_ = np.array(schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _encoded(self, X: Any, y: Any = None) -> Coded:
        """New rows as codes."""
        check_is_fitted(self, "schema_")
        table = X if isinstance(X, np.ndarray) else as_columns(X)
        warn_about_names(self, table)
        by_name = isinstance(table, Columns) and table.named and hasattr(self, "feature_names_in_")
        return encode(self.schema_, table, y, handle_unknown=self.handle_unknown, by_name=by_name)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def check_same_classes(classes: Any, schema: Schema, where: str) -> None:
    """Refuse classes that are not those of the schema."""
    if classes is not None and set(np.asarray(classes).tolist()) != set(schema.classes):
        raise SchemaMismatch(
            f"classes={list(classes)!r} is not the same {where}, {list(schema.classes)!r}; leave it out"
        )
