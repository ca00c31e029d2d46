r"""Sums of look-ups as a Bayesian network: the class, and variables that depend on it and on one another.

Where no variable has more than one parent beside the class, a row and a class have a joint weight

.. math:: w(c, x) = a_c \prod_v f_v(x_v, x_{\text{parent of } v}, c)

and normalised they are a network with the same graph. From the leaves to the roots, each factor is divided by
its sum over the values of its variable, and the parent's factor is multiplied by that sum; what is left at
the roots goes to the class. Where the factors are conditional probabilities already, as for naive Bayes under
the rules that normalise, all sums are 1 and nothing changes.

In a row in which all variables have values the class has the probability that the model gives it. Where a
value is missing, a network sums over what it might be. That is what naive Bayes does under the rules that
normalise, and what one forest under the principle of indifference does. Stochastic complexity and the other
trees leave the factor out.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import InvalidParameter
from ..table import Schema, Variable
from ..table.schema import interval_variable
from ..typing import FloatArray, IntArray, Scalar
from .forest_law import ForestTables
from .look_ups import LookUps

MISSING, OTHERS = "missing", "other"
"""What the state of missing cells is called, and that of several values that are seen as one."""


class Node(NamedTuple):
    """A variable of a network.

    Attributes
    ----------
    name : str
        Its name.
    states : tuple of str
        The states: values as text, intervals, missing cells.
    cuts : tuple of float
        Where the states are intervals, the cut points between them; a number equal to one belongs above it.
    scale : str
        What the cut points are counted in; see :mod:`codelength.table.times`.
    merged : dict of int to tuple
        For states that stand for several values, those.
    parents : tuple of int
        Which nodes it depends on; the class is node 0.
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
        """The network of a model.

        Raises
        ------
        InvalidParameter
            Where the model is none: a class has a probability that no variable changes, or the probability
            of a class is smaller than any number.
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
        for place in _leaves_first({child: pair.parent for child, pair in parents.items()}, len(own)):
            if place in parents:
                pair = parents[place]
                joint = own[place][:, None, :] + pair.entries[:-1, :-1]
                probs, log_sums = _divided(joint)
                own[pair.parent] = own[pair.parent] + log_sums
            else:
                probs, log_sums = _divided(own[place])
                log_class = log_class + log_sums
            found[place] = probs.T
        class_probs, _ = _divided(log_class)
        if ((class_probs == 0.0) & (log_class > -np.inf)).any():
            raise InvalidParameter(
                "as a network, a class would be less probable than any number; fit the model with "
                'rule="evidence", or with fewer variables'
            )
        labels = tuple(map(str, look_ups.classes))
        nodes = [Node(look_ups.target, labels, (), "number", {}, (), class_probs)]
        for place, (variable, groups) in enumerate(zip(look_ups.variables, look_ups.groups, strict=True)):
            given = (0, parents[place].parent + 1) if place in parents else (0,)
            shape = _shape(variable, groups)
            nodes.append(Node(variable.name, *shape, given, found[place]))
        return cls(tuple(nodes))

    @classmethod
    def of_forest(cls, schema: Schema, variables: IntArray, tables: ForestTables) -> "Network":
        """The network of a forest: its parameters as they are.

        Parameters
        ----------
        schema : Schema
            The schema of the table.
        variables : array of int
            Places in the schema of the variables that take part.
        tables : ForestTables
            The parameters.
        """
        assert schema.target is not None
        labels = tuple(map(str, schema.classes))
        nodes = [Node(schema.target.name, labels, (), "number", {}, (), tables.class_probs)]
        for position, parent, probs in zip(
            variables.tolist(), tables.parents.tolist(), tables.value_probs, strict=True
        ):
            variable = schema.variables[position]
            given = (0, parent + 1) if parent >= 0 else (0,)
            nodes.append(Node(variable.name, *_shape(variable, None), given, probs))
        return cls(tuple(nodes))


def _of_states(entries: FloatArray, groups: IntArray | None) -> FloatArray:
    """Log weights of the states of a variable: of its values, or of their groups."""
    if groups is None:
        return entries[:-1]
    n_states = int(groups[-1])
    first = [int(np.argmax(groups == group)) for group in range(n_states)]
    return entries[first]


class _Shape(NamedTuple):
    """What the states of a variable are; see :class:`Node`."""

    states: tuple[str, ...]
    cuts: tuple[float, ...]
    scale: str
    merged: dict[int, tuple[Scalar | None, ...]]


def _shape(variable: Variable, groups: IntArray | None) -> _Shape:
    codes = np.arange(variable.n_values + 1) if groups is None else groups
    if variable.kind == "interval":
        of_intervals = codes[: len(variable.cuts) + 1]
        cuts = tuple(variable.cuts[i] for i in np.flatnonzero(np.diff(of_intervals)).tolist())
        labels = [str(value) for value in interval_variable(variable.name, cuts, scale=variable.scale).values]
        with_missing = [MISSING] if codes[-1] > len(labels) else []
        return _Shape((*labels, *with_missing), cuts, variable.scale, {})
    values = [
        tuple(value for value, code in zip(variable.values, codes.tolist(), strict=False) if code == state)
        for state in range(int(codes[-1]))
    ]
    names = tuple(OTHERS if len(own) > 1 else MISSING if own[0] is None else str(own[0]) for own in values)
    return _Shape(names, (), variable.scale, {state: own for state, own in enumerate(values) if len(own) > 1})


def _divided(log_weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weights divided by their sums along the first axis, and the logs of these; alike where all are 0."""
    log_sums = np.asarray(np.logaddexp.reduce(log_weights, axis=0))
    nothing = log_sums == -np.inf
    shares = np.exp(
        np.where(nothing, 0.0, log_weights) - np.where(nothing, np.log(len(log_weights)), log_sums)
    )
    return shares, log_sums


def _leaves_first(parents: dict[int, int], n_variables: int) -> list[int]:
    """All variables, each before its parent."""

    def depth(place: int) -> int:
        return 1 + depth(parents[place]) if place in parents else 0

    return sorted(range(n_variables), key=depth, reverse=True)
