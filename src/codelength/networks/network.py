r"""Bayesian networks of models that are sums of look-ups.

If no variable has more than one parent besides the class, a row and a class have a joint weight

.. math:: w(c, x) = a_c \prod_v f_v(x_v, x_{\text{parent of } v}, c)

which, normalised, is a network with the same graph. From the leaves to the roots, each factor is divided by
its sum over the values of its variable, and the parent's factor is multiplied by that sum; the sums of the
roots multiply the weights of the classes. If the factors are conditional probabilities already, as for naive
Bayes under the rules that normalise, all sums are 1 and factors do not change.

For complete rows, network and model give the same probabilities of the classes. A network sums over missing
values, as naive Bayes does under the rules that normalise and one forest does under the principle of
indifference. Stochastic complexity and the other trees leave out the factor instead.

Order of reading: :class:`Node`, :meth:`Network.of`, :func:`joint_weights` (answers). Depends on ``look_ups``
and ``one_forest``; used by ``queries`` and by the export to BIF.
"""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import InvalidParameter
from ..table import Schema, Variable
from ..table.variable import interval_variable
from ..typing import FloatArray, IntArray, Scalar
from .forest import depths_of
from .look_ups import LookUps
from .one_forest import ForestTables, log_evidence_of

AT_ONCE = 1 << 21
"""Approximate size of the work arrays for a block of rows, in numbers."""

MISSING, OTHERS = "missing", "other"
"""Names of the state of missing cells, and of the state of several merged values."""


class Node(NamedTuple):
    """A variable of a network.

    Attributes
    ----------
    name : str
        Name of the variable.
    states : tuple of str
        The states: values as text, intervals, missing cells.
    cuts : tuple of float
        Cut points if the states are intervals; a number equal to a cut point is in the interval above it.
    scale : str
        Unit of the cut points; see :mod:`codelength.table.spelling`.
    merged : dict of int to tuple
        Values of states that represent several values.
    parents : tuple of int
        Parent nodes; the class is node 0.
    probs : array of shape (n_states of the first parent, ..., n_states)
        Probability of each state given the states of the parents.
    """

    name: str
    states: tuple[str, ...]
    cuts: tuple[float, ...]
    scale: str
    merged: dict[int, tuple[Scalar | None, ...]]
    parents: tuple[int, ...]
    probs: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Network:
    """A Bayesian network.

    Attributes
    ----------
    nodes : tuple of Node
        The class, then the variables.
    """

    nodes: tuple[Node, ...]

    @classmethod
    def of(cls, look_ups: LookUps) -> "Network":
        """Build the network of a model.

        Raise InvalidParameter if the model is not a network: a class has a probability that does not depend
        on the row, or the probability of a class underflows.
        """
        if look_ups.floor.any():
            raise InvalidParameter(
                "some classes were declared and never seen, so no variable changes their probability; no "
                "network has such classes. Fit the model with a schema of the classes that occur"
            )
        own = [_of_states(*parts) for parts in zip(look_ups.value_tables, look_ups.groups, strict=True)]
        parents = {pair.child: pair for pair in look_ups.pair_tables}
        log_class = look_ups.class_table
        found: dict[int, FloatArray] = {}
        # Leaves first, so that a variable's own table has the sums of all its children before it is
        # normalised.
        depths = depths_of(
            np.array([parents[place].parent if place in parents else -1 for place in range(len(own))])
        )
        for place in np.argsort(-depths, kind="stable").tolist():
            if place in parents:
                pair = parents[place]
                # Without the last group of each variable: a network has no state for cells without
                # information.
                joint = own[place][:, None, :] + pair.entries[:-1, :-1]
                probs, log_sums = _divided(joint)
                own[pair.parent] = own[pair.parent] + log_sums
            else:
                probs, log_sums = _divided(own[place])
                log_class = log_class + log_sums
            found[place] = probs.T
        class_probs, _ = _divided(log_class)
        # A class of weight zero is allowed, but an underflow would make a possible class impossible.
        if ((class_probs == 0.0) & (log_class > -np.inf)).any():
            raise InvalidParameter(
                "as a network, a class would be less probable than any number; fit the model with "
                'rule="evidence", or with fewer variables'
            )
        labels = tuple(map(str, look_ups.classes))
        nodes = [Node(look_ups.target, labels, (), "number", {}, (), class_probs)]
        for place, (variable, groups) in enumerate(zip(look_ups.variables, look_ups.groups, strict=True)):
            given = (0, parents[place].parent + 1) if place in parents else (0,)
            nodes.append(_node(variable, groups, given, found[place]))
        return cls(tuple(nodes))

    @classmethod
    def of_forest(cls, schema: Schema, variables: IntArray, tables: ForestTables) -> "Network":
        """Build the network of a forest of variables of a schema, given by position."""
        assert schema.target is not None
        labels = tuple(map(str, schema.classes))
        nodes = [Node(schema.target.name, labels, (), "number", {}, (), tables.class_probs)]
        for position, parent, probs in zip(
            variables.tolist(), tables.parents.tolist(), tables.value_probs, strict=True
        ):
            given = (0, parent + 1) if parent >= 0 else (0,)
            nodes.append(_node(schema.variables[position], None, given, probs))
        return cls(tuple(nodes))


