r"""Prior knowledge from earlier cases: naive distributions, and posteriors of fitted models.

Naive distributions (Cerquides and López de Mántaras 2003) are a conjugate family of naive Bayes. They have
hyperparameters :math:`N'_{i,C}(v, c)`, one for each value of each variable in each class. They are counts of
cases: within a class they add up to the same number for every variable,

.. math:: N'_C(c) = \sum_v N'_{i,C}(v, c) \quad \text{for all } i, \qquad (9)

and the density over models, in the joint probabilities :math:`\phi_{ivc}` of a value and a class, is

.. math:: P(M) \propto \prod_c \alpha_c^{N'_C(c)} \prod_i \prod_v
          \Bigl(\frac{\phi_{ivc}}{\alpha_c}\Bigr)^{N'_{i,C}(v, c)}. \qquad (10)

Learning adds the counts of the rows to the hyperparameters (13), so a naive distribution is the posterior
after so many cases if all models were equally probable a priori. It predicts by (12), which is the evidence
rule with pseudocounts

.. math:: N'_C(c) + 1 + \sum_i (n_i - 1) \quad \text{and} \quad N'_{i,C}(v, c) + 1.

Order of reading: :class:`NaiveDistribution`; :class:`Posterior` (the same of a fitted model);
:func:`cases_under` (earlier cases under a later schema), then checks of cases. Depends on ``priors`` (the
interface of prior knowledge), on ``predictor`` and on :mod:`codelength.counts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from .._display import counted
from ..counts import Counts
from ..errors import DataError, InvalidParameter, SchemaMismatch
from ..table import Schema, Variable
from ..table._messages import shown
from ..table.checks import as_array, check_instance, check_number, reading
from ..table.values import is_number
from ..typing import FloatArray
from .predictor import Predictor
from .priors import MAX_PSEUDOCOUNT, Knowledge, Prior, Pseudocounts

_ROUNDING = 1e-9


@dataclass(frozen=True, repr=False)
class NaiveDistribution(Knowledge):
    """Prior knowledge about naive Bayes models, in the form of earlier cases [1]_.

    Parameters
    ----------
    cases : float, Counts, or sequence over variables
        The hyperparameters N'. A number of virtual rows, divided evenly among all classes and values; the
        counts of a table of earlier cases; or explicitly, for each variable an array of shape
        (n_classes, n_values) with the number of cases of each class with each value. Each class must have
        the same number of cases in all variables: condition (9). The default, no cases, is the prior that
        favours no model.

    References
    ----------
    .. [1] Cerquides and López de Mántaras (2003). The indifferent naive Bayes classifier. FLAIRS.

    Examples
    --------
    A prior of ten virtual rows, then a prior of earlier cases that an expert recalls:

    >>> from codelength import NaiveBayes
    >>> from codelength.naive_bayes import NaiveDistribution
    >>> rows, classes = {"wind": ["no", "yes"]}, ["in", "out"]
    >>> even = NaiveBayes(prior=NaiveDistribution(10)).fit(rows, classes)
    >>> even.predict_proba({"wind": ["yes"]}).round(3)
    array([[0.438, 0.562]])
    >>> recalled = NaiveDistribution([[[1, 7], [2, 0]]])  # in: 1 without wind, 7 with; out: 2 without
    >>> NaiveBayes(prior=recalled).fit(rows, classes).predict_proba({"wind": ["yes"]}).round(3)
    array([[0.8, 0.2]])
    """

    cases: Any = 0.0

    def __post_init__(self) -> None:
        """Check the cases and convert them to immutable form."""
        if isinstance(self.cases, Counts):
            counts = self.cases.value_counts
            if not (np.isfinite(counts).all() and counts.min(initial=0.0) >= 0):
                raise InvalidParameter(
                    "cases: a count is negative or not finite; pass what count() made of a table"
                )
            _class_cases(self.cases.schema, counts, self.cases.class_counts)
            return
        # Arrays become Python numbers, so that equality and JSON work.
        cases = self.cases.tolist() if isinstance(self.cases, (np.ndarray, np.generic)) else self.cases
        if is_number(cases):
            cases = check_number("cases", cases, 0.0, MAX_PSEUDOCOUNT)
        elif isinstance(cases, Sequence) and not isinstance(cases, str):
            cases = tuple(_table_of_cases(table, i) for i, table in enumerate(cases))
        else:
            raise InvalidParameter(
                f"cases={shown(self.cases)}: expected a number of virtual rows, Counts, or an array of shape "
                "(n_classes, n_values) for each variable"
            )
        object.__setattr__(self, "cases", cases)

    @property
    def schema(self) -> Schema | None:
        """Schema of the cases, if they were counted."""
        return self.cases.schema if isinstance(self.cases, Counts) else None

    def hyperparameters(self, schema: Schema) -> Counts:
        """Return the hyperparameters N' for a schema, as counts of cases.

        Raise InvalidParameter if they do not fit the schema or violate condition (9).
        """
        if isinstance(self.cases, Counts):
            return cases_under(self.cases, schema)
        values = np.zeros((schema.n_classes, schema.n_cells))
        if isinstance(self.cases, float):
            for i, n_values in enumerate(schema.n_values.tolist()):
                values[:, schema.cells(i)] = self.cases / (schema.n_classes * n_values)
            return Counts(schema, np.full(schema.n_classes, self.cases / schema.n_classes), values)
        if len(self.cases) != schema.n_variables:
            raise InvalidParameter(
                f"cases: {len(self.cases)} entries for {schema.n_variables} variables; give one array of "
                "shape (n_classes, n_values) for each"
            )
        for i, (variable, table) in enumerate(zip(schema.variables, self.cases, strict=True)):
            cells, given = (schema.n_classes, variable.n_values), np.array(table)
            if given.shape != cells:
                raise InvalidParameter(
                    f"cases of {shown(variable.name)}: shape {given.shape} does not fit {cells} (classes, "
                    "values)"
                )
            values[:, schema.cells(i)] = given
        return Counts(schema, _class_cases(schema, values), values)

    def bound(self, schema: Schema) -> "NaiveDistribution":
        """Return explicit cases as counts with the names of a schema; otherwise the same object."""
        return NaiveDistribution(self.hyperparameters(schema)) if isinstance(self.cases, tuple) else self

    def spread(self, schema: Schema) -> Pseudocounts:
        """Return the pseudocounts of equation (12), in the layout of the counts."""
        cases = self.hyperparameters(schema)
        values = cases.value_counts + 1.0
        values[:, schema.offsets[1:] - 1] = 0.0
        return Pseudocounts(cases.class_counts + 1.0 + float((schema.n_values - 1).sum()), values)

    def unclassed(self, schema: Schema) -> FloatArray:
        """Return pseudocounts of the values without classes: the cases of all classes, plus one."""
        values: FloatArray = self.hyperparameters(schema).value_counts.sum(axis=0) + 1.0
        values[schema.offsets[1:] - 1] = 0.0
        return values

    def learn(self, counts: Counts) -> "NaiveDistribution":
        """Return the posterior after rows, by equation (13): the rows are added to the cases.

        Examples
        --------
        >>> counts = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1)
        >>> NaiveDistribution(4).learn(counts).cases.of(0)
        array([[1., 1.],
               [2., 1.]])
        """
        check_instance("counts", counts, Counts, "Counts")
        return NaiveDistribution(self.hyperparameters(counts.schema).merge(counts))

    def predictor(self, schema: Schema | None = None) -> Predictor:
        """Return the predictor of the cases without further rows, by equation (12).

        The schema may be left out if the cases were counted.
        """
        given = self.schema if schema is None else schema
        check_instance("schema", given, Schema, "a Schema: the cases alone do not say which values there are")
        assert given is not None
        return Predictor.of(Counts.empty(given), "evidence", self)

    def to_json(self) -> dict[str, Any]:
        """Return the distribution as JSON types."""
        if isinstance(self.cases, Counts):
            return {"schema": self.cases.schema.to_json(), "counts": self.cases.to_json()}
        return {"cases": self.cases}

    @classmethod
    @reading("a NaiveDistribution")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Restore the distribution that :meth:`to_json` wrote."""
        if "counts" in document:
            return cls(Counts.from_json(document["counts"], Schema.from_json(document["schema"])))
        return cls(document["cases"])

    def __repr__(self) -> str:
        if isinstance(self.cases, Counts):
            return f"NaiveDistribution({counted(self.cases.n_rows, 'earlier case')})"
        return f"NaiveDistribution({shown(self.cases)})"


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Knowledge):
    """Posterior distribution over models, given rows and a prior.

    Used as a prior, it gives the same result as fitting both sets of rows together: its pseudocounts are
    those of the prior plus the counts.

    Attributes
    ----------
    counts : Counts
        Counts of the rows.
    start : Pseudocounts
        The prior before these rows.
    """

    counts: Counts
    start: Pseudocounts

    @classmethod
    def of(cls, predictor: Predictor) -> Self:
        """Return the posterior of a predictor.

        Examples
        --------
        >>> first = Counts.empty(Schema.from_sizes([2], n_classes=2)).add([0], 1)
        >>> learned = Posterior.of(Predictor.of(first))
        >>> Predictor.of(first, prior=learned).prior.class_pseudocounts
        array([1., 2.])
        """
        rule = predictor.rule
        if rule.maximises:
            raise InvalidParameter(
                f'prior: a model with rule="{rule.name}" has no distribution over models to start from; pass '
                "its counts_, which are earlier cases"
            )
        return cls(predictor.counts, predictor.prior)

    @property
    def schema(self) -> Schema:
        """Schema of the rows."""
        return self.counts.schema

    def spread(self, schema: Schema) -> Pseudocounts:
        """Return the sum of prior and counts, for the variables of a schema."""
        counts, start = cases_under(self.counts, schema), self._start_under(schema)
        # Conjugacy: pseudocounts of the posterior are those of the prior plus the counts.
        values = counts.value_counts + start.value_pseudocounts
        values[:, schema.offsets[1:] - 1] = 0.0
        return Pseudocounts(counts.class_counts + start.class_pseudocounts, values)

    def unclassed(self, schema: Schema) -> FloatArray:
        """Return pseudocounts of the values without classes: the rows of all classes, plus a prior."""
        seen = cases_under(self.counts, schema).value_counts.sum(axis=0)
        values: FloatArray = seen + self._start_under(schema).value_pseudocounts.mean(axis=0)
        values[schema.offsets[1:] - 1] = 0.0
        return values

    def to_json(self) -> dict[str, Any]:
        """Return the posterior as JSON types."""
        schema, values = self.schema, self.start.value_pseudocounts
        start = {
            "class_pseudocounts": self.start.class_pseudocounts.tolist(),
            "value_pseudocounts": [values[:, schema.cells(i)].tolist() for i in range(schema.n_variables)],
        }
        return {"schema": schema.to_json(), "counts": self.counts.to_json(), "start": start}

    @classmethod
    @reading("a Posterior")
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Restore the posterior that :meth:`to_json` wrote; raise DataError if the document is not valid."""
        schema = Schema.from_json(document["schema"])
        if schema.target is None:
            raise DataError("what was learned before has no classes")
        start = Prior.from_json(document["start"]).spread(schema)
        return cls(Counts.from_json(document["counts"], schema), start)

    def _start_under(self, schema: Schema) -> Pseudocounts:
        """Return the prior before the rows, for the variables of a schema."""
        # Pseudocounts have the layout of counts, so the function for counts selects them too.
        laid_out = Counts(self.schema, self.start.class_pseudocounts, self.start.value_pseudocounts)
        found = cases_under(laid_out, schema)
        return Pseudocounts(found.class_counts, found.value_counts)

    def __repr__(self) -> str:
        rows = counted(self.counts.n_rows, "row")
        return f"Posterior(after {rows} of {counted(self.schema.n_variables, 'variable')})"


def cases_under(cases: Counts, schema: Schema) -> Counts:
    """Return counts of earlier cases under a schema with the same classes and a subset of the variables.

    Variables with default names are matched by position. Raise SchemaMismatch if classes or values differ, or
    a variable is absent.
    """
    before = cases.schema
    if before.classes != schema.classes:
        raise SchemaMismatch(
            f"prior: the earlier cases have the classes {shown(list(before.classes))}, and the table has "
            f"{shown(list(schema.classes))}; pass schema= of the earlier cases"
        )
    names = schema.names
    if before.n_variables == len(names) and not before.is_named:
        names = before.names  # cases without names are matched by position
    chosen = [
        _position(before, name, variable) for name, variable in zip(names, schema.variables, strict=True)
    ]
    # Avoid a copy if the variables are the same.
    found = cases if chosen == [*range(before.n_variables)] else cases.select(chosen)
    return Counts(schema, found.class_counts, found.value_counts)


def _position(before: Schema, name: str, variable: Variable) -> int:
    """Return the position of a variable in the schema of the cases; raise SchemaMismatch if it differs."""
    if name not in before.names:
        raise SchemaMismatch(
            f"prior: the earlier cases have no variable {shown(name)}; leave the column out, or count the "
            "earlier cases with it"
        )
    i = before.names.index(name)
    if replace(before.variables[i], name=variable.name) != variable:
        raise SchemaMismatch(
            f"prior: variable {shown(name)} has other values in the earlier cases; pass schema= of the "
            "earlier cases"
        )
    return i


def _table_of_cases(table: Any, i: int) -> tuple[tuple[float, ...], ...]:
    """Return the cases of one variable as nested tuples; raise InvalidParameter if they are not valid."""
    given = as_array(table, np.float64)
    if given.ndim != 2 or not ((given >= 0) & (given <= MAX_PSEUDOCOUNT)).all():
        raise InvalidParameter(
            f"cases, entry {i}: {shown(table)}; expected an array of shape (n_classes, n_values) of numbers "
            f"from 0 to {MAX_PSEUDOCOUNT:g}"
        )
    return tuple(tuple(row) for row in given.tolist())


def _class_cases(schema: Schema, values: FloatArray, class_counts: FloatArray | None = None) -> FloatArray:
    """Return the number of cases of each class; raise InvalidParameter if they violate condition (9).

    Missing cells count as cases. By default, the number of cases is that of the first variable.
    """
    if not schema.n_variables:
        return np.zeros(schema.n_classes) if class_counts is None else class_counts
    totals = np.add.reduceat(values, schema.offsets[:-1], axis=1)
    found = totals[:, 0] if class_counts is None else class_counts
    # Relative rounding: counts of weighted rows are sums of fractions.
    wrong = np.abs(totals - found[:, None]) > _ROUNDING * np.maximum(totals, found[:, None])
    if wrong.any():
        i, k = (int(place) for place in np.argwhere(wrong.T)[0])
        label = shown(schema.classes[k]) if schema.classes else k
        raise InvalidParameter(
            f"cases of {shown(schema.names[i])}: those of class {label} add up to {totals[k, i]:g} instead "
            f"of {found[k]:g}; a case has one value of each variable or lacks it, so give all variables the "
            "same number of cases in each class, as count() does"
        )
    return found
