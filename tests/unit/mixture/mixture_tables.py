"""Small tables for the tests of mixtures, in the form of the package and of the slow oracle."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import naive
from codelength.mixture.cache import MEMORY, RowGatherer, Rows
from codelength.mixture.parameters import with_components
from codelength.naive_bayes import Prior
from codelength.table import Coded, Schema, encode


@dataclass(frozen=True)
class Case:
    """A table, how many components, and a prior, each twice."""

    n_values: list[int]
    n_components: int
    rows: list[list[int | None]]
    prior: Prior
    naive_prior: naive.Prior

    @property
    def schema(self) -> Schema:
        return with_components(Schema.from_sizes(self.n_values), self.n_components)

    @property
    def coded(self) -> Coded:
        filled = [[-1 if value is None else value for value in row] for row in self.rows]
        array = np.array(filled, dtype=np.int64).reshape(len(self.rows), len(self.n_values))
        return encode(self.schema, array)


def case_of(n_values, n_components, rows, class_pseudocounts=1, value_pseudocounts=1) -> Case:
    """One number for each class, or for each class and variable, or one for all."""
    classes = np.broadcast_to(class_pseudocounts, n_components).tolist()
    values = np.broadcast_to(value_pseudocounts, (n_components, len(n_values))).tolist()
    by_variable = [[[values[k][i]] * n_values[i] for k in range(n_components)] for i in range(len(n_values))]
    by_class = [[by_variable[i][k] for i in range(len(n_values))] for k in range(n_components)]
    return Case(n_values, n_components, rows, Prior(classes, by_variable), naive.Prior(classes, by_class))


@st.composite
def cases(
    draw, *, min_rows=1, max_rows=5, max_components=3, pseudocounts=(1, 2, 1.5), symmetric=False
) -> Case:
    """Tables with missing cells, constant columns, and priors that may differ between components."""
    n_values = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    n_components = draw(st.integers(1, max_components))
    cells = [st.one_of(st.none(), st.integers(0, n - 1)) for n in n_values]
    rows = draw(st.lists(st.tuples(*cells).map(list), min_size=min_rows, max_size=max_rows))
    number = st.sampled_from(pseudocounts)
    if symmetric:
        return case_of(n_values, n_components, rows, draw(number), draw(number))
    classes = draw(st.lists(number, min_size=n_components, max_size=n_components))
    of_variables = st.lists(number, min_size=len(n_values), max_size=len(n_values))
    values = draw(st.lists(of_variables, min_size=n_components, max_size=n_components))
    return case_of(n_values, n_components, rows, classes, values)


def random_coded(
    seed: int,
    n_rows: int,
    n_values: list[int],
    n_groups: int = 2,
    missing: float = 0.0,
    *,
    n_components: int = 1,
    weights: object = None,
) -> Coded:
    """The rows of :func:`random_table` under a schema of codes with so many hidden components."""
    schema = with_components(Schema.from_sizes(n_values), n_components)
    table = random_table(seed, n_rows, n_values, n_groups, missing)
    return encode(schema, table, sample_weight=weights)


def random_table(
    seed: int, n_rows: int, n_values: list[int], n_groups: int = 2, missing: float = 0.0
) -> np.ndarray:
    """Integer codes of rows in a few groups with profiles of their own; -1 is missing."""
    generator = np.random.default_rng(seed)
    groups = generator.integers(n_groups, size=n_rows)
    columns = []
    for size in n_values:
        profiles = generator.dirichlet(np.full(size, 0.5), size=n_groups).cumsum(axis=1)
        columns.append((generator.random((n_rows, 1)) > profiles[groups][:, :-1]).sum(axis=1))
    table = np.stack(columns, axis=1)
    table[generator.random(table.shape) < missing] = -1
    return table


def gather(blocks, schema: Schema, memory: int = MEMORY) -> Rows:
    """All rows of some blocks, equal ones merged; on disk if they take more memory."""
    with RowGatherer(schema, memory=memory) as gatherer:
        for block in blocks:
            gatherer.add(block)
        return gatherer.rows()
