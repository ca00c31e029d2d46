"""How a table is laid out for EM."""

import numpy as np
import pytest

from codelength.mixture.em import Layout
from codelength.table import Coded, Schema
from unit.mixture.mixture_tables import random_coded


def decoded(joint, schema):
    """The rows again, from the joint cells they were put into; the marginal of the components apart."""
    rows = []
    for keys in joint.keys.T:
        cells = joint.members[keys].ravel()
        assert np.count_nonzero(cells == schema.n_cells) == 1
        rows.append(sorted(cells[cells < schema.n_cells]))
    return np.array(rows).reshape(len(joint.weights), schema.n_variables) - schema.offsets[:-1]


@pytest.mark.parametrize("n_rows", [5, 500, 6000])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_joint_cells_hold_the_rows(n_rows, missing):
    sizes = [2, 3, 1, 4, 2, 2, 2, 2, 9]
    coded = random_coded(0, n_rows, sizes, missing=missing)
    joint = Layout.of(coded).joint
    assert joint.weights.sum() == n_rows
    kept = np.repeat(decoded(joint, coded.schema), joint.weights.astype(np.int64), axis=0)
    order = np.lexsort(kept.T), np.lexsort(coded.codes.T)
    assert np.array_equal(kept[order[0]], coded.codes[order[1]])


def test_equal_rows_are_merged_with_their_weights():
    rows = [[0, 1], [1, 1], [0, 1], [0, 1], [1, 0]]
    coded = Coded.of(Schema.from_sizes([2, 2]), rows, weights=[1.0, 2.0, 0.5, 0.25, 0.0])
    assert sorted(Layout.of(coded).joint.weights.tolist()) == [1.75, 2.0]


def test_rows_that_differ_in_their_class_only_are_merged():
    coded = Coded.of(Schema.from_sizes([2], n_classes=2), [[0], [0], [1]], [0, 1, 1])
    assert Layout.of(coded).joint.weights.tolist() == [2, 1]
    assert Layout.of(coded.distinct()).joint.weights.tolist() == [2, 1]


def test_distinct_rows_are_not_merged_again(monkeypatch):
    coded = random_coded(0, 50, [2, 3]).distinct()
    layout = Layout.of(coded)
    monkeypatch.setattr(Coded, "groups", None)
    assert np.array_equal(Layout.of(coded).joint.keys, layout.joint.keys)
    assert Layout.of(layout) is layout
