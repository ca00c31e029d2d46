"""Look-up tables of models whose log weights are sums of look-ups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np

from ..errors import InvalidParameter
from ..naive_bayes import Predictor
from ..table import Schema, Variable
from ..table._messages import shown
from ..typing import FloatArray, IntArray, Scalar


class PairTable(NamedTuple):
    """Joint term of the groups of two variables.

    Attributes
    ----------
    child, parent : int
        Places of the variables; the child depends on the parent.
    entries : array of shape (n_groups, n_groups of the parent, n_classes)
        Term of each pair of groups. The last group of a variable is for cells without information; its terms
        are 0.
    """

    child: int
    parent: int
    entries: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class LookUps:
    """Tables of log weights: their sum over the cells of a row is the log weight of each class.

    Log weights are determined up to a number that is the same for all classes of a row. Probabilities are
    ``p[k] = floor[k] + (1 - sum(floor)) * weight[k] / sum(weight)``. Mappings are by position in the schema;
    properties list the variables that have a table, with pairs by their places among these.

    Attributes
    ----------
    schema : Schema
        Schema of the table.
    class_table : array of shape (n_classes,)
        Log weight of each class without any variable.
    tables : mapping of int to array of shape (n_values + 1, n_classes)
        Term of each value of a variable. The last row is zero; it is for cells without a listed value.
    groupings : mapping of int to array of shape (n_values + 1,)
        For variables with grouped values, the group of each value; the last group is for values without
        information. Tables of pairs are indexed by groups.
    pairs : mapping of (int, int) to array of shape (n_groups, n_groups of the parent, n_classes)
        Joint term of the groups of a variable and of its parent. No variable has two parents, and the graph
        of parents has no cycle.
    rule : str
        Rule of naive Bayes, or kind of another model.
    floor : array of shape (n_classes,), optional
        Probability of each class that does not depend on the row; by default 0.
    describes_values : bool
        True if the table of a variable, normalised, is the distribution of its values in each class.
    """

    schema: Schema
    class_table: FloatArray
    tables: Mapping[int, FloatArray]
    groupings: Mapping[int, IntArray] = field(default_factory=dict)
    pairs: Mapping[tuple[int, int], FloatArray] = field(default_factory=dict)
    rule: str = ""
    floor: FloatArray = field(default_factory=lambda: np.zeros(0))
    describes_values: bool = False

    def __post_init__(self) -> None:
        if not len(self.floor):
            object.__setattr__(self, "floor", np.zeros(len(self.class_table)))

    @classmethod
    def of(cls, predictor: Predictor) -> Self:
        """Return the look-ups of naive Bayes under any rule."""
        schema, found = predictor.counts.schema, predictor.tables
        # Ignored columns, such as identifiers, have tables of one value that add the same to all classes.
        used = [i for i, variable in enumerate(schema.variables) if variable.kind != "ignored"]
        starts = schema.offsets
        tables = {i: np.ascontiguousarray(found.value_table[:, starts[i] : starts[i + 1]].T) for i in used}
        return cls(schema, found.class_table, tables, rule=predictor.rule.name, describes_values=True)

    @classmethod
    def pooled(
        cls, parts: "Sequence[LookUps]", powers: Sequence[float], log_prior: FloatArray, **about: Any
    ) -> Self:
        """Return the log-linear pool of models, which is a sum of look-ups itself.

        Powers are those of the ratios of the models to the class prior; at most one model has tables of
        pairs. ``about`` are further attributes, among them the schema.
        """
        class_table = log_prior.copy()
        tables: dict[int, FloatArray] = {}
        groupings: dict[int, IntArray] = {}
        pairs: dict[tuple[int, int], FloatArray] = {}
        for power, part in zip(powers, parts, strict=True):
            # The pool is relative to the class prior, so the prior counts once, whatever the powers.
            class_table += power * (part.class_table - log_prior)
            for position, table in part.tables.items():
                tables[position] = tables.get(position, 0.0) + power * table
            groupings |= part.groupings
            pairs |= {key: power * table for key, table in part.pairs.items()}
        return cls(class_table=class_table, tables=tables, groupings=groupings, pairs=pairs, **about)

    def among_all(self, schema: Schema, seen: IntArray) -> Self:
        """Extend the look-ups of the classes with codes ``seen`` to all classes; others have weight zero."""

        def widened(table: FloatArray, others: float) -> FloatArray:
            # Unseen classes have log weight minus infinity once, in the class table; other terms are 0,
            # because -inf - -inf is NaN.
            wide = np.full((*table.shape[:-1], schema.n_classes), others)
            wide[..., seen] = table
            return wide

        return replace(
            self,
            schema=schema,
            class_table=widened(self.class_table, -np.inf),
            tables={position: widened(table, 0.0) for position, table in self.tables.items()},
            pairs={pair: widened(table, 0.0) for pair, table in self.pairs.items()},
        )

    @property
    def target(self) -> str:
        """Name of the class column."""
        assert self.schema.target is not None
        return self.schema.target.name

    @property
    def classes(self) -> tuple[Scalar, ...]:
        """The classes."""
        return self.schema.classes

    @property
    def variables(self) -> tuple[Variable, ...]:
        """Variables with tables."""
        return tuple(self.schema.variables[i] for i in sorted(self.tables))

    @property
    def value_tables(self) -> tuple[FloatArray, ...]:
        """Terms of the values of these variables."""
        return tuple(self.tables[i] for i in sorted(self.tables))

    @property
    def groups(self) -> tuple[IntArray | None, ...]:
        """For each of these variables, the group of each value; None if values are not grouped."""
        return tuple(self.groupings.get(i) for i in sorted(self.tables))

    @property
    def pair_tables(self) -> tuple[PairTable, ...]:
        """Terms of pairs of groups."""
        places = {position: place for place, position in enumerate(sorted(self.tables))}
        return tuple(PairTable(places[v], places[p], entries) for (v, p), entries in self.pairs.items())

    @property
    def paired(self) -> dict[int, IntArray]:
        """Groups of the values of variables that are part of a pair, by place of the variable."""
        places, groups = sorted({place for pair in self.pair_tables for place in pair[:2]}), self.groups
        return {place: own for place in places if (own := groups[place]) is not None}


def check_texts(look_ups: LookUps, program: str) -> None:
    """Raise InvalidParameter for text that other programs cannot store.

    That is: empty names, zero characters, and single surrogates.
    """
    if not all(one.name for one in look_ups.variables):
        raise InvalidParameter(
            f"column '': a column without a name, which {program} does not have; name it before the model is "
            "fitted"
        )
    holders = [(f"column {shown(one.name)}", (one.name, *one.values)) for one in look_ups.variables]
    for where, texts in [*holders, (f"classes {shown(look_ups.classes)}", look_ups.classes)]:
        if not all(is_whole(text) for text in texts if isinstance(text, str)):
            raise InvalidParameter(
                f"{where}: a name or a value holds a zero character, or half of a character, which {program} "
                "cannot hold; replace it before the model is fitted"
            )


def is_whole(text: str) -> bool:
    """Return True if other programs can store a text: no zero characters and no single surrogates."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
