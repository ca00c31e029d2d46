r"""Exact inference in forests: Bayesian networks whose variables have the class and at most one more parent.

From the leaves to the roots, every unknown variable is summed out of its factor, which leaves a factor of its
parent (belief propagation on trees).
"""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..typing import FloatArray, IntArray
from .forest import top_down

if TYPE_CHECKING:
    from .network import Network

AT_ONCE = 1 << 21
"""Approximate size of the work arrays for a block of rows, in numbers."""


def log_evidence_of(parents: IntArray, tables: Sequence[FloatArray], codes: IntArray) -> FloatArray:
    """Return the log probability of the known codes of rows given each class, shape (n_rows, n_classes).

    Parameters
    ----------
    parents : array of int of shape (n_variables,)
        The parent of each variable, -1 at roots.
    tables : sequence of arrays of shape (n_classes, [n_values of the parent,] n_values)
        Probability of each value of a variable in each class, and for each value of its parent, if any.
    codes : array of int of shape (n_rows, n_variables)
        Codes of the variables; below 0 for those to sum out.
    """
    n_classes = len(tables[0]) if len(tables) else 0
    total = np.zeros((len(codes), n_classes))
    below: dict[int, FloatArray] = {}
    for v in reversed(top_down(parents)):
        table = tables[v]
        # Evidence of a cell: 1 for the value it has, and for all values if it is missing.
        seen = np.where(codes[:, v, None] < 0, 1.0, codes[:, v, None] == np.arange(table.shape[-1]))
        weights = seen[:, None, :] * below.pop(v, np.ones((1, 1, 1)))
        weights = np.broadcast_to(weights, (len(codes), n_classes, table.shape[-1]))
        if (p := int(parents[v])) < 0:
            with np.errstate(divide="ignore"):
                total += np.log(np.einsum("rcb,cb->rc", weights, table))
            continue
        message = np.einsum("rcb,cab->rca", weights, table)
        # Messages are scaled, because products over many leaves may underflow; all may be zero.
        highest = message.max(axis=2)
        scale = np.where(highest > 0.0, highest, 1.0)
        total += np.log(scale)
        below[p] = below.get(p, 1.0) * (message / scale[:, :, None])
    return total


def joint_weights(network: "Network", states: IntArray, asked: tuple[int, ...]) -> FloatArray:
    """Return the joint probability of the known states of each row and every combination of query states.

    Parameters
    ----------
    network : Network
        The network.
    states : array of shape (n_rows, n_nodes)
        State of each node, -1 if it is not known.
    asked : tuple of int
        Query nodes other than the class; their states in ``states`` are ignored.

    Returns
    -------
    array of shape (n_rows, n_classes, n_combinations)
        The class is node 0; if its state is known, other classes have weight 0.

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
