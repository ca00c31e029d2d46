r"""Mutable counts of rows with growing domains: new variables, values and classes may occur.

A variable with :math:`m` values so far may have :math:`M \ge m` values. With known :math:`M`, this would be
the model of a fixed domain with pseudocount :math:`\sigma` per value. :math:`M` is not known, so predictions
are averaged over its posterior:

.. math:: P(M) \propto \frac{1}{M (M + 1)} \frac{(M - m_0)!}{(M - m)!}
          \prod_k \frac{\Gamma(\sigma M)}{\Gamma(\sigma M + n_k)}

for :math:`m_0` declared values and :math:`n_k` observed cells in class :math:`k`. A value met before has
probability :math:`E[(f_{kl} + \sigma) / (n_k + \sigma M)]`, and all new values together have the escape
probability :math:`E[\sigma (M - m) / (n_k + \sigma M)]`. They add up to one. Classes are treated in the same
way. See the page about streams.

Layout: a value has a place, a row of ``value_counts``; a class has a column. Places of values that no row has
any more are used again, and arrays grow by half, so the order of places is not that of the values.

Order of reading: :class:`GrowingCounts`: ``find`` (places of the cells of a row), ``learn`` and ``take_off``
(one row in or out), ``log_weights`` (a prediction), ``counts`` (a snapshot under a schema).

Depends on ``domain`` (the values of one variable, the prior on their number), ``fixed`` (the interface) and
``_kernels`` (averages over sizes).
"""

from collections.abc import Iterable, Mapping
from operator import gt
from typing import Any

import numpy as np

from ..counts import Counts
from ..errors import DataError, Infeasible, InvalidParameter
from ..naive_bayes import Prior, PriorLike, Rule
from ..table import Schema, Variable
from ..table._messages import shown
from ..table.one_row import check_row
from ..typing import FloatArray, Scalar
from .domain import LOG_PRIOR, MAX_VALUES, MISSING, NEW, SIZES, Domain, Places
from .fixed import Located, StreamCounts

MAX_CELLS = 1 << 27
"""Largest number of counts: one gigabyte."""


MIN_PSEUDOCOUNT, MAX_PSEUDOCOUNT = 1e-9, 1e9
"""Range of pseudocounts; beyond it, weights of the sizes of domains lose all digits."""


