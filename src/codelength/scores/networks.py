r"""Code lengths of networks by factorised and quotient normalised maximum likelihood (NML).

NML of a whole network is not feasible, because its normaliser does not factorise. Two codes that factorise
are close to it. Let :math:`n_{jl}` count the rows with configuration j of the parents and value l, let
:math:`r` be the number of values and :math:`q` the number of all configurations, seen or not. Both add a
regret to minus the maximised log-likelihood of each variable given its parents:

- *factorised* NML [1]_ adds :math:`\sum_j \log C(r, n_j)`: one multinomial per configuration;
- *quotient* NML [2]_ adds :math:`\log C(q r, N) - \log C(q, N)`: the variable and its parents as one
  multinomial, less the parents as one. The sum over a network is then the same for all Markov equivalent
  networks, which differ in the direction of edges only.

References
----------
.. [1] Silander, Roos, Kontkanen and Myllymäki (2008). Factorized normalized maximum likelihood criterion for
       learning Bayesian network structures. PGM.
.. [2] Silander, Leppä-aho, Jääsaari and Roos (2018). Quotient normalized maximum likelihood criterion for
       learning Bayesian network structures. AISTATS.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, TypeAlias

import numpy as np

from .._display import Shown, counted, nats_and_bits
from ..blocks import Block, Grid
from ..errors import DataError, InvalidParameter
from ..table import Coded
from ..table._messages import shown
from ..table.checks import check_choice, check_instance, check_names
from .multinomial import is_whole, log_fit, log_normalisers

Code: TypeAlias = Literal["fnml", "qnml"]
"""Factorised or quotient normalised maximum likelihood."""


@dataclass(frozen=True, eq=False, repr=False)
class NetworkCodeLength(Shown):
    """Code lengths of the variables of a network, each given its parents, in nats.

    ``float()`` gives their sum, the code length of the table.

    Attributes
    ----------
    by_variable : dict of str to float
        Code length of each variable.
    parents : dict of str to tuple of str
        The parents of each variable.
    code : {"qnml", "fnml"}
        Quotient or factorised normalised maximum likelihood.
    """

    by_variable: dict[str, float]
    parents: dict[str, tuple[str, ...]]
    code: str

    def __float__(self) -> float:
        return math.fsum(self.by_variable.values())

    def _title(self) -> str:
        variables = counted(len(self.by_variable), "variable")
        return f"{self.code} code of {variables}: {nats_and_bits(float(self))}"

    def _blocks(self) -> list[Block]:
        rows = [
            [name, ", ".join(self.parents[name]), f"{length:.1f}", f"{length / math.log(2):.1f}"]
            for name, length in self.by_variable.items()
        ]
        return [Grid("", ["variable", "parents", "nats", "bits"], rows, n_text=2)]


def network_code_length(
    rows: Coded, parents: Mapping[str, str | Sequence[str]], *, code: Code = "qnml"
) -> NetworkCodeLength:
    """Return the code length of a table under a network of its variables, in nats, without a prior.

    Parameters
    ----------
    rows : Coded
        The table, as :func:`codelength.sources.as_coded` returns it. Its class is one of the variables.
    parents : mapping of names to names
        Names of the parents of each variable, or a single name. Variables without an entry have no parents.
    code : {"qnml", "fnml"}
        Quotient NML, which is the same for all Markov equivalent networks; or factorised NML, one multinomial
        for each configuration of the parents.

    Raises
    ------
    DataError
        If a cell is missing, or a weight is not a whole number.

    Examples
    --------
    The quotient code is the same for both directions of an edge:

    >>> from codelength.code_lengths import network_code_length
    >>> from codelength.sources import as_coded
    >>> table = {"rain": ["yes", "yes", "no", "no", "no"], "wind": ["west", "west", "east", "east", "west"]}
    >>> rows = as_coded(table)
    >>> [round(float(network_code_length(rows, {child: parent})), 6)
    ...  for child, parent in (("rain", "wind"), ("wind", "rain"))]
    [8.124521, 8.124521]
    """
    check_instance("rows", rows, Coded, "a table as codes, as codelength.sources.as_coded makes them")
    check_choice("code", code, Code)
    # In a network, the class is a variable like the others.
    table = rows if rows.schema.target is None else rows.with_class_as_column()
    names = table.schema.names
    checked = _checked_parents(parents, names)
    _check_rows(table)
    lengths = {name: _length(table, i, checked[name], code) for i, name in enumerate(names)}
    return NetworkCodeLength(lengths, checked, code)


def _length(table: Coded, variable: int, parents: tuple[str, ...], code: Code) -> float:
    """Return the code length of a variable given its parents."""
    n_values, above = table.schema.n_values.tolist(), [table.schema.position(name) for name in parents]
    # Only seen configurations of the parents are counted: with many parents, most are not seen.
    first, configurations = table.select(above).groups()
    cells = configurations * n_values[variable] + table.codes[:, variable]
    counts = np.bincount(cells, table.weights, len(first) * n_values[variable]).astype(np.float64)
    counts = counts.reshape(-1, n_values[variable])
    if code == "fnml":
        regret = log_normalisers(n_values[variable], counts.sum(axis=1).astype(np.int64)).sum()
    else:
        # Unseen configurations count in the regret of quotient NML, but not in the likelihood.
        n_rows, n_all = np.array([counts.sum()], dtype=np.int64), math.prod(n_values[i] for i in above)
        joint = log_normalisers(n_all * n_values[variable], n_rows)
        regret = (joint - log_normalisers(n_all, n_rows)).sum()
    return float(regret) - log_fit(counts)


def _check_rows(table: Coded) -> None:
    """Raise DataError for fractional weights and missing cells."""
    if table.weights is not None and not is_whole(table.weights):
        raise DataError(
            "weights that are not whole numbers: normalised maximum likelihood sums over tables of whole "
            "rows; leave the weights out"
        )
    missing = (table.codes == table.schema.n_values).any(axis=0)
    if missing.any():
        name = table.schema.names[int(np.argmax(missing))]
        raise DataError(
            f"variable {shown(name)}: cells are missing, and normalised maximum likelihood sums over "
            'complete tables; pass missing="value" so that missing is a value'
        )


def _checked_parents(parents: Any, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the parents of all variables; raise InvalidParameter if they are not a network."""
    check_instance("parents", parents, Mapping, "a mapping from variables to their parents")
    found: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for child, given in parents.items():
        above = check_names("parents", [given] if isinstance(given, str) else given)
        for name in (child, *above):
            if name not in found:
                raise InvalidParameter(
                    f"parents: {shown(name)} is not a variable of the table; check the name"
                )
        if child in above or len(set(above)) < len(above):
            raise InvalidParameter(
                f"parents of {shown(child)}: each parent is another variable, named once; got {shown(above)}"
            )
        found[child] = above
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        raise InvalidParameter(
            f"parents: the edges of {shown(error.args[1][0])} make a ring; a network has none"
        ) from None
    return found
