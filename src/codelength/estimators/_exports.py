"""Ways out of models whose predictions are sums of look-ups: other programs then predict the same."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..export.look_ups import LookUps
from ..export.scorer import scorer
from ..export.sql import Dialect, to_sql
from ..rules import Predictor
from ..table.checks import check_sequence
from .contract import TableClassifier

if TYPE_CHECKING:
    from onnx import ModelProto


class ExportedClassifier(TableClassifier):
    """A classifier that predicts by look-ups."""

    @property
    def _predicts_with(self) -> Predictor:
        """What the model predicts with."""
        raise NotImplementedError

    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: Dialect = "duckdb",
        keep: Sequence[str] = (),
        name: str | None = None,
    ) -> str:
        """One SQL statement that predicts the rows of a table, from its raw columns.

        Missing and unseen values, intervals and rows that no class can have are treated as by
        ``predict_proba``, with which it agrees to about fifteen digits. Columns must have the types that they
        had in training: text that an engine has read as truth values is other text.

        Parameters
        ----------
        table : str or sequence of str
            Name of the table, or the parts of its name: ``("shop", "orders")`` for ``shop.orders``.
        dialect : {"duckdb", "postgres", "sqlite"}
            The engine.
        keep : sequence of str
            Columns of the table to keep beside the predictions.
        name : str, optional
            Name of the predicted column; by default ``"class"``.

        Examples
        --------
        >>> import duckdb
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"x": ["a", "a", "b"]}, ["k", "k", "l"])
        >>> rows = duckdb.sql("SELECT unnest(['a', 'b']) AS x")
        >>> found = duckdb.sql(model.to_sql("rows", keep=["x"])).fetchall()
        >>> [(x, label, round(p, 3)) for x, label, p, _ in sorted(found)]
        [('a', 'k', 0.771), ('b', 'l', 0.36)]
        """
        kept = check_sequence("keep", keep, of="names")
        names = self.outcome_columns(kept, name)
        return to_sql(LookUps.of(self._predicts_with), table, names, dialect=dialect, keep=kept)

    def to_onnx(self) -> "ModelProto":
        """The model as a graph for ONNX runtimes; see :mod:`codelength.export.onnx`. Needs the extra."""
        from ..export.onnx import to_onnx

        return to_onnx(LookUps.of(self._predicts_with))

    def to_scorer(self) -> dict[str, Any]:
        """The model as a JSON document to score with; see :mod:`codelength.export.scorer`."""
        return scorer(self._predicts_with)
