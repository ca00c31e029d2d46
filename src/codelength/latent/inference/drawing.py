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
    """Rows drawn from a mixture, with the same cells missing as in some table.

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
        # One ladder for all components: component k climbs the rungs between k and k + 1.
        ladder = np.cumsum(mixture.of(i), axis=1)
        ladder = (ladder / ladder[:, -1:] + np.arange(mixture.n_components)[:, None]).ravel()
        drawn = np.searchsorted(ladder, components + generator.random(n_rows), side="right")
        codes[:, i] = np.minimum(drawn - components * schema.n_values[i], schema.n_values[i] - 1)
    if missing is not None:
        codes[missing] = np.broadcast_to(schema.n_values.astype(codes.dtype), codes.shape)[missing]
    return unchecked(schema, codes, np.zeros(n_rows, dtype=np.uint8))


def missing_cells(coded: Coded) -> BoolArray | None:
    """Which cells are missing, one row for each row that the table stands for; None where none is."""
    if not (coded.codes == coded.schema.n_values).any():
        return None
    rows = single_rows(coded)
    return np.asarray(rows.codes == rows.schema.n_values)
