"""Look-up tables of models whose log weights are sums of look-ups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from ..averages.member import Sums
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

    Probabilities are ``p[k] = floor[k] + (1 - sum(floor)) * weight[k] / sum(weight)``.

    Attributes
    ----------
    rule : str
        Rule of naive Bayes, or kind of another model.
    target : str
        Name of the class column.
    classes : tuple
        The classes.
    class_table : array of shape (n_classes,)
        Log weight of each class without any variable.
    variables : tuple of Variable
        Variables with tables.
    value_tables : tuple of arrays of shape (n_values + 1, n_classes)
        Term of each value of these variables. The last row is zero; it is for cells without a listed value.
    groups : tuple of (array of shape (n_values + 1,) or None)
        For each of these variables, the group of each value; None if values are not grouped.
    pair_tables : tuple of PairTable
        Terms of pairs of groups. No variable has two parents, and the graph of parents has no cycle.
    floor : array of shape (n_classes,)
        Probability of each class that does not depend on the row.
    describes_values : bool
        True if the table of a variable, normalised, is the distribution of its values in each class.
    """

    rule: str
    target: str
    classes: tuple[Scalar, ...]
    class_table: FloatArray
    variables: tuple[Variable, ...]
    value_tables: tuple[FloatArray, ...]
    groups: tuple[IntArray | None, ...]
    pair_tables: tuple[PairTable, ...]
    floor: FloatArray
    describes_values: bool = False

    @classmethod
    def of(cls, predictor: Predictor) -> Self:
        """Return the look-ups of naive Bayes under any rule."""
        schema, tables = predictor.counts.schema, predictor.tables
        # Ignored columns, such as identifiers, have tables of one value that add the same to all classes.
        used = [i for i, variable in enumerate(schema.variables) if variable.kind != "ignored"]
        starts = schema.offsets
        values = {i: np.ascontiguousarray(tables.value_table[:, starts[i] : starts[i + 1]].T) for i in used}
        sums = Sums(tables.class_table, values)
        made = cls.of_sums(predictor.rule.name, schema, sums, np.zeros(schema.n_classes))
        return replace(made, describes_values=True)

    @classmethod
    def of_sums(cls, rule: str, schema: Schema, sums: Sums, floor: FloatArray) -> Self:
        """Return the look-ups of sums for all classes of a schema.

        Parameters
        ----------
        rule : str
            Kind of the model.
        schema : Schema
            Schema of the table.
        sums : Sums
            Tables by position in the schema.
        floor : array of shape (n_classes,)
            Probability of each class that does not depend on the row.
        """
        assert schema.target is not None
        used = sorted(sums.value_tables)
        # Positions in the schema become places among the variables with tables.
        places = {position: place for place, position in enumerate(used)}
        return cls(
            rule,
            schema.target.name,
            schema.classes,
            sums.class_table,
            tuple(schema.variables[i] for i in used),
            tuple(sums.value_tables[i] for i in used),
            tuple(sums.groups.get(i) for i in used),
            tuple(
                PairTable(places[child], places[parent], entries)
                for (child, parent), entries in sums.pair_tables.items()
            ),
            floor,
        )

    @property
    def paired(self) -> dict[int, IntArray]:
        """Groups of the values of variables that are part of a pair, by place of the variable."""
        places = sorted({place for pair in self.pair_tables for place in pair[:2]})
        return {place: groups for place in places if (groups := self.groups[place]) is not None}


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


def pooled(parts: Sequence[Sums], powers: Sequence[float], log_prior: FloatArray) -> Sums:
    """Return the log-linear pool of sums of look-ups, which is a sum of look-ups itself.

    Parameters
    ----------
    parts : sequence of Sums
        Sums to pool; at most one of them has pair tables.
    powers : sequence of float
        Powers of their ratios to the class prior.
    log_prior : array of shape (n_classes,)
        Log class prior.
    """
    class_table = log_prior.copy()
    values: dict[int, FloatArray] = {}
    groups: dict[int, IntArray] = {}
    pairs: dict[tuple[int, int], FloatArray] = {}
    for power, part in zip(powers, parts, strict=True):
        # The pool is relative to the class prior, so the prior counts once, whatever the powers.
        class_table += power * (part.class_table - log_prior)
        for position, table in part.value_tables.items():
            values[position] = values.get(position, 0.0) + power * table
        groups |= part.groups
        pairs |= {key: power * table for key, table in part.pair_tables.items()}
    return Sums(class_table, values, groups, pairs)


def among_all(sums: Sums, seen: IntArray, n_classes: int) -> Sums:
    """Extend sums for the classes that were seen to all classes; the others have weight zero.

    Parameters
    ----------
    sums : Sums
        Sums with one column per seen class.
    seen : array of int
        Codes of the seen classes.
    n_classes : int
        Number of all classes.
    """
    if len(seen) == n_classes:
        return sums

    def widened(table: FloatArray, others: float) -> FloatArray:
        # Unseen classes have log weight minus infinity once, in the class table; other terms are 0, because
        # -inf - -inf is NaN.
        wide = np.full((*table.shape[:-1], n_classes), others)
        wide[..., seen] = table
        return wide

    return Sums(
        widened(sums.class_table, -np.inf),
        {position: widened(table, 0.0) for position, table in sums.value_tables.items()},
        sums.groups,
        {pair: widened(table, 0.0) for pair, table in sums.pair_tables.items()},
    )