class GrowingCounts(StreamCounts):
    """Counts of single rows with growing domains.

    Parameters
    ----------
    schema : Schema, optional
        Declares variables, values and classes; further values and classes may occur. Without a schema, every
        name in a row is a variable.
    class_pseudocount, value_pseudocount : float
        Pseudocount of each class, and of each value in each class.
    """

    def __init__(self, schema: Schema | None, class_pseudocount: float, value_pseudocount: float) -> None:
        self._start = schema
        self.class_pseudocount, self.value_pseudocount = class_pseudocount, value_pseudocount
        # Places of values are shared by all variables, so that one array holds all counts.
        self._places, self._columns = Places(), Places()
        target = None if schema is None else schema.target
        self.target = Domain("class" if target is None else target.name, target, self._columns)
        _check_declared(target)
        self.domains: list[Domain] = []
        self._by_name: dict[str, tuple[int, Domain, dict[str, int]]] = {}
        self.n_known = np.zeros(0, dtype=np.int64)
        self.n_declared = np.zeros(0, dtype=np.int64)
        self.is_open = np.zeros(0, dtype=np.bool_)
        self.n_met = np.zeros(0)
        self.totals = np.zeros((0, 0))
        self.value_counts = np.zeros((0, 0))
        self.class_counts = np.zeros(0)
        self.n_met_classes = 0.0
        for variable in () if schema is None else schema.variables:
            self.add_variable(variable.name, variable)
        self._make_room()

    @property
    def n_variables(self) -> int:
        """Number of variables so far."""
        return len(self.domains)

    @property
    def classes(self) -> tuple[Scalar, ...]:
        """Classes so far, in the order of their log weights; the log weight of a new class is behind them."""
        declared = () if self.target.declared is None else self.target.declared.values
        return (*(label for label in declared if label is not None), *self.target.met.values())

    @property
    def schema(self) -> Schema:
        """Schema of the variables, values and classes so far."""
        target = self.target.variable()
        if target is None:
            raise DataError("no class was met yet, so there is no schema; learn a row first")
        variables = [domain.variable() for domain in self.domains]
        return Schema(tuple(variable for variable in variables if variable is not None), target)

    @property
    def layout(self) -> tuple[list[int], list[int]]:
        """Rows and columns of the value counts that are in use, in the order of values and classes."""
        return [place for domain in self.domains for place in domain.places], self.target.places

    def places_of(self, i: int) -> list[int]:
        """Return the places of the values of a variable."""
        return self.domains[i].places

    def class_place(self, y: Scalar) -> int:
        """Return the place of a class among the log weights; -1 for a class not met before."""
        place = self._column(y)
        return -1 if place == NEW else self.target.places.index(place)

    def find(self, x: Mapping[str, Any], y: Scalar) -> Located:
        """Return the places of a row; places of new values and the code of a new class are below zero."""
        return Located.at(self._column(y), *self._found(x))

    def learn(self, x: Mapping[str, Any], y: Scalar, weight: float) -> Located:
        """Count a row and return its places; new variables, values and classes are added first.

        A row that would make the counts too large raises Infeasible and changes nothing.
        """
        code, (places, positions) = self._column(y), self._found(x)
        names = self._new_names(x)
        if code == NEW or NEW in places or names:
            # Checked before anything changes, so that a row that is too much leaves the counts as they were.
            self._check_room(code == NEW, places.count(NEW) + len(names))
            code, places, positions = self._grown(x, y, names, weight)
        row = Located.at(code, places, positions)
        self.add(row, weight)
        return row

    def take_off(self, row: Located) -> None:
        """Remove a row that was counted with weight 1, and values that no row has any more."""
        super().take_off(row)
        # A value is forgotten once no row has it, as if it had never been met: the evidence depends on the
        # rows that count only.
        left: list[bool] = np.any(self.value_counts[row.places], axis=1).tolist()
        for place, position, is_left in zip(row.places.tolist(), row.positions.tolist(), left, strict=True):
            if not is_left and self.domains[position].drop(place):
                self._places.give_back(place)
                self.n_known[position] -= 1
                self.n_met[position] -= 1.0
        if not self.class_counts[row.code] and self.target.drop(row.code):
            self._columns.give_back(row.code)
            self.n_met_classes -= 1.0

    def shrink(self, weight: float) -> None:
        """Change the unit of the counts."""
        super().shrink(weight)
        self.n_met /= weight
        self.n_met_classes /= weight

    def log_weights(self, x: Mapping[str, Any], weight: float) -> FloatArray:
        """Return the joint log probability of a row with each class so far, and last with a new class."""
        from ._kernels import add_log_values, log_averages

        places, positions = self._found(x)
        target, columns = self.target, np.array(self.target.places, dtype=np.int64)
        log_weights = np.zeros(len(columns) + 1)
        total = np.array([self.class_counts.sum() / weight])
        terms, average = np.empty(len(SIZES)), np.empty(1)
        known = (target.n_known, target.n_declared, self.n_met_classes / weight, self.class_pseudocount)
        if not target.is_open:
            log_weights[-1] = -np.inf
            average[0] = -np.log(total[0] + self.class_pseudocount * len(columns))
        else:
            # Classes are a growing domain themselves, with one total: first the escape, then the known
            # classes.
            log_averages(total, *known, SIZES, LOG_PRIOR, True, terms, average)
            log_weights[-1] = average[0]
            log_averages(total, *known, SIZES, LOG_PRIOR, False, terms, average)
        log_weights[:-1] = np.log(self.class_counts[columns] / weight + self.class_pseudocount) + average[0]
        add_log_values(
            np.array(places, dtype=np.int64),
            np.array(positions, dtype=np.int64),
            columns,
            self.value_counts,
            self.totals,
            self.n_known,
            self.n_declared,
            self.n_met,
            self.is_open,
            weight,
            self.value_pseudocount,
            SIZES,
            LOG_PRIOR,
            log_weights,
        )
        return log_weights

    def log_total(self, weight: float) -> float:
        """Return 0: the joint probabilities of all rows and classes add up to one."""
        return 0.0

    def log_evidence(self, weight: float) -> float:
        """Return the log probability of all rows together, which does not depend on their order."""
        # Classes are one more variable, with a single total instead of one per class.
        columns = self.target.places
        of_classes = self.class_counts[columns][:, None] / weight
        met = self.n_met_classes / weight
        found = self.target.log_evidence(of_classes, of_classes.sum(axis=0), met, self.class_pseudocount)
        for i, domain in enumerate(self.domains):
            # An identifier has one value that every row has: it is certain, and adds nothing.
            if not domain.is_retired:
                of_values = self.value_counts[np.ix_(domain.places, columns)] / weight
                totals, n_met = self.totals[i, columns] / weight, self.n_met[i] / weight
                found += domain.log_evidence(of_values, totals, n_met, self.value_pseudocount)
        return found

    def counts(self, weight: float) -> Counts:
        """Return a copy of the counts under the schema so far. Missing cells are not counted."""
        schema, columns = self.schema, self.target.places
        class_counts = self.class_counts[columns] / weight
        parts = []
        for domain in self.domains:
            if domain.is_retired:
                # An identifier is a variable with one value that every row has.
                parts += [class_counts[:, None], np.zeros((len(columns), 1))]
            elif domain.n_known:
                parts.append(self.value_counts[np.ix_(domain.places, columns)].T / weight)
                parts.append(np.zeros((len(columns), 1)))
        return Counts(schema, class_counts, np.hstack(parts) if parts else np.zeros((len(columns), 0)))

    def start_from(self, counts: Counts) -> None:
        """Initialise from counts, all of whose values are declared."""
        self.class_counts[self.target.places] = counts.class_counts
        for i, domain in enumerate(self.domains):
            self.value_counts[np.ix_(domain.places, self.target.places)] = counts.of(i).T
            self.totals[i, self.target.places] = counts.of(i).sum(axis=1)

    def meet(self, domain: Domain, values: Iterable[Scalar]) -> None:
        """Add values to a domain."""
        places = self._columns if domain is self.target else self._places
        for value in values:
            if domain.find(value) != NEW:
                raise DataError(f"variable {shown(domain.name)}: value {shown(value)} is met twice")
            domain.add(value, places.take())
        if domain is not self.target:
            self.n_known[self._by_name[domain.name][0]] = domain.n_known
        self._make_room()

    def _column(self, y: Scalar) -> int:
        """Return the column of a class, NEW for a new one; raise DataError if it is missing."""
        column = self.target.find(y)
        if column == MISSING:
            raise DataError(
                f"class {shown(y)}: missing, or not among those that are given as codes; leave the row out"
            )
        return column

    def _found(self, x: Mapping[str, Any]) -> tuple[list[int], list[int]]:
        """Return the places of the known values of a row, and the positions of their variables."""
        check_row(x)
        places, positions = [], []
        for name, (position, domain, texts) in self._by_name.items():
            cell = x.get(name)
            # Most cells are text, which caches its hash: a look-up without the method call is faster.
            place = texts.get(cell) if type(cell) is str else None
            if place is None:
                place = domain.find(cell)
            if place != MISSING:
                places.append(place)
                positions.append(position)
        return places, positions

    def _new_names(self, x: Mapping[str, Any]) -> list[str]:
        """Return names of variables that were not met before and are not missing in a row."""
        if self._start is not None:
            return []
        names = []
        for name, cell in x.items():
            if name in self._by_name:
                continue
            if not isinstance(name, str):
                raise DataError(f"name {shown(name)}: expected text; convert it with str()")
            # A throw-away domain, to find out if the cell has a value at all.
            if Domain(name, None, Places()).find(cell) == NEW:
                names.append(name)
        return names

    def _grown(
        self, x: Mapping[str, Any], y: Scalar, names: list[str], weight: float
    ) -> tuple[int, list[int], list[int]]:
        """Add the new class, variables and values of a row; return its places."""
        code = self.target.find(y)
        if code == NEW:
            code = self._columns.take()
            self.target.add(y, code)
            self.n_met_classes += weight
        self._make_room()
        for name in names:
            self.add_variable(name)
        places, positions = self._found(x)
        for j, (place, position) in enumerate(zip(places, positions, strict=True)):
            if place == NEW:
                domain = self.domains[position]
                places[j] = self._places.take()
                domain.add(x[domain.name], places[j])
                self.n_known[position] += 1
                self.n_met[position] += weight
                # Too many values to be informative, and too many to count: an identifier.
                if domain.n_known > MAX_VALUES:
                    domain.retire()
        self._make_room()
        return code, places, positions

    def add_variable(self, name: str, declared: Variable | None = None) -> None:
        """Add a variable, without values or with declared ones."""
        if name in self._by_name:
            raise DataError(f"variable {shown(name)} is there twice")
        _check_declared(declared)
        position, domain = len(self.domains), Domain(name, declared, self._places)
        self._by_name[name] = (position, domain, domain.texts)
        self.domains.append(domain)
        self._make_room()
        self.n_known[position] = self.n_declared[position] = domain.n_declared
        self.is_open[position] = domain.is_open

    def _check_room(self, is_new_class: bool, n_new_values: int) -> None:
        """Raise Infeasible if the counts would become too large."""
        n_classes, n_places = self._columns.n_places + is_new_class, self._places.n_places + n_new_values
        if n_classes * n_places > MAX_CELLS or n_classes > MAX_VALUES:
            raise Infeasible(
                f"{n_classes:,} classes and {n_places:,} values were met, too many to count together; "
                "declare numbers as intervals with schema=, and leave identifiers out"
            )

    def _make_room(self) -> None:
        """Enlarge arrays that are too small, by at least half, so that the cost per row is constant."""
        wanted = len(self.domains), self._columns.n_places, self._places.n_places
        there = len(self.n_known), len(self.class_counts), len(self.value_counts)
        if any(map(gt, wanted, there)):
            more = [own if n <= own else max(n, own * 3 // 2) for n, own in zip(wanted, there, strict=True)]
            n_variables, n_classes, n_places = more
            for name in ("n_known", "n_declared", "is_open", "n_met"):
                setattr(self, name, _longer(getattr(self, name), n_variables))
            self.class_counts = _longer(self.class_counts, n_classes)
            self.totals = _longer(self.totals, n_variables, n_classes)
            self.value_counts = _longer(self.value_counts, n_places, n_classes)


def check_growing(rule: Rule, prior: PriorLike, handle_unknown: str) -> tuple[float, float]:
    """Return the pseudocounts of classes and values, if rule, prior and options allow domains to grow.

    Only averages over parameters can be averaged over sizes too, and only pseudocounts that do not depend on
    the size give each of them the same model.
    """
    if not (rule.averages and rule.needs_prior):
        raise InvalidParameter(
            f'domains="growing" averages over how many values there are, and rule="{rule.name}" does not; '
            'pass rule="evidence"'
        )
    if handle_unknown == "error":
        raise InvalidParameter(
            'domains="growing" takes in values that are not known; leave handle_unknown= out'
        )
    if isinstance(prior, Prior):
        given = prior.class_pseudocounts, prior.value_pseudocounts
        if all(
            isinstance(number, float) and MIN_PSEUDOCOUNT <= number <= MAX_PSEUDOCOUNT for number in given
        ):
            return given
    if isinstance(prior, str) and prior == "uniform":
        return 1.0, 1.0
    raise InvalidParameter(
        'domains="growing" takes the same pseudocount for all values, whatever their number, from 1e-9 to '
        '1e9; pass prior="uniform", or a Prior of two numbers'
    )


def _check_declared(variable: Variable | None) -> None:
    """Raise Infeasible if a variable declares too many values."""
    if variable is not None and variable.kind == "category" and variable.n_values > MAX_VALUES:
        raise Infeasible(
            f"variable {shown(variable.name)}: {variable.n_values:,} values are declared, and a domain that "
            f'grows has at most {MAX_VALUES:,}; pass domains="fixed", or leave the variable out'
        )


def _longer(array: Any, *shape: int) -> Any:
    """Return a larger array with the same content, filled with zeros."""
    longer = np.zeros(shape, dtype=array.dtype)
    longer[tuple(slice(0, size) for size in array.shape)] = array
    return longer
