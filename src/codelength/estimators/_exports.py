"""Ways out of models whose predictions are sums of look-ups: other programs then predict the same."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter
from ..table.checks import check_sequence
from .contract import TableClassifier

if TYPE_CHECKING:
    from onnx import ModelProto

    from ..export.sql import Dialect
    from ..networks.look_ups import LookUps
    from ..networks.network import Network


class ExportedClassifier(TableClassifier):
    """A classifier that predicts by look-ups."""

    def _look_ups(self) -> "LookUps":
        """What the model predicts with."""
        raise NotImplementedError

    def to_sql(
        self,
        table: str | Sequence[str],
        *,
        dialect: "Dialect" = "duckdb",
        keep: Sequence[str] = (),
        name: str | None = None,
    ) -> str:
        """One SQL statement that predicts the rows of a table, from its raw columns.

        Missing and unseen values, intervals and rows that no class can have are treated as by
        ``predict_proba``, with which it agrees to about fifteen digits. Models with
        ``handle_unknown="error"`` cannot be exported. Columns must have the types that they had in training:
        text that an engine has read as truth values is other text.

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
        from ..export.sql import to_sql

        kept = check_sequence("keep", keep, of="names")
        names = self.outcome_columns(kept, name)
        return to_sql(self._exported("SQL"), table, names, dialect=dialect, keep=kept)

    def to_onnx(self) -> "ModelProto":
        """The model as a graph for ONNX runtimes; see :mod:`codelength.export.onnx`. Needs the extra."""
        from ..export.onnx import to_onnx

        return to_onnx(self._exported("ONNX"))

    def to_scorer(self) -> dict[str, Any]:
        """The model as a JSON document to score with; see :mod:`codelength.export.scorer`."""
        from ..export.scorer import scorer

        return scorer(self._exported("a scorer"))

    def _exported(self, program: str) -> "LookUps":
        """The look-ups, refused if other programs would predict rows that the model refuses."""
        if self._fitted.params["handle_unknown"] == "error":
            raise InvalidParameter(
                f'handle_unknown="error": {program} cannot refuse values that the model has not seen; fit it '
                'with handle_unknown="ignore", which gives them no say'
            )
        return self._look_ups()


class NetworkClassifier(TableClassifier):
    """A classifier that is a Bayesian network."""

    def _network(self) -> "Network":
        """The network."""
        raise NotImplementedError

    @property
    def parents_(self) -> dict[str, tuple[str, ...]]:
        """Parents of each variable of the network.

        :func:`codelength.code_lengths.network_code_length` takes them. Variables that take no part in the
        model are left out.

        Examples
        --------
        >>> from codelength import datasets
        >>> from codelength.code_lengths import network_code_length
        >>> from codelength.research import TreeAugmentedClassifier
        >>> from codelength.sources import as_coded
        >>> table = datasets.load("lenses").table
        >>> parents = TreeAugmentedClassifier().fit(table).parents_
        >>> parents["tear_rate"]
        ('class', 'astigmatic')
        >>> network_code_length(as_coded(table), parents)
        <qnml code of 5 variables: 103.3 nats (149.1 bits)>
        """
        _, *variables = nodes = self._network().nodes
        target = self.schema_.target
        names = [nodes[0].name if target is None else target.name, *(node.name for node in variables)]
        return {node.name: tuple(names[place] for place in node.parents) for node in variables}

    def to_bif(self) -> str:
        """The model as a Bayesian network in the interchange format BIF.

        The class is the parent of all variables; in a tree, some have another parent too. Parameters are
        conditional probabilities under the model. Given all variables, the class has the probability that
        ``predict_proba`` gives it. :mod:`codelength.networks.network` says what holds where some are missing,
        and :mod:`codelength.export.bif` how names are written.

        Examples
        --------
        >>> from codelength import NaiveBayes
        >>> model = NaiveBayes().fit({"x": ["a", "a", "b"]}, ["k", "k", "l"])
        >>> print(model.to_bif())
        network classifier {
        }
        variable y {
          type discrete [ 2 ] { k, l };
        }
        variable x {
          type discrete [ 2 ] { a, b };
        }
        probability ( y ) {
          table 0.6, 0.4;
        }
        probability ( x | y ) {
          (k) 0.75, 0.25;
          (l) 0.333333333333333, 0.666666666666667;
        }
        <BLANKLINE>
        """
        from ..export.bif import to_bif

        return to_bif(self._network())

    def to_xmlbif(self) -> str:
        """The same network as XMLBIF 0.3."""
        from ..export.bif import to_xmlbif

        return to_xmlbif(self._network())


class ExportedNetwork(ExportedClassifier, NetworkClassifier):
    """A classifier that predicts by look-ups, and is a Bayesian network as well."""

    def _network(self) -> "Network":
        from ..networks.network import Network

        return Network.of(self._look_ups())
