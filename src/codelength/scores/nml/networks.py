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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..._display import Shown, counted, nats_and_bits
from ...blocks import Block, Grid
from ...errors import DataError, InvalidParameter
from ...table import Coded
from ...table._messages import shown
from ...table.checks import check_choice, check_instance, check_names
from ...typing import FloatArray, IntArray
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
    code : str
        The code: ``"fnml"`` or ``"qnml"``.
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


def fnml_code_length(counts: FloatArray) -> float:
    """Return the code length of a variable given its parents by factorised NML, in nats.

    Parameters
    ----------
    counts : array of shape (n_configurations, n_values)
        Counts of each value with each configuration of the parents; unseen configurations may be left out.

    Examples
    --------
    >>> round(fnml_code_length(np.array([[2.0, 0.0], [1.0, 1.0]])), 3)  # twice log 2.5, and 2 bits
    3.219
    """
    normalisers = log_normalisers(counts.shape[1], counts.sum(axis=1).astype(np.int64))
    return float(normalisers.sum()) - log_fit(counts)


def qnml_code_length(counts: FloatArray, n_configurations: int | None = None) -> float:
    """Return the code length of a variable given its parents by quotient NML, in nats.

    Parameters
    ----------
    counts : array of shape (n_configurations, n_values)
        Counts of each value with each configuration of the parents.
    n_configurations : int, optional
        Number of all configurations, if ``counts`` leaves out unseen ones.

    Examples
    --------
    >>> round(qnml_code_length(np.array([[2.0, 0.0], [1.0, 1.0]])), 3)  # log(C(4, 4) / C(2, 4)), and 2 bits
    2.831
    """
    # Unseen configurations count in the regret of quotient NML, but not in the likelihood.
    configurations = len(counts) if n_configurations is None else n_configurations
    n_rows = np.array([counts.sum()], dtype=np.int64)
    joint = log_normalisers(configurations * counts.shape[1], n_rows)[0]
    return float(joint - log_normalisers(configurations, n_rows)[0]) - log_fit(counts)


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
    score: Callable[[FloatArray, int], float] = (
        qnml_code_length if code == "qnml" else lambda counts, _: fnml_code_length(counts)
    )
    sizes, lengths = table.schema.n_values, {}
    for i, name in enumerate(names):
        above = [names.index(parent) for parent in checked[name]]
        # Only seen configurations are counted: with many parents, most are not seen.
        counts = _counted(table, i, above)
        lengths[name] = score(counts, math.prod(sizes[above].tolist()))
    return NetworkCodeLength(lengths, checked, code)


def _counted(table: Coded, variable: int, above: list[int]) -> FloatArray:
    """Return counts of the values of a variable with each seen configuration of its parents."""
    n_values = int(table.schema.n_values[variable])
    configurations: IntArray = np.zeros(table.n_rows, dtype=np.int64)
    n_seen = 1
    for parent in above:
        # Numbered again after each parent, so that the numbers stay below the number of rows.
        both = configurations * int(table.schema.n_values[parent]) + table.codes[:, parent]
        seen, configurations = np.unique(both, return_inverse=True)
        n_seen = len(seen)
    cells = configurations * n_values + table.codes[:, variable]
    counts = np.bincount(cells, table.weights, n_seen * n_values)
    return counts.astype(np.float64).reshape(n_seen, n_values)


def _check_rows(table: Coded) -> None:
    """Raise DataError for fractional weights and missing cells."""
    if table.weights is not None and not is_whole(table.weights):
        raise DataError(
            "weights that are no whole numbers: normalised maximum likelihood sums over tables of whole "
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
                raise InvalidParameter(f"parents: {shown(name)} is no variable of the table; check the name")
        if child in above or len(set(above)) < len(above):
            raise InvalidParameter(
                f"parents of {shown(child)}: each parent is another variable, named once; got {shown(above)}"
            )
        found[child] = above
    _check_acyclic(found)
    return found


def _check_acyclic(parents: Mapping[str, tuple[str, ...]]) -> None:
    """Raise InvalidParameter if edges make a cycle.

    Variables whose parents are all removed are removed in turn; a cycle is left over.
    """
    left = dict(parents)
    while left:
        free = [name for name, above in left.items() if not any(parent in left for parent in above)]
        if not free:
            raise InvalidParameter(
                f"parents: the edges of {shown(next(iter(left)))} make a ring; a network has none"
            )
        for name in free:
            del left[name]
