"""Tree-augmented naive Bayes under the principle of indifference, as a classifier."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import ClassifierMixin

from .._display import nats_and_bits
from .._packing import packed, unpacked
from ..blocks import Block, Facts, Grid
from ..decisions import ranked
from ..errors import DataError, InvalidParameter
from ..naive_bayes import Distributions, normalised
from ..networks.all_forests import AllForests
from ..networks.forest import ForestCounts, check_forest, edges_in
from ..networks.network import Network
from ..networks.one_forest import Law, OneForest, best_forest, rooted
from ..table import Coded, Schema
from ..table._messages import shown, suggestion
from ..table.checks import check_choice, check_sequence
from ..table.copies import check_copies
from ..table.encode import HandleUnknown
from ..table.infer import Identifiers, Missing, Numeric
from ..table.schema import classes_grid
from ..typing import FloatArray
from ._enumerated_queries import EnumeratedJoint
from ._exports import NetworkClassifier
from .contract import Fitted, Weighting
from .registry import register
from .validation import check_coded

Forest: TypeAlias = str | Sequence[tuple[str, str]]
"""Which forests: all of them, the best one, or the one with these edges."""

SHOWN = 10
"""Edges in the summary."""


@dataclass(frozen=True, eq=False)
class FittedTrees(Fitted):
    """What was counted, and the forest or forests.

    Attributes
    ----------
    model : OneForest or AllForests
        What predicts.
    """

    model: OneForest | AllForests

    @property
    def names(self) -> list[str]:
        """Names of the variables that take part."""
        return [self.schema.names[i] for i in self.model.counts.variables.tolist()]

    def edges(self) -> list[tuple[str, str]]:
        """Names of the variables at the ends of the edges of one forest, the parent first."""
        assert isinstance(self.model, OneForest)
        return [(self.names[p], self.names[v]) for p, v in edges_in(self.model.parents)]

    def probable_edges(self) -> list[tuple[str, str, float]]:
        """All edges with their probabilities, the most probable first."""
        assert isinstance(self.model, AllForests)
        probs, pairs = self.model.edge_probs, self.model.counts.pairs
        found = [
            (self.names[v], self.names[u], float(probs[u, v]))
            for u, v in zip(pairs.later.tolist(), pairs.earlier.tolist(), strict=True)
        ]
        return [found[k] for k in ranked([prob for *_, prob in found], scale=1.0)]


@register
class IndifferentTrees(ClassifierMixin, EnumeratedJoint, NetworkClassifier):
    r"""Tree-augmented naive Bayes under the principle of indifference.

    Within a class, each variable may depend on one other: the dependences make a forest. The indifferent
    naive Bayes classifier takes all joint parameters of the class and one variable to be equally probable
    [1]_. Here the same is asked of the class and the two variables at the ends of an edge, for one forest or
    averaged over all forests. There is nothing to tune. ``docs/theory/indifferent-trees.md`` has the
    derivation.

    Parameters
    ----------
    forest : {"all", "best"} or sequence of pairs of names
        ``"all"`` averages over all forests, each weighted by its evidence; ``"best"`` keeps the one with the
        highest evidence. Pairs of names are the edges of a forest that is known beforehand; without any, this
        is naive Bayes.
    law : {"pairs", "uniform"}
        What is taken to be equally probable. ``"pairs"``: the joint parameters of any two variables. The
        number of pseudocounts in a class is then the number of pairs of values, averaged over the pairs of
        variables; predictions do not depend on which way edges point. ``"uniform"``: all joint parameters of
        the whole forest together, as the paper does for naive Bayes, which is the forest without edges. It is
        exact for forests of stars, an approximation for deeper trees (``is_exact_`` tells), and cannot be
        averaged over all forests.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`. Cells without a value are left out of the counts of pairs. In
        rows to predict they are summed out, exactly for one forest. For all forests, the dependence between
        the neighbours of a missing cell is neglected.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes.
    edges_ : list of (str, str)
        The edges of the forest, the parent first; where there is one.
    edge_probs_ : array of shape (n_variables, n_variables)
        How probable it is that two variables are joined; where all forests are averaged.
    is_exact_ : bool
        Whether the prior is the very one that ``law`` asks for.
    code_length_ : float
        Code length of the training table, classes and variables, in nats: minus the log evidence.
    schema_, n_features_in_, feature_names_in_
        As in :class:`codelength.NaiveBayes`.

    References
    ----------
    .. [1] Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.

    Examples
    --------
    >>> from codelength import IndifferentTrees
    >>> table = {"left": ["on", "on", "off", "off"] * 5, "right": ["on", "off", "on", "off"] * 5}
    >>> model = IndifferentTrees("best").fit(table, ["same", "differ", "differ", "same"] * 5)
    >>> model.edges_
    [('left', 'right')]
    >>> model.predict_proba({"left": ["off"], "right": ["on"]}).round(3)
    array([[0.857, 0.143]])
    """

    kind = "indifferent-trees"
    capabilities = frozenset({"classes", "weights", "query"})

    def __init__(
        self,
        forest: Forest = "all",
        *,
        law: Law = "pairs",
        missing: Missing = "ignore",
        handle_unknown: HandleUnknown = "ignore",
        numeric: Numeric = "auto",
        identifiers: Identifiers = "ignore",
        weighting: Weighting = "counts",
        strict: bool = False,
        schema: Schema | None = None,
    ) -> None:
        super().__init__(missing, handle_unknown, numeric, identifiers, strict, schema)
        self.forest = forest
        self.law = law
        self.weighting = weighting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count values and pairs of values of ``X`` within the classes of ``y``.

        Parameters
        ----------
        X, y, sample_weight
            As in :class:`codelength.NaiveBayes`.
        """
        return self._fit(X, y, sample_weight)

    def log_probs_of(self, coded: Coded) -> Distributions:
        """Log probability of each class for coded rows, in nats."""
        return normalised(self.log_joint_of(coded))

    def log_joint_of(self, coded: Coded) -> FloatArray:
        """Log probability of coded rows together with each class, in nats, shape (n_rows, n_classes)."""
        model = self._fitted.model
        check_coded(coded, self._fitted.schema)
        return model.log_joint(model.counts.codes(coded))

    def _taking_part(self) -> list[int]:
        positions: list[int] = self._fitted.model.counts.variables.tolist()
        return positions

    def _sums_out(self) -> bool:
        return isinstance(self._fitted.model, OneForest)

    def predict_joint_log_proba(self, X: Any) -> FloatArray:
        """Log probability of each row together with each class, in nats."""
        return self.log_joint_of(self._encoded(X))

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """The edges of the forest, the parent first."""
        if isinstance(self._fitted.model, AllForests):
            raise AttributeError("edges_: all forests are averaged; edge_probs_ tells how probable edges are")
        return self._fitted.edges()

    @property
    def parents_(self) -> dict[str, tuple[str, ...]]:
        """Parents of each variable, as :func:`codelength.code_lengths.network_code_length` takes them."""
        target = self.schema_.target
        assert target is not None
        above = {child: (target.name, parent) for parent, child in self.edges_}
        return {name: above.get(name, (target.name,)) for name in self._fitted.names}

    @property
    def edge_probs_(self) -> FloatArray:
        """How probable it is that two variables are joined, shape (n_variables, n_variables)."""
        model = self._fitted.model
        if isinstance(model, OneForest):
            raise AttributeError("edge_probs_: there is one forest; edges_ tells its edges")
        found = np.zeros((self.n_features_in_, self.n_features_in_))
        found[np.ix_(model.counts.variables, model.counts.variables)] = model.edge_probs
        return found

    @property
    def is_exact_(self) -> bool:
        """Whether the prior is the very one that the law asks for."""
        return self._fitted.model.is_exact

    @property
    def code_length_(self) -> float:
        """Code length of the training table in nats: minus the log evidence."""
        return -self._fitted.model.log_evidence

    @property
    def _fitted(self) -> FittedTrees:
        state: FittedTrees = super()._fitted
        return state

    def _network(self) -> Network:
        fitted = self._fitted
        tables = fitted.model.tables if isinstance(fitted.model, OneForest) else None
        if tables is None:
            raise InvalidParameter(
                "the model averages over forests or priors, which is no single network; fit it with "
                'forest="best" and law="uniform"'
            )
        return Network.of_forest(fitted.schema, fitted.model.counts.variables, tables)

    def _learned(self, coded: Coded, fitted: Fitted) -> FittedTrees:
        rows = fitted.weighed(coded)
        check_copies(rows.weights)
        return FittedTrees(**vars(fitted), model=self._model(ForestCounts.of(rows), fitted.schema))

    def _model(self, counts: ForestCounts, schema: Schema) -> OneForest | AllForests:
        if isinstance(self.forest, str):
            return AllForests(counts) if self.forest == "all" else best_forest(counts, self.law)
        places = {int(position): place for place, position in enumerate(counts.variables)}
        ends = [tuple(_position(schema, name) for name in edge) for edge in self.forest]
        _check_forest(ends, schema)
        edges = [(places[u], places[v]) for u, v in ends if u in places and v in places]
        return OneForest(counts, rooted(edges, len(places)), self.law)

    def _check_params(self) -> None:
        super()._check_params()
        check_choice("law", self.law, Law)
        check_choice("weighting", self.weighting, Weighting)
        if isinstance(self.forest, str):
            check_choice("forest", self.forest, ("all", "best"))
            if (self.forest, self.law) == ("all", "uniform"):
                raise InvalidParameter(
                    'law="uniform": there is no sum over all forests under it; pass law="pairs", or '
                    'forest="best"'
                )
            return
        for edge in check_sequence("forest", self.forest, of='pairs of names, "all" or "best"'):
            is_pair = isinstance(edge, (tuple, list)) and len(edge) == 2
            if not is_pair or not all(isinstance(name, str) for name in edge):
                raise InvalidParameter(
                    f'forest: {shown(edge)} is no edge; expected pairs of names, such as ("age", "income")'
                )

    def _findings(self) -> list[Block]:
        fitted = self._fitted
        counts = fitted.model.counts.class_counts
        facts = [
            ("rows", f"{counts.sum():,.10g}"),
            ("code length", nats_and_bits(self.code_length_)),
        ]
        if isinstance(fitted.model, AllForests):
            edges = fitted.probable_edges()[:SHOWN]
            rows = [[one, other, f"{prob:.3f}"] for one, other, prob in edges]
            grid = Grid("most probable edges", ["variable", "variable", "probability"], rows, n_text=2)
        else:
            rows = [[child, parent] for parent, child in fitted.edges()]
            grid = Grid("edges", ["variable", "depends on"], rows, n_text=2)
            facts.append(("prior", "exact" if self.is_exact_ else "approximate (deep trees)"))
        return [Facts(facts), classes_grid(fitted.schema.target, counts), *([grid] if rows else [])]

    def _findings_document(self) -> dict[str, Any]:
        fitted = self._fitted
        found: dict[str, Any] = {
            "rows": float(fitted.model.counts.class_counts.sum()),
            "code_length_nats": self.code_length_,
            "class_counts": fitted.model.counts.class_counts.tolist(),
            "is_exact": self.is_exact_,
        }
        if isinstance(fitted.model, AllForests):
            return found | {"probable_edges": [list(edge) for edge in fitted.probable_edges()[:SHOWN]]}
        return found | {"edges": [list(edge) for edge in fitted.edges()]}

    def _content(self) -> dict[str, Any]:
        model = self._fitted.model
        parents = packed(model.parents.astype(np.int32)) if isinstance(model, OneForest) else None
        return {"counts": model.counts.to_json(), "parents": parents}

    def _restored(self, fitted: Fitted, content: Mapping[str, Any]) -> FittedTrees:
        if fitted.schema.target is None:
            raise DataError("the schema has no classes")
        counts = ForestCounts.from_json(content["counts"], fitted.schema)
        if (content["parents"] is None) != (fitted.params["forest"] == "all"):
            raise DataError("the forest is not what a fit leaves behind")
        if content["parents"] is None:
            return FittedTrees(**vars(fitted), model=AllForests(counts))
        n_variables = len(counts.n_values)
        parents = unpacked(content["parents"], (n_variables,), low=-1, high=n_variables - 1)
        check_forest(parents.astype(np.int64))
        model = OneForest(counts, parents.astype(np.int64), fitted.params["law"])
        return FittedTrees(**vars(fitted), model=model)


def _position(schema: Schema, name: Any) -> int:
    if name not in schema.names:
        raise InvalidParameter(
            f"forest: there is no variable {shown(name)}{suggestion(name, schema.names)}; name the variables "
            "at the ends of each edge"
        )
    return schema.names.index(name)


def _check_forest(edges: Sequence[tuple[int, ...]], schema: Schema) -> None:
    """Refuse edges that make a ring: each has to join two trees."""
    trees = list(range(schema.n_variables))
    for one, other in edges:
        if trees[one] == trees[other]:
            names = f"{shown(schema.names[one])} and {shown(schema.names[other])}"
            raise InvalidParameter(f"forest: the edge of {names} closes a ring; leave one edge of it out")
        trees = [trees[one] if tree == trees[other] else tree for tree in trees]
