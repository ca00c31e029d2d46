"""Tree-augmented naive Bayes under the principle of indifference, as a classifier.

Order of reading: :class:`FittedTrees`: learning, predictions, the network, findings, files;
:class:`IndifferentTrees`, its parameters; then the forest that is asked for. Depends on
:mod:`codelength.networks`: ``one_forest`` and ``all_forests`` have the arithmetic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from .._display import nats_and_bits
from .._packing import packed, unpacked
from ..blocks import Block, Grid
from ..decisions import ranked
from ..errors import DataError, InvalidParameter
from ..networks.all_forests import AllForests
from ..networks.forest import ForestCounts, depths_of, edges_in
from ..networks.network import Network
from ..networks.one_forest import Law, OneForest, best_forest, rooted
from ..networks.queries import JointRows, all_states
from ..table import Coded, Schema
from ..table._messages import shown, suggestion
from ..table.checks import check_choice, check_sequence
from ..table.copies import check_copies
from ..typing import FloatArray
from ._fitted import Capability, FittedJoint, Weighting, scaled
from .classifier import TableClassifier
from .registry import register

Forest: TypeAlias = str | Sequence[tuple[str, str]]
"""Choice of forests: all of them, the best one, or the one with these edges."""

SHOWN = 10
"""Edges in the summary."""


@dataclass(frozen=True, eq=False)
class FittedTrees(FittedJoint):
    """Counts, and the forest or forests.

    Attributes
    ----------
    model : OneForest or AllForests
        The predictor with its counts.
    """

    model: OneForest | AllForests

    kind = "indifferent-trees"

    @classmethod
    def title(cls, params: Mapping[str, Any]) -> str:
        forest = params["forest"] if isinstance(params["forest"], str) else "given"
        return f"{cls.kind} {forest}" + (" uniform" if params["law"] == "uniform" else "")

    @classmethod
    def learn(cls, params: dict[str, Any], coded: Coded, named: bool) -> Self:
        rows = scaled(params, coded)
        # After scaling, because the limit is on the weights that count.
        check_copies(rows.weights)
        model = _model(params["forest"], params["law"], ForestCounts.of(rows), coded.schema)
        return cls(params, coded.schema, named, model)

    @classmethod
    def described(cls, params: dict[str, Any], coded: Coded) -> Self:
        """Return the model of whole rows for :class:`codelength.EvidenceAverage`."""
        return cls.learn(params, coded, True)

    def log_joint(self, coded: Coded) -> FloatArray:
        return self.model.log_joint(self.model.counts.codes(coded))

    @property
    def code_length(self) -> float:
        """Code length of the training table in nats: minus the log evidence."""
        return -self.model.log_evidence

    @property
    def joint_rows(self) -> JointRows:
        states = all_states(self.schema, self.model.counts.variables.tolist())
        return JointRows(self.schema, self.log_joint, states, isinstance(self.model, OneForest))

    def network(self) -> Network:
        """Return the Bayesian network."""
        tables = self.model.tables if isinstance(self.model, OneForest) else None
        if tables is None:
            raise InvalidParameter(
                "the model averages over forests or priors, which is not a single network; fit it with "
                'forest="best" and law="uniform"'
            )
        return Network.of_forest(self.schema, self.model.counts.variables, tables)

    @classmethod
    def capabilities(cls, params: Mapping[str, Any]) -> frozenset[Capability]:
        found = super().capabilities(params)
        # Averages over forests or over priors are not a single network.
        return found if params["law"] == "uniform" else found - {"network"}

    @property
    def names(self) -> list[str]:
        """Names of the variables that take part."""
        return [self.schema.names[i] for i in self.model.counts.variables.tolist()]

    def edges(self) -> list[tuple[str, str]]:
        """Names of the variables at the ends of the edges of one forest, the parent first."""
        assert isinstance(self.model, OneForest)
        return [(self.names[p], self.names[v]) for p, v in edges_in(self.model.parents)]

    def probable_edges(self) -> list[tuple[str, str, float]]:
        """Return all edges with their probabilities, the most probable first."""
        assert isinstance(self.model, AllForests)
        probs, pairs = self.model.edge_probs, self.model.counts.pairs
        found = [
            (self.names[v], self.names[u], float(probs[u, v]))
            for u, v in zip(pairs.later.tolist(), pairs.earlier.tolist(), strict=True)
        ]
        # Compared on the scale of probabilities: differences of rounding between tiny ones are ties.
        return [found[k] for k in ranked([prob for *_, prob in found], scale=1.0)]

    def findings(self) -> list[Block]:
        facts = [("code length", nats_and_bits(self.code_length))]
        if isinstance(self.model, AllForests):
            edges = self.probable_edges()[:SHOWN]
            rows = [[one, other, f"{prob:.3f}"] for one, other, prob in edges]
            grid = Grid("most probable edges", ["variable", "variable", "probability"], rows, n_text=2)
        else:
            rows = [[child, parent] for parent, child in self.edges()]
            grid = Grid("edges", ["variable", "depends on"], rows, n_text=2)
            facts.append(("prior", "exact" if self.model.is_exact else "approximate (deep trees)"))
        return [*self.row_blocks(self.model.counts.class_counts, *facts), *([grid] if rows else [])]

    def findings_document(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "rows": float(self.model.counts.class_counts.sum()),
            "code_length_nats": self.code_length,
            "class_counts": self.model.counts.class_counts.tolist(),
            "is_exact": self.model.is_exact,
        }
        if isinstance(self.model, AllForests):
            return found | {"probable_edges": [list(edge) for edge in self.probable_edges()[:SHOWN]]}
        return found | {"edges": [list(edge) for edge in self.edges()]}

    def content(self) -> dict[str, Any]:
        model = self.model
        # Counts determine everything else; the best forest is kept, so that loading does not search again.
        parents = packed(model.parents.astype(np.int32)) if isinstance(model, OneForest) else None
        return {"counts": model.counts.to_json(), "parents": parents}

    @classmethod
    def restored(cls, content: Mapping[str, Any], **known: Any) -> Self:
        params = known["params"]
        counts = ForestCounts.from_json(content["counts"], known["schema"])
        # Without parents the content is that of all forests; any other choice needs them.
        if (content["parents"] is None) != (params["forest"] == "all"):
            raise DataError("the forest is not what a fit leaves behind")
        if content["parents"] is None:
            return cls(**known, model=AllForests(counts))
        n_variables = len(counts.n_values)
        parents = unpacked(content["parents"], (n_variables,), low=-1, high=n_variables - 1)
        # A cycle in a damaged file would make predictions loop for ever.
        depths_of(parents.astype(np.int64))
        return cls(**known, model=OneForest(counts, parents.astype(np.int64), params["law"]))


@register
@dataclass(eq=False, repr=False)
class IndifferentTrees(TableClassifier):
    r"""Tree-augmented naive Bayes under the principle of indifference.

    Within a class, each variable may depend on one other: the dependences make a forest. The indifferent
    naive Bayes classifier takes all joint parameters of the class and one variable to be equally probable
    [1]_. Here the same is asked of the class and the two variables at the ends of an edge, for one forest or
    averaged over all forests. There is nothing to tune. The derivation is in
    ``docs/explanation/theory/indifferent-trees.md``.

    Parameters
    ----------
    forest : {"all", "best"} or sequence of pairs of names
        ``"all"`` averages over all forests, each weighted by its evidence; ``"best"`` keeps the one with the
        highest evidence. Pairs of names are the edges of a given forest; without any, the model is naive
        Bayes.
    law : {"pairs", "uniform"}
        The parameters that are equally probable. ``"pairs"``: the joint parameters of any two variables. The
        number of pseudocounts in a class is then the number of pairs of values, averaged over the pairs of
        variables; predictions do not depend on which way edges point. ``"uniform"``: all joint parameters of
        the whole forest together, as the paper does for naive Bayes, which is the forest without edges. It is
        exact for forests of stars, an approximation for deeper trees (see ``is_exact_``), and cannot be
        averaged over all forests.
    missing, handle_unknown, numeric, identifiers, weighting, strict, schema
        As in :class:`codelength.NaiveBayes`. Cells without a value are left out of the counts of pairs. In
        rows to predict they are summed out, exactly for one forest. For all forests, the dependence between
        the neighbours of a missing cell is neglected.

    Attributes
    ----------
    edges_, parents_, edge_probs_, is_exact_, code_length_
        The forest, or the probabilities of edges; see the properties of these names.
    classes_, schema_, n_features_in_, feature_names_in_
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

    _fitted_type = FittedTrees
    _fitted: ClassVar[FittedTrees]

    forest: Forest = "all"
    _: KW_ONLY
    law: Law = "pairs"
    weighting: Weighting = "counts"

    @property
    def edges_(self) -> list[tuple[str, str]]:
        """The edges of the forest, the parent first; not with ``forest="all"``."""
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
        """Probability that two variables are joined, with ``forest="all"``: one row per variable.

        Examples
        --------
        >>> table = {"left": ["on", "on", "off", "off"] * 5, "right": ["on", "off", "on", "off"] * 5}
        >>> model = IndifferentTrees().fit(table, ["same", "differ", "differ", "same"] * 5)
        >>> model.edge_probs_.round(4)
        array([[0.    , 0.9998],
               [0.9998, 0.    ]])
        """
        model = self._fitted.model
        if isinstance(model, OneForest):
            raise AttributeError("edge_probs_: there is one forest; edges_ tells its edges")
        # Indexed by all variables of the schema; those that do not vary are joined to none.
        found = np.zeros((self.n_features_in_, self.n_features_in_))
        found[np.ix_(model.counts.variables, model.counts.variables)] = model.edge_probs
        return found

    @property
    def is_exact_(self) -> bool:
        """True if the prior is exactly the one of the law, False if it is an approximation."""
        return self._fitted.model.is_exact

    @property
    def code_length_(self) -> float:
        """Code length of the training table, classes and variables, in nats: minus the log evidence."""
        return self._fitted.code_length

    def _check_params(self) -> None:
        super()._check_params()
        # Text first, because it is a sequence too. Names of variables are checked by fit, which knows them.
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
                    f"forest: {shown(edge)} is not an edge; "
                    'expected pairs of names, such as ("age", "income")'
                )


