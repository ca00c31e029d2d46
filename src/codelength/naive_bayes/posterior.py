"""Posterior of a fitted model, as the prior of another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from .._display import counted
from ..counts import Counts
from ..errors import DataError, InvalidParameter
from ..table import Schema
from ..table.checks import reading
from ..typing import FloatArray
from .naive_distribution import cases_under
from .predictor import Predictor
from .priors import Knowledge, Prior, Pseudocounts


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

    @property
    def depends_on_variables(self) -> bool:
        """Always False: variables that are left out are marginalised."""
        return False

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
        parts = [
            values[:, schema.offsets[i] : schema.offsets[i + 1] - 1].tolist()
            for i in range(schema.n_variables)
        ]
        start = {
            "class_pseudocounts": self.start.class_pseudocounts.tolist(),
            "value_pseudocounts": parts,
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
