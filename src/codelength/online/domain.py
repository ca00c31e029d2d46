r"""Growing domains: the values of one variable so far, each with a place in the counts.

A domain has size :math:`M` with prior probability :math:`1 / (M (M + 1))`, so that it has at least :math:`M`
values with probability :math:`1 / M`: the prior is scale-free. All sizes up to 64 are in the support; beyond
that, eight sizes per octave represent their neighbours, up to a million. The sum telescopes,

.. math:: \sum_{M=a}^{b-1} \frac{1}{M (M + 1)} = \frac{1}{a} - \frac{1}{b},

so a size ``a`` whose successor in the support is ``b`` has the probability of all sizes from ``a`` to
``b - 1``, and the last one that of all larger sizes: the prior stays normalised.

Order of reading: ``SIZES`` and ``LOG_PRIOR``; :class:`Domain`: ``find`` (a cell to a place), ``add`` and
``drop`` (a value in or out), ``log_evidence``. :class:`Places` gives out the places.

Depends on :mod:`codelength.table`: cells are read exactly as those of a table are.
"""

from contextlib import suppress
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..errors import DataError
from ..table import Variable
from ..table._messages import shown
from ..table.one_row import MAX_REMEMBERED, CellReader
from ..table.spelling import looks_like_time, parse_time
from ..table.values import UnusableValue, canonical
from ..typing import FloatArray, Scalar

MISSING, NEW = -1, -2
"""Codes instead of a place: of a cell without information, and of a value that was not met before.

``MISSING`` is also the code of a cell of a retired variable, and of one outside a closed domain.
"""


MAX_VALUES = 65_535
"""Largest number of values of a variable; variables with more are identifiers."""

_EACH, _PER_OCTAVE, _OCTAVES = 64, 8, 14


_BEYOND = _EACH * 2.0 ** (np.arange(1, _PER_OCTAVE * _OCTAVES + 1) / _PER_OCTAVE)
SIZES: FloatArray = np.concatenate([np.arange(1.0, _EACH + 1), np.round(_BEYOND)])
"""Support of the prior: all sizes up to 64, then eight per octave."""

LOG_PRIOR: FloatArray = np.log(1 / SIZES - np.append(1 / SIZES[1:], 0.0))
"""Log prior probability of each size."""


class Places:
    """Source of integers from 0; integers that were given back come first."""

    def __init__(self) -> None:
        self.n_places, self._free = 0, list[int]()

    def take(self) -> int:
        """Return the next place."""
        if self._free:
            return self._free.pop()
        self.n_places += 1
        return self.n_places - 1

    def give_back(self, place: int) -> None:
        """Make a place available again."""
        self._free.append(place)


