"""However the rows are divided, and whatever they hold: schema and counts are those of the whole table."""

import datetime
import pickle
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelength.counts.stream import fold, learn_counts
from codelength.errors import DataError
from codelength.sources import Batch, Batches, as_batches
from codelength.sources.profile import brackets as brackets_module
from codelength.sources.profile import column as column_module
from codelength.sources.profile import profile as profile_module
from codelength.sources.profile.profile import ProfileWork
from codelength.sources.roles import Roles
from stream_tables import assert_same, in_memory, quietly

START = datetime.datetime(1900, 1, 1)


def moment(rng):
    """A time of day and a date, whole in seconds or not."""
    seconds = int(rng.integers(0, 6 * 10**9))
    return START + datetime.timedelta(seconds=seconds, microseconds=int(rng.integers(0, 2)) * 250)


# For each kind of column its type, cells that are hard to tell apart, and others at random.
KINDS = {
    "whole": (pa.int32(), [0, -3, 19, 20], lambda rng: int(rng.integers(-3, 60))),
    "unsigned": (pa.uint64(), [0, 2**53], lambda rng: int(rng.integers(0, 60))),
    "tied": (pa.float64(), [0.0, -0.0, 0.1, 1e300], lambda rng: float(rng.integers(0, 9)) / 4),
    "real": (pa.float64(), [0.0, 5e-324, -1.7e308], lambda rng: float(rng.normal())),
    "spread": (
        pa.float64(),
        [0.0, 1.0],
        lambda rng: float(rng.normal()) * 10.0 ** int(rng.integers(-300, 300)),
    ),
    "narrow": (pa.float32(), [0.1, 16777216.0], lambda rng: float(np.float32(rng.normal()))),
    "text": (
        pa.string(),
        ["", " ", "nan", "é", "e\u0301", "☃"],
        lambda rng: str(rng.integers(0, 12)),
    ),
    "large text": (pa.large_string(), ["B", "b"], lambda rng: "ab"[int(rng.integers(0, 2))]),
    "day": (pa.date32(), [datetime.date(1969, 12, 31)], lambda rng: moment(rng).date()),
    "moment": (pa.timestamp("ns"), [START], moment),
    "utc": (pa.timestamp("ms", "UTC"), [START], lambda rng: moment(rng).replace(microsecond=0)),
    "spelt": (pa.string(), ["2020-01-31 00:00:00"], lambda rng: str(moment(rng).date())),
    "large": (pa.int64(), [2**53, 2**53 - 1], lambda rng: 2**53 - int(rng.integers(0, 60))),
    "truth": (pa.bool_(), [True], lambda rng: bool(rng.integers(0, 2))),
    "decimal": (pa.decimal128(9, 2), [Decimal("0.10")], lambda rng: Decimal(int(rng.integers(0, 99))) / 4),
    "wide decimal": (pa.decimal128(30, 2), [Decimal(3)], lambda rng: Decimal(int(rng.integers(0, 99))) / 4),
    "nothing": (pa.null(), [None], lambda rng: None),
}


@st.composite
def tables(draw):
    """An Arrow table of a few columns, its class, and whole weights, some of them zero."""
    n_rows = draw(st.sampled_from([1, 30, 90]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3, unique=True))
    columns = {}
    for name in names:
        type_, hard, other = KINDS[name]
        pool = hard + [other(rng) for _ in range(draw(st.sampled_from([1, 15, 120])))]
        # From all cells equal but for a few to all equally frequent.
        shares = rng.dirichlet(np.full(len(pool), draw(st.sampled_from([0.1, 1.0, 50.0]))))
        chosen = [pool[place] for place in rng.choice(len(pool), n_rows, p=shares)]
        gaps = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.2]))
        cells = [None if gap else cell for cell, gap in zip(chosen, gaps, strict=True)]
        columns[name] = pa.array(cells, type_)
    columns["class"] = pa.array(np.array(["yes", "no"])[rng.integers(0, 2, n_rows)])
    weights = rng.integers(0, 3, n_rows)
    weights[0] = 1
    columns["weight"] = pa.array(weights)
    return pa.table(columns)