def _of_states(entries: FloatArray, groups: IntArray | None) -> FloatArray:
    """Return log weights of the states of a variable: its values, or their groups."""
    if groups is None:
        return entries[:-1]
    n_states = int(groups[-1])
    # All values of a group have the same entries, so the first one represents it.
    first = [int(np.argmax(groups == group)) for group in range(n_states)]
    return entries[first]


def _node(variable: Variable, groups: IntArray | None, parents: tuple[int, ...], probs: FloatArray) -> Node:
    """Return the node of a variable; its states are its values, its intervals, or groups of them."""
    codes = np.arange(variable.n_values + 1) if groups is None else groups
    if variable.kind == "interval":
        # Neighbouring intervals of one group are merged: only the cuts between groups remain.
        of_intervals = codes[: len(variable.cuts) + 1]
        cuts = tuple(variable.cuts[i] for i in np.flatnonzero(np.diff(of_intervals)).tolist())
        labels = [str(value) for value in interval_variable(variable.name, cuts, scale=variable.scale).values]
        with_missing = [MISSING] if codes[-1] > len(labels) else []
        return Node(variable.name, (*labels, *with_missing), cuts, variable.scale, {}, parents, probs)
    values = [
        tuple(value for value, code in zip(variable.values, codes.tolist(), strict=False) if code == state)
        for state in range(int(codes[-1]))
    ]
    names = tuple(OTHERS if len(own) > 1 else MISSING if own[0] is None else str(own[0]) for own in values)
    merged = {state: own for state, own in enumerate(values) if len(own) > 1}
    return Node(variable.name, names, (), variable.scale, merged, parents, probs)


def _divided(log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Normalise weights along the first axis; return shares, uniform if all are 0, and logs of the sums."""
    log_sums = np.asarray(np.logaddexp.reduce(log_weights, axis=0))
    # If all weights are 0, any distribution does; the uniform one is defined.
    nothing = log_sums == -np.inf
    shares = np.exp(
        np.where(nothing, 0.0, log_weights) - np.where(nothing, np.log(len(log_weights)), log_sums)
    )
    return shares, log_sums


def joint_weights(network: Network, states: IntArray, asked: tuple[int, ...]) -> FloatArray:
    """Return the joint probability of the known states of each row and every combination of query states.

    States have shape (n_rows, n_nodes) and are -1 if not known; those of the query nodes (``asked``) are
    ignored. The result has shape (n_rows, n_classes, n_combinations). The class is node 0; if its state is
    known, other classes have weight 0.

    Examples
    --------
    >>> from codelength import NaiveBayes
    >>> model = NaiveBayes().fit({"x": ["a", "a", "b"]}, ["k", "k", "l"])
    >>> network = Network.of(model._fitted.look_ups())
    >>> joint_weights(network, np.array([[-1, -1], [1, -1]]), (1,)).round(3)
    array([[[0.45 , 0.15 ],
            [0.133, 0.267]],
    <BLANKLINE>
           [[0.   , 0.   ],
            [0.133, 0.267]]])
    """
    class_probs = network.nodes[0].probs
    parents = np.array([node.parents[1] - 1 if len(node.parents) > 1 else -1 for node in network.nodes[1:]])
    tables = [node.probs for node in network.nodes[1:]]
    sizes = [len(network.nodes[node].states) for node in asked]
    # One pass over the network per combination. Each pass is linear in the number of nodes, and memory does
    # not grow with the number of combinations.
    found = np.empty((len(states), len(class_probs), int(np.prod(sizes, dtype=np.int64))))
    largest = max(len(node.states) for node in network.nodes)
    step = max(1, AT_ONCE // (len(class_probs) * largest * len(network.nodes)))
    for start in range(0, len(states), step):
        part = states[start : start + step].copy()
        of_class = np.where(part[:, :1] < 0, True, part[:, :1] == np.arange(len(class_probs)))
        for c, combination in enumerate(itertools.product(*map(range, sizes))):
            part[:, asked] = combination
            given_class = np.exp(log_evidence_of(parents, tables, part[:, 1:]))
            found[start : start + step, :, c] = of_class * class_probs * given_class
    return found
