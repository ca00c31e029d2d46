"""Models whose predictions are sums of look-ups, as the tables that are looked up."""

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
    """What the groups of two variables add together.

    Attributes
    ----------
    child, parent : int
        Which of the variables, the one that depends on the other first.
    entries : array of shape (n_groups, n_groups of the parent, n_classes)
        What a group of each adds. The last group of a variable is for cells that say nothing, and adds
        nothing.
    """

    child: int
    parent: int
    entries: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class LookUps:
    """Tables of log weights: their sum over the cells of a row is the log weight of each class.

    Normalised weights share out what :attr:`floor` leaves of the probability:
    ``p[k] = floor[k] + (1 - sum(floor)) * weight[k] / sum(weight)``.

    Attributes
    ----------
    rule : str
        How the model predicts: the rule of naive Bayes, or the kind of another model.
    target : str
        Name of the class column.
    classes : tuple
        The classes.
    class_table : array of shape (n_classes,)
        Log weight of each class before any variable is seen.
    variables : tuple of Variable
        The variables that say something.
    value_tables : tuple of arrays of shape (n_values + 1, n_classes)
        What each value of these adds. The last row is for cells without a value that is listed: they add
        nothing.
    groups : tuple of (array of shape (n_values + 1,) or None)
        For each of these what group its values belong to, where its values are seen in groups.
    pair_tables : tuple of PairTable
        What pairs of groups add. No variable has two parents, and parents make no ring.
    floor : array of shape (n_classes,)
        Probability that each class has whatever a row holds.
    describes_values : bool
        Whether the table of a variable, normalised, is the distribution of its values in each class.
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
        """The look-ups of naive Bayes under any rule."""
        schema, tables = predictor.counts.schema, predictor.tables
        used = [i for i, variable in enumerate(schema.variables) if variable.kind != "ignored"]
        starts = schema.offsets
        values = {i: np.ascontiguousarray(tables.value_table[:, starts[i] : starts[i + 1]].T) for i in used}
        sums = Sums(tables.class_table, values)
        made = cls.of_sums(predictor.rule.name, schema, sums, np.zeros(schema.n_classes))
        return replace(made, describes_values=True)

    @classmethod
    def of_sums(cls, rule: str, schema: Schema, sums: Sums, floor: FloatArray) -> Self:
        """Sums of look-ups for all classes of a schema."""
        assert schema.target is not None
        used = sorted(sums.value_tables)
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
        """Which variables take part in pairs, and the groups of their values."""
        places = sorted({place for pair in self.pair_tables for place in pair[:2]})
        return {place: groups for place in places if (groups := self.groups[place]) is not None}


def check_texts(look_ups: LookUps, program: str) -> None:
    """Refuse what no other program can hold: empty names, zeros in text, and halves of characters."""
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
    """Whether other programs can hold a text."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def pooled(parts: Sequence[Sums], powers: Sequence[float], log_prior: FloatArray) -> Sums:
    """The log-linear pool of some sums of look-ups, which is one itself.

    Parameters
    ----------
    parts : sequence of Sums
        At most one of them looks up pairs.
    powers : sequence of float
        The powers to which their ratios to the class prior are raised.
    log_prior : array of shape (n_classes,)
        Log class prior.
    """
    class_table = log_prior.copy()
    values: dict[int, FloatArray] = {}
    groups: dict[int, IntArray] = {}
    pairs: dict[tuple[int, int], FloatArray] = {}
    for power, part in zip(powers, parts, strict=True):
        class_table += power * (part.class_table - log_prior)
        for position, table in part.value_tables.items():
            values[position] = values.get(position, 0.0) + power * table
        groups |= part.groups
        pairs |= {key: power * table for key, table in part.pair_tables.items()}
    return Sums(class_table, values, groups, pairs)


def among_all(sums: Sums, seen: IntArray, n_classes: int) -> Sums:
    """Sums for the classes that were seen as sums for all, in which the others have no weight."""
    if len(seen) == n_classes:
        return sums

    def widened(table: FloatArray, others: float) -> FloatArray:
        wide = np.full((*table.shape[:-1], n_classes), others)
        wide[..., seen] = table
        return wide

    return Sums(
        widened(sums.class_table, -np.inf),
        {position: widened(table, 0.0) for position, table in sums.value_tables.items()},
        sums.groups,
        {pair: widened(table, 0.0) for pair, table in sums.pair_tables.items()},
    )