@pytest.fixture(autouse=True, scope="module")
def narrow():
    """Columns are wide from 21 distinct numbers on, samples so small that many brackets miss, and next to
    nothing is kept, so that cells are divided."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_module, "MAX_NUMBERS", 21)
        patch.setattr(profile_module, "sample_size", lambda n_columns: 16)
        patch.setattr(profile_module, "MAX_KEPT", 40)
        patch.setattr(brackets_module, "_DEVIATIONS", 1.0)
        patch.setattr(brackets_module, "_N_PARTS", 16)
        yield


@settings(max_examples=60)
@given(
    tables(),
    st.sampled_from([1, 7, 40, 100]),
    st.sampled_from(["auto", "discretize", "average"]),
    st.sampled_from(["ignore", "value"]),
    st.sampled_from([None, "weight"]),
    st.sampled_from([1, 2]),
)
def test_any_partition_gives_the_counts_of_the_whole(table, batch_rows, numeric, missing, weights, n_threads):
    options = {"numeric": numeric, "missing": missing, "weights": weights}
    found = quietly(learn_counts, table, "class", batch_rows=batch_rows, n_threads=n_threads, **options)
    assert_same(found, in_memory(table, **options))


@settings(max_examples=15)
@given(tables(), st.integers(1, 60))
def test_a_given_schema_takes_one_pass(table, batch_rows):
    expected = in_memory(table)
    read = []
    found = quietly(
        learn_counts,
        table.to_reader(17),
        "class",
        schema=expected.schema,
        batch_rows=batch_rows,
        progress=read.append,
    )
    assert_same(found, expected)
    assert sum(read) == table.num_rows


def test_work_travels_to_other_processes():
    """What a cluster sends out, and gets back, can be pickled; the result is the same."""
    rng = np.random.default_rng(3)
    table = pa.table({"x": rng.normal(size=200), "class": np.array(["p", "q"])[rng.integers(0, 2, 200)]})

    class Spread(Batches):
        """A source whose rows are elsewhere."""

        name, names, n_rows, once, passes = "cluster", ("x", "class"), 200, False, 0

        def read(self, columns):
            raise AssertionError("rows were brought here")

        def close(self):
            pass

        def fold(self, work, columns, merge, *, progress=None):
            self.passes += 1
            total = None
            for i, rows in enumerate(table.select(columns).to_batches(max_chunksize=33)):
                part = pickle.loads(pickle.dumps(work))(Batch(rows, position=33 * i))
                part = pickle.loads(pickle.dumps(part))
                total = part if total is None else merge(total, part)
            return total

    source = Spread()
    assert_same(learn_counts(source, "class"), in_memory(table))
    assert source.passes >= 2


def test_results_come_in_order_for_any_number_of_threads():
    table = pa.table({"x": np.arange(1000)})
    for n_threads in (1, 2, 5):
        found = fold(
            lambda batch: batch.rows.column("x").to_pylist(),
            as_batches(table, batch_rows=37),
            ["x"],
            lambda one, other: one + other,
            n_threads=n_threads,
        )
        assert found == list(range(1000))


def test_a_profile_does_not_depend_on_what_is_known_beforehand():
    """Columns known to be wide and rows known not to be needed spare work, and change nothing."""
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=300)})
    roles = Roles(("x",))
    fresh, warm = ProfileWork(roles), ProfileWork(roles)
    batches = list(as_batches(table, batch_rows=50).read(["x"]))
    one = [ProfileWork(roles)(batch) for batch in batches]
    cold = one[0]
    for part in one[1:]:
        fresh.merge(cold, part)
    hot = warm(batches[0])
    for batch in batches[1:]:
        warm.merge(hot, warm(batch))
    for profile in (cold, hot):
        profile.sample.settle()
    order = [np.argsort(profile.sample.ranks) for profile in (cold, hot)]
    np.testing.assert_array_equal(cold.sample.ranks[order[0]], hot.sample.ranks[order[1]])
    np.testing.assert_array_equal(cold.sample.columns["x"][order[0]], hot.sample.columns["x"][order[1]])
    assert len(cold.sample.ranks) == 16
    assert cold.columns["x"].is_wide
    assert hot.columns["x"].is_wide


def test_cut_points_of_times_are_whole_in_what_all_batches_are_whole_in():
    days = np.arange(100) * 86_400
    for last in (0, 1):
        seconds = np.append(days, days[-1] + last)
        table = pa.table({"t": pa.array(seconds, pa.timestamp("s")), "class": ["p", "q"] * 50 + ["p"]})
        assert_same(learn_counts(table, "class", batch_rows=60), in_memory(table))


def test_a_table_without_rows_is_refused():
    with pytest.raises(DataError, match="has no rows"):
        learn_counts(pa.table({"x": pa.array([], pa.int64()), "class": pa.array([], pa.string())}), "class")
