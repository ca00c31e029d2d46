r"""Tree-augmented naive Bayes with the single most probable forest (TAN).

Of all forests in the average of :mod:`codelength.averages.members.forests`, under all strengths of the prior,
the one with the highest evidence: a maximum spanning forest of the log Bayes factors, restricted to positive
ones. A row has the probability

.. math:: P(c, x) = P(c) \prod_v P(x_v \mid x_{\text{parent of } v}, c)
          = P(c) \prod_v \frac{N^*_{vc}}{N^*_c} \prod_{uv} h_{uv}.

The forest depends on the rows, so held-out predictions under the forest of all rows would be optimistic.
Instead, the strength and the forest are selected again without each row, as a fit without it would select
them. No refit is needed, because leaving out a row subtracts the log of its own factor from each log Bayes
factor. Ties between edges, as with redundant columns, are decided by the canonical order of the columns
(:mod:`codelength.averages.content`). If variables have to be selected, all of this is repeated without each
of five folds instead.

Order of reading: :meth:`BestTree.fit`, ``_Search`` (the best forest under each strength), ``_left_out`` (the
search again without each row), :meth:`BestTree.look_ups` (for export), then files. Depends on
:mod:`codelength.networks.forest`.

References
----------
Chow and Liu (1968). Approximating discrete probability distributions with dependence trees. IEEE
Transactions on Information Theory 14.
Friedman, Geiger and Goldszmidt (1997). Bayesian network classifiers. Machine Learning 29.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..._codec import Saved
from ...decisions import first_best, first_best_of_rows
from ...networks.forest import Augmented, best_forests, blocks, depths_of, edges_of, summed_log_values
from ...networks.look_ups import LookUps
from ...table import Coded
from ...typing import FloatArray, IntArray
from ..content import canonical_order
from ..folds import refitted
from ..member import FittedMember, Member, normalised
from ..training import Training
from ..views import CHOSEN
from .forests import STRENGTHS, chosen_codes, counts_of, has_room

MAX_LOG = 1e3
"""Largest absolute log of a probability or factor in a file."""


def _shapes_of_values(known: Any) -> list[tuple[int, ...]]:
    """Return the shape of the table of each variable."""
    return [(size + 1, known.n_classes) for size in known.views.n_coarse[known.variables].tolist()]


def _shapes_of_factors(known: Any) -> list[tuple[int, ...]]:
    """Return the shape of the table of each variable with a parent."""
    shapes = _shapes_of_values(known)
    children = np.flatnonzero(known.parents >= 0).tolist()
    return [(shapes[v][0], *shapes[known.parents[v]]) for v in children]


@dataclass(frozen=True, eq=False)
class BestTree(Member):
    """Tree-augmented naive Bayes with the single most probable forest; see the module.

    At most 40 variables take part, those with the most information about the class, in the coarse view.

    Attributes
    ----------
    variables : array of int
        Variables of the views that take part.
    parents : array of int
        Parent of each of these variables; -1 if it depends on the class only.
    log_values : tuple of arrays of shape (n_values + 1, n_classes)
        For each variable the log probability of each value in each class, and zeros for no value.
    log_factors : tuple of arrays of shape (n_values + 1, n_values + 1 of the parent, n_classes)
        For each variable with a parent, in order, the log factor of its value and that of the parent.
    """

    name: ClassVar[str] = "best_tree"
    title: ClassVar[str] = "tree-augmented naive Bayes, the best forest"

    variables: Annotated[IntArray, CHOSEN]
    parents: Annotated[
        IntArray,
        Saved(lambda known: (len(known.variables),), low=-1, high=lambda known: len(known.variables) - 1),
    ]
    log_values: Annotated[tuple[FloatArray, ...], Saved(_shapes_of_values, -MAX_LOG, MAX_LOG)]
    log_factors: Annotated[tuple[FloatArray, ...], Saved(_shapes_of_factors, -MAX_LOG, MAX_LOG)]

    @classmethod
    def fit(cls, training: Training) -> FittedMember[Self]:
        """Select the forest, and select it again without each training row."""
        # The search over all rows also serves leave-one-out, which starts from its log Bayes factors.
        search = _Search.of(training)
        member = cls._found(search, training)
        if has_room(training):
            return FittedMember(member, _left_out(search, training))
        return FittedMember(member, refitted(training, cls._of))

    @classmethod
    def _of(cls, training: Training, ranking: IntArray) -> Self:
        """Fit to training rows with a given ranking of variables."""
        return cls._found(_Search.of(training, ranking), training)

    @classmethod
    def _found(cls, search: "_Search", training: Training) -> Self:
        """Build the member from the best forest of a search."""
        model, parents = search.models[search.best], _rooted(search.forests[search.best])
        return cls(
            training.views,
            training.log_prior,
            model.counts.variables,
            parents,
            model.log_values,
            _log_factors(model, parents),
        )

    def log_probs(self, coded: Coded) -> FloatArray:
        """Return the log probability of each class for each row, in nats, shape (n_rows, n_classes)."""
        codes = chosen_codes(self.views, self.variables, coded)
        logs = self.log_prior + summed_log_values(self.log_values, codes)
        for v, table in zip(np.flatnonzero(self.parents >= 0).tolist(), self.log_factors, strict=True):
            logs += table[codes[:, v], codes[:, self.parents[v]]]
        return normalised(logs)

    def look_ups(self) -> LookUps:
        """Return the log weights of the classes as sums of look-ups."""
        chosen = [self.views.columns[j] for j in self.variables.tolist()]
        positions = [view.position for view in chosen]
        # The last group is for values without information.
        groups = [np.where(view.coarse < 0, view.n_coarse, view.coarse) for view in chosen]
        values = (table[own] for table, own in zip(self.log_values, groups, strict=True))
        children = np.flatnonzero(self.parents >= 0).tolist()
        pairs = ((positions[v], positions[self.parents[v]]) for v in children)
        return LookUps(
            self.views.schema,
            self.log_prior,
            dict(zip(positions, values, strict=True)),
            dict(zip(positions, groups, strict=True)),
            dict(zip(pairs, self.log_factors, strict=True)),
        )

    def check_fields(self) -> None:
        """Raise DataError if the parents make a cycle."""
        depths_of(self.parents)


class _Search(NamedTuple):
    """The best forest under each strength of the prior.

    Attributes
    ----------
    order : array of int
        Canonical order of the variables that take part, as places among them.
    models : list of Augmented
        Model of the counts under each strength.
    forests : array of int of shape (n_strengths, n_variables)
        Best forest under each strength.
    evidences : array of shape (n_strengths,)
        Log evidence of these forests.
    """

    order: IntArray
    models: list[Augmented]
    forests: IntArray
    evidences: FloatArray

    @classmethod
    def of(cls, training: Training, ranking: IntArray | None = None) -> "_Search":
        """Find the best forest under each strength."""
        counts = counts_of(training, ranking)
        in_order = canonical_order(training).variables
        # Places among the variables that take part, in canonical order of all variables.
        order = np.searchsorted(counts.variables, in_order[np.isin(in_order, counts.variables)])
        models = [counts.at(strength) for strength in STRENGTHS]
        weights = np.array([model.log_weights for model in models])
        forests = _best_forests(weights, order)
        evidences = np.array([model.log_evidence for model in models]) + _gains(weights, forests)
        return cls(order, models, forests, evidences)

    @property
    def best(self) -> int:
        """Index of the strength with the most probable forest."""
        return first_best(self.evidences)


def _best_forests(log_weights: FloatArray, order: IntArray) -> IntArray:
    """Return the best forest for each row of log weights of pairs; ties are decided by ``order``."""
    later, earlier = np.tril_indices(len(order), -1)
    # Renumber variables by the order, because best_forests gives ties to the first; then number them back.
    ends = np.sort([order[earlier], order[later]], axis=0)
    pairs = ends[1] * (ends[1] - 1) // 2 + ends[0]
    found = best_forests(np.ascontiguousarray(log_weights[:, pairs]))
    parents = np.empty_like(found)
    # Back from canonical numbers to places among the variables.
    parents[:, order] = np.where(found >= 0, order[found], -1)
    return parents


def _rooted(parents: IntArray) -> IntArray:
    """Return the same edges, with the first variable of each tree, in the order of the schema, as root."""
    edges = edges_of(parents)
    is_edge = np.full((1, len(parents) * (len(parents) - 1) // 2), -1.0)
    is_edge[0, edges[edges >= 0]] = 1.0
    return np.asarray(best_forests(is_edge)[0])


def _log_factors(model: Augmented, parents: IntArray) -> tuple[FloatArray, ...]:
    """Return tables of log factors of each variable that has a parent, by values of the two."""
    tables = []
    for child, pair in enumerate(edges_of(parents).tolist()):
        if pair >= 0:
            table = np.log(model.counts.pairs.table(pair, model.factors))
            # Tables of pairs have the later variable first; here the child is first.
            tables.append(table if child > parents[child] else table.transpose(1, 0, 2).copy())
    return tuple(tables)


def _left_out(search: _Search, training: Training) -> FloatArray:
    """Return log probabilities of the training rows, each by the strength and forest best without it."""
    # Only strengths whose evidence can reach the best one if a row is left out.
    costs = np.array([_largest_cost(model, training) for model in search.models])
    near = np.flatnonzero(search.evidences + costs >= search.evidences[search.best])
    models = [search.models[k] for k in near]
    counts = models[0].counts
    codes = np.ascontiguousarray(training.coarse[:, counts.variables])
    found = np.empty((training.n_rows, training.n_classes))
    for rows in blocks(training.n_rows):
        labels, removed = training.labels[rows], training.copy_weights[rows]
        evidences = np.empty((len(models), len(labels)))
        logs = np.empty((len(models), len(labels), training.n_classes))
        for model, evidence, log in zip(models, evidences, logs, strict=True):
            left_out = model.leave_out(codes[rows], labels, removed)
            log_weights = model.log_weights - np.log(left_out.lost)
            parents = _best_forests(log_weights, search.order)
            evidence[:] = model.log_evidence - left_out.log_lost + _gains(log_weights, parents)
            log[:] = model.naive_log_probs(codes[rows]) + _added(model, codes[rows], parents)
            own = left_out.log_probs + _gains(np.log(left_out.factors), parents)
            # In its own class a row is predicted without its copy; counts of other classes do not have it.
            log[np.arange(len(labels)), labels] = own
        best = first_best_of_rows(evidences.T)
        found[rows] = training.log_prior_left_out[rows] + logs[best, np.arange(len(labels))]
    return normalised(found)


def _largest_cost(model: Augmented, training: Training) -> float:
    """Return an upper bound of the gain in evidence of any forest if a copy of a row is left out, in nats."""
    sizes = model.counts.pairs.n_values
    of_class = model.strength / model.counts.n_classes
    per_cell = np.log(sizes * (1.0 + training.class_counts.max() * sizes.max() / of_class))
    return float(per_cell.sum() * np.ceil(training.copy_weights.max()))


def _added(model: Augmented, codes: IntArray, parents: IntArray) -> FloatArray:
    """Return the log factors of the edges of a forest per row, summed, for each row and class."""
    places, edges = model.counts.pairs.places(codes), edges_of(parents)
    total = np.zeros((len(codes), model.counts.n_classes))
    for child in range(codes.shape[1]):
        has = np.flatnonzero(edges[:, child] >= 0)
        total[has] += np.log(model.factors[places[has, edges[has, child]]])
    return total


def _gains(log_weights: FloatArray, parents: IntArray) -> FloatArray:
    """Return the sum of the log weights of the edges of each forest."""
    edges = edges_of(parents)
    found = np.take_along_axis(np.hstack([log_weights, np.zeros((len(edges), 1))]), edges, axis=1)
    return np.asarray(found.sum(axis=1))