class Domain:
    """Values of a variable, declared or met so far, and their places.

    A variable whose values are declared as intervals or codes is closed: no value can be new.

    Parameters
    ----------
    name : str
        Name of the variable, for messages and the schema.
    declared : Variable, optional
        The variable with the values known beforehand; None if there are none.
    places : Places
        Source of places of the declared values. Places of new values are taken by the caller of :meth:`add`.

    Attributes
    ----------
    met : dict of int to value
        Values that were not declared, by place, in the order in which they were met.
    texts : dict of str to int
        Places of texts that were read before. Callers look here first, which saves a call per cell.
    is_retired : bool
        True if all cells are ignored; see :meth:`retire`.

    Examples
    --------
    >>> places = Places()
    >>> domain = Domain("colour", Variable("colour", ("blue",)), places)
    >>> domain.find("blue"), domain.find("red") == NEW, domain.find(None) == MISSING
    (0, True, True)
    >>> domain.add("red", places.take())
    >>> domain.find("red"), domain.variable().values
    (1, ('blue', 'red'))
    >>> domain.drop(1), domain.drop(0)  # a declared value stays
    (True, False)
    """

    def __init__(self, name: str, declared: Variable | None, places: Places) -> None:
        self.name, self.declared = name, declared
        self.is_retired = declared is not None and declared.kind == "ignored"
        values = () if declared is None else declared.values
        self._of_codes = [places.take() for _ in values]
        self._reader = None if declared is None or declared.kind == "category" else CellReader(declared)
        self._missing = MISSING
        if declared is not None and declared.missing_is_value:
            self._missing = self._of_codes[-1]
        self.met: dict[int, Scalar] = {}
        self._places: dict[Scalar, int] = {}
        self._known: dict[Any, int] = {}
        self._spellings: dict[int, list[Any]] = {}
        self.texts: dict[str, int] = {}
        for value, place in zip(values, self._of_codes, strict=True):
            if value is not None:
                self._places[_in_one_form(value)] = place

    @property
    def is_open(self) -> bool:
        """True if there may be values that were not met before."""
        return self._reader is None

    @property
    def n_declared(self) -> int:
        """Number of declared values."""
        return len(self._of_codes)

    @property
    def n_known(self) -> int:
        """Number of values so far."""
        return len(self._of_codes) + len(self.met)

    @property
    def places(self) -> list[int]:
        """Places of all values: declared ones, those met, and missing if it is a value."""
        if self._missing >= 0:
            return [*self._of_codes[:-1], *self.met, self._missing]
        return [*self._of_codes, *self.met]

    def find(self, cell: Any) -> int:
        """Return the place of the value of a cell.

        ``MISSING`` for a cell without information, ``NEW`` for a value that was not met yet.
        """
        if cell is None:
            return MISSING if self.is_retired else self._missing
        # Values of different types may be equal, such as 1 and True, but are read differently.
        key = (type(cell), cell)
        try:
            return self._known[key]
        except Exception:  # not met before, or an object that cannot be looked up
            pass
        if self.is_retired:
            return MISSING
        if self._reader is not None:
            code = self._reader.code(cell)
            return MISSING if code is None or code < 0 else self._of_codes[code]
        value = self._read(cell)
        if value is None:
            return self._missing
        place = self._places.get(value, NEW)
        if place >= 0:
            self._remember(key, place)
        return place

    def add(self, cell: Any, place: int) -> None:
        """Assign a place to a new value: a cell for which :meth:`find` returned ``NEW``."""
        value = self._read(cell)
        assert value is not None
        self._places[value], self.met[place] = place, value
        self._remember((type(cell), cell), place)

    def drop(self, place: int) -> bool:
        """Remove a value unless it was declared; return True if it was removed."""
        if place not in self.met:
            return False
        del self._places[self.met.pop(place)]
        # A forgotten value is new if it occurs again, so all its spellings are forgotten too.
        for key in self._spellings.pop(place, ()):
            del self._known[key]
            if key[0] is str:
                del self.texts[key[1]]
        return True

    def log_evidence(self, counts: FloatArray, totals: FloatArray, n_met: float, pseudocount: float) -> float:
        r"""Return the log evidence of the variable: the log probability of its cells given the classes.

        With known size :math:`M` it is the Dirichlet evidence, a factor of equation (8) of [1]_. Here it is
        averaged over all sizes :math:`M` from the number of declared values on, and a new value is coded as
        new, without its name:

        .. math:: \log \sum_M P(M) \frac{(M - m_0)!}{(M - m)!} \prod_k
                  \frac{\Gamma(\sigma M)}{\Gamma(\sigma M + n_k)}
                  \prod_l \frac{\Gamma(\sigma + f_{kl})}{\Gamma(\sigma)}

        Parameters
        ----------
        counts, totals : arrays of shape (n_values, n_classes) and (n_classes,)
            Counts of its values in the classes, and their sums.
        n_met : float
            Number of values that were not declared, in units of the counts: less than their number if older
            rows count less.
        pseudocount : float
            Pseudocount of each value.

        References
        ----------
        .. [1] Kontkanen, Myllymäki, Silander and Tirri (1998). Bayes optimal instance-based learning. ECML.
        """
        from ._kernels import log_averages

        # Numerators of the Dirichlet evidence; the denominators depend on the size of the domain.
        found = float(gammaln(counts + pseudocount).sum()) - counts.size * float(gammaln(pseudocount))
        if not self.is_open:
            size = pseudocount * self.n_known
            return found + float((gammaln(size) - gammaln(size + totals)).sum())
        terms, averages = np.empty(len(SIZES)), np.empty(len(totals))
        known = (self.n_known, self.n_declared, n_met, pseudocount)
        found += float(log_averages(totals, *known, SIZES, LOG_PRIOR, False, terms, averages))
        # log_averages is relative to the smallest possible size, so the evidence of that size is added.
        smallest = pseudocount * SIZES[np.searchsorted(SIZES, self.n_known)]
        found += float((gammaln(smallest) - gammaln(smallest + totals)).sum())
        # The prior is conditional on a domain that has at least the declared values.
        least = np.searchsorted(SIZES, max(self.n_declared, 1))
        return found - float(np.log(np.exp(LOG_PRIOR[least:]).sum()))

    def retire(self) -> None:
        """Ignore all cells of the variable from now on: it is an identifier, whose values hardly repeat."""
        self.is_retired = True
        self._known.clear()
        self.texts.clear()
        self._spellings.clear()

    def variable(self) -> Variable | None:
        """Return the variable with its values so far; None if it has no value."""
        declared = () if self.declared is None else self.declared.values
        values = (*declared, *self.met.values())
        if self.is_retired:
            return Variable(self.name, ("any",), "ignored", origin="identifiers, left out")
        if self.declared is not None and not self.met:
            return self.declared
        if self._missing >= 0:
            values = (*(value for value in values if value is not None), None)
        return Variable(self.name, values, origin="met in a stream") if values else None

    def _read(self, cell: Any) -> Scalar | None:
        """Return the canonical value of a cell; None if it is missing."""
        try:
            value = canonical(cell)
        except UnusableValue as error:
            raise DataError(f"variable {shown(self.name)}: {error}") from None
        return None if value is None else _in_one_form(value)

    def _remember(self, key: Any, place: int) -> None:
        """Remember the place of a cell as it was spelt, up to a limit."""
        if len(self._known) >= MAX_REMEMBERED or key[0].__hash__ is None:
            return
        with suppress(Exception):  # hashing foreign objects may raise anything
            if key not in self._known:
                self._known[key] = place
                if key[0] is str:
                    self.texts[key[1]] = place
                self._spellings.setdefault(place, []).append(key)


def _in_one_form(value: Scalar) -> Scalar:
    """Return a value in canonical form: equal times have one spelling."""
    return parse_time(value) if isinstance(value, str) and looks_like_time(value) else value