def _model(forest: Forest, law: Law, counts: ForestCounts, schema: Schema) -> OneForest | AllForests:
    """Return the predictor for a choice of forests."""
    if isinstance(forest, str):
        return AllForests(counts) if forest == "all" else best_forest(counts, law)
    # Only variables that vary are counted; edges to others have no effect, and are dropped below.
    places = {int(position): place for place, position in enumerate(counts.variables)}
    ends = [tuple(_position(schema, name) for name in edge) for edge in forest]
    _check_forest(ends, schema)
    edges = [(places[u], places[v]) for u, v in ends if u in places and v in places]
    return OneForest(counts, rooted(edges, len(places)), law)


def _position(schema: Schema, name: Any) -> int:
    """Return the position of a variable at the end of an edge; raise InvalidParameter for other names."""
    if name not in schema.names:
        raise InvalidParameter(
            f"forest: there is no variable {shown(name)}{suggestion(name, schema.names)}; name the variables "
            "at the ends of each edge"
        )
    return schema.names.index(name)


def _check_forest(edges: Sequence[tuple[int, ...]], schema: Schema) -> None:
    """Raise InvalidParameter for edges that close a ring: each has to join two trees."""
    # Quadratic in the number of edges, which users write by hand.
    trees = list(range(schema.n_variables))
    for one, other in edges:
        if trees[one] == trees[other]:
            names = f"{shown(schema.names[one])} and {shown(schema.names[other])}"
            raise InvalidParameter(f"forest: the edge of {names} closes a ring; leave one edge of it out")
        trees = [trees[one] if tree == trees[other] else tree for tree in trees]
