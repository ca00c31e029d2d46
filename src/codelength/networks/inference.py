r"""Exact inference in Bayesian networks whose variables have the class and at most one more parent.

Given the class, such a network is a forest. From the leaves to the roots, every unknown variable is summed
out of its factor, which leaves a factor of its parent (belief propagation on trees). Query variables are set
to one combination of values after the other.
"""

import itertools

import numpy as np

from ..typing import FloatArray, IntArray
from .network import Network

AT_ONCE = 1 << 21
"""Approximate size of the work arrays for a block of rows, in numbers."""


def joint_weights(network: Network, states: IntArray, asked: tuple[int, ...]) -> FloatArray:
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
    >>> network = Network.of(model._look_ups())
    >>> joint_weights(network, np.array([[-1, -1], [1, -1]]), (1,)).round(3)
    array([[[0.45 , 0.15 ],
            [0.133, 0.267]],
    <BLANKLINE>
           [[0.   , 0.   ],
            [0.133, 0.267]]])
    """
    n_classes = len(network.nodes[0].states)
    sizes = [len(network.nodes[node].states) for node in asked]
    # One pass over the network per combination. Each pass is linear in the number of nodes, and memory does
    # not grow with the number of combinations.
    found = np.empty((len(states), n_classes, int(np.prod(sizes, dtype=np.int64))))
    largest = max(len(node.states) for node in network.nodes)
    step = max(1, AT_ONCE // (n_classes * largest * len(network.nodes)))
    for start in range(0, len(states), step):
        part = states[start : start + step].copy()
        for c, combination in enumerate(itertools.product(*map(range, sizes))):
            part[:, asked] = combination
            found[start : start + step, :, c] = _weights(network, part)
    return found


def _weights(network: Network, states: IntArray) -> FloatArray:
    """Return the joint probability of each class and the known states, shape (n_rows, n_classes)."""
    class_probs = network.nodes[0].probs
    total = np.tile(class_probs, (len(states), 1))
    known = states[:, 0] >= 0
    total[known] *= np.arange(len(class_probs)) == states[known, 0][:, None]
    # Product of the messages from the children of each node, by row, class and state of the node.
    beliefs: dict[int, FloatArray] = {}
    for place in _leaves_first(network):
        node = network.nodes[place]
        belief = beliefs.pop(place, np.ones((len(states), len(class_probs), len(node.states))))
        own = states[:, place]
        belief = belief * np.where(
            own[:, None] < 0, 1.0, np.arange(len(node.states)) == own[:, None]
        )[:, None, :]  # fmt: skip
        # The class is the only parent: this tree is summed out, and contributes one factor per class.
        if len(node.parents) == 1:
            total *= np.einsum("cs,rcs->rc", node.probs, belief)
            continue
        parent = node.parents[1]
        message = np.einsum("cps,rcs->rcp", node.probs, belief)
        beliefs[parent] = message if parent not in beliefs else beliefs[parent] * message
    return total


def _leaves_first(network: Network) -> list[int]:
    """Return all variables, each before its parent."""

    def depth(place: int) -> int:
        parents = network.nodes[place].parents
        return 1 + depth(parents[1]) if len(parents) > 1 else 0

    return sorted(range(1, len(network.nodes)), key=depth, reverse=True)
