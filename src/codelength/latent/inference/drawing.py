"""Rows drawn from a mixture."""

import numpy as np

from ...mixture.clusterings import single_rows
from ...mixture.parameters import MixtureParameters
from ...table import Coded
from ...table.coded import unchecked
from ...typing import BoolArray


def draw_rows(
    mixture: MixtureParameters, n_rows: int, generator: np.random.Generator, missing: BoolArray | None = None
) -> Coded:
    """Draw rows from a mixture, with the same cells missing as in a table.

    Parameters
    ----------
    mixture : MixtureParameters
        The mixture.
    n_rows : int
        Number of rows.
    generator : Generator
        The random stream.
    missing : array of shape (n_rows, n_variables), optional
        Mask of cells to leave missing.

    Returns
    -------
    Coded
        The rows.

    Examples
    --------
    >>> from codelength.mixture import with_components
    >>> from codelength.table import Schema
    >>> schema = with_components(Schema.from_sizes([2]), 1)
    >>> certain = MixtureParameters(schema, np.array([1.0]), np.array([[0.0, 1.0, 1.0]]))
    >>> draw_rows(certain, 3, np.random.default_rng(0)).codes.ravel()
    array([1, 1, 1], dtype=uint8)
    """
    schema = mixture.schema
    ends = np.cumsum(mixture.class_probs)
    components = np.searchsorted(ends, generator.random(n_rows) * ends[-1], side="right")
    components = np.minimum(components, mixture.n_components - 1)
    codes = np.empty((n_rows, schema.n_variables), dtype=schema.code_type, order="F")
    for i in range(schema.n_variables):
        # One sorted list for all components, with the cumulated probabilities of component k between k and k
        # + 1: a single search draws the values of all rows.
        ladder = np.cumsum(mixture.of(i), axis=1)
        ladder = (ladder / ladder[:, -1:] + np.arange(mixture.n_components)[:, None]).ravel()
        drawn = np.searchsorted(ladder, components + generator.random(n_rows), side="right")
        codes[:, i] = np.minimum(drawn - components * schema.n_values[i], schema.n_values[i] - 1)
    if missing is not None:
        codes[missing] = np.broadcast_to(schema.n_values.astype(codes.dtype), codes.shape)[missing]
    return unchecked(schema, codes, np.zeros(n_rows, dtype=np.uint8))


def missing_cells(coded: Coded) -> BoolArray | None:
    """Return a mask of the missing cells, one row per single row of the table; None if no cell is missing."""
    if not (coded.codes == coded.schema.n_values).any():
        return None
    rows = single_rows(coded)
    return np.asarray(rows.codes == rows.schema.n_values)
