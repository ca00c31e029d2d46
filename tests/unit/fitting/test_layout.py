"""How a table is laid out for EM."""

import numpy as np
import pytest

from codelength.mixture.em import _layout
from codelength.mixture.em._layout import Layout
from codelength.table import Schema, encode
from unit.scores.mixture_tables import random_table


def decoded(layout, schema):
    """The rows again, from the joint cells they were put into; the marginal of the components apart."""
    rows = []
    for keys in layout.keys.T:
        cells = layout.members[keys].ravel()
        assert np.count_nonzero(cells == schema.n_cells) == 1
        rows.append(sorted(cells[cells < schema.n_cells]))
    return np.array(rows).reshape(layout.n_rows, schema.n_variables) - schema.offsets[:-1]


@pytest.mark.parametrize("n_rows", [5, 500, 6000])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_joint_cells_hold_the_rows(n_rows, missing):
    sizes = [2, 3, 1, 4, 2, 2, 2, 2, 9]
    schema = Schema.from_sizes(sizes)
    codes = encode(schema, random_table(0, n_rows, sizes, missing=missing)).codes
    layout = Layout.of(schema, codes, None)
    assert layout.weights.sum() == n_rows
    kept = np.repeat(decoded(layout, schema), layout.weights.astype(np.int64), axis=0)
    order = np.lexsort(kept.T), np.lexsort(codes.T)
    assert np.array_equal(kept[order[0]], codes[order[1]])


def test_equal_rows_are_merged_with_their_weights():
    schema = Schema.from_sizes([2, 2])
    codes = np.array([[0, 1], [1, 1], [0, 1], [0, 1], [1, 0]], dtype=np.uint8)
    layout = Layout.of(schema, codes, np.array([1.0, 2.0, 0.5, 0.25, 0.0]))
    assert sorted(layout.weights.tolist()) == [1.75, 2.0]


def test_nothing_is_merged_when_fingerprints_clash(monkeypatch):
    schema, codes = Schema.from_sizes([2, 2, 40]), np.array([[0, 1, 7], [1, 1, 9]] * 4, dtype=np.uint8)
    assert Layout.of(schema, codes, None).n_rows == 2
    monkeypatch.setattr(_layout, "_factors", lambda n: np.zeros(n, dtype=np.uint64))
    assert Layout.of(schema, codes, None).n_rows == 8
