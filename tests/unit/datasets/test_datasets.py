"""The bundled tables, and tables of the user's own."""

import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from codelength import datasets
from codelength._files import sha256_of
from codelength.datasets import registry
from codelength.errors import DataError, InvalidParameter, SchemaMismatch
from codelength.sources.readers import column_names
from codelength.table import encode, infer_schema
from codelength.table.column import Numbers
from codelength.table.values import in_natural_order

FRAMES = ("pandas", "polars", "pyarrow")
PAPERS = {
    "predictive-inference-1997": 4,
    "sc-approximations-1997": 9,
    "bayes-optimal-ibl-1998": 9,
    "prequential-selection-2001": 14,
    "indifferent-naive-bayes-2003": 17,  # 15 tables, two of them also with their Id
}


def missing_cells(columns):
    return sum(
        int(np.isnan(array).sum())
        if array.dtype.kind == "f"
        else sum(cell is None for cell in array.tolist())
        for array in columns.values()
    )


@pytest.mark.parametrize("name", datasets.names())
def test_a_bundled_table_is_what_the_registry_says(name):
    entry = datasets.describe(name)
    assert sha256_of(registry.table_path(entry)) == entry.sha256
    data = datasets.load(name, backend="columns")
    columns = data.frame | {data.target_name: data.target}
    assert (data.name, data.info, data.target_name) == (name, entry, "class")
    assert column_names(registry.table_path(entry))[-1] == "class"
    assert {len(array) for array in columns.values()} == {entry.rows}
    assert len(data.frame) == entry.attributes == len(entry.numeric) + len(entry.categorical)
    assert Counter(data.target.tolist()) == entry.class_counts
    assert len(entry.class_counts) == entry.classes
    assert missing_cells(columns) == entry.missing_cells
    assert all(data.frame[column].dtype.kind in "if" for column in entry.numeric)
    assert all(data.frame[column].dtype == object for column in entry.categorical)
    assert set(data.domains) == {*entry.categorical, "class"}
    for column, domain in data.domains.items():
        assert set(columns[column].tolist()) - {None} == set(domain)
    assert data.domains["class"] == tuple(entry.class_counts)


@pytest.mark.parametrize("name", datasets.names())
def test_a_difference_from_the_papers_is_told(name):
    entry = datasets.describe(name)
    size = (entry.rows, entry.attributes, entry.classes)
    differs = any(quoted != size for quoted in entry.quoted.values())
    assert bool(entry.differs) == differs
    assert datasets.load(name, backend="columns").differs == entry.differs
    assert entry.source
    assert entry.attribution
    assert entry.licence


def test_the_sizes_that_do_not_fit_are_named():
    hepatitis, soybean = datasets.describe("hepatitis"), datasets.describe("soybean-large")
    assert {size.rows for size in hepatitis.quoted.values()} == {150}
    assert "155" in hepatitis.differs
    assert "150" in hepatitis.differs
    assert "307" in soybean.differs
    assert "316" in soybean.differs


def test_every_paper_has_its_tables():
    counts = Counter(paper for name in datasets.names() for paper in datasets.describe(name).papers)
    assert counts == PAPERS


def test_derived_tables_agree_with_what_they_come_from():
    whole, part = (datasets.load(name, backend="columns") for name in ("soybean", "soybean-large"))
    assert whole.info.train_rows == len(part.target)
    for column, array in part.frame.items():
        assert array.tolist() == whole.frame[column][: len(array)].tolist()
    for name in ("glass", "breast-w"):
        bare, full = (datasets.load(table, backend="columns") for table in (name, f"{name}-with-id"))
        assert set(full.frame) - set(bare.frame) == set(full.info.id_columns)
        for column, array in bare.frame.items():
            np.testing.assert_array_equal(array, full.frame[column])


def test_names_and_aliases():
    names = datasets.names()
    assert names == sorted(names)
    assert len(names) == len(set(names)) == 27
    aliases = [alias for name in names for alias in datasets.describe(name).aliases]
    assert not set(aliases) & set(names)
    assert len(aliases) == len(set(aliases))
    assert datasets.describe("pima") == datasets.describe("diabetes")
    assert datasets.load("pima", backend="columns").name == "diabetes"


def test_an_unknown_name_gives_near_ones():
    with pytest.raises(DataError, match=r"no data set 'irs'; did you mean 'iris'\?"):
        datasets.load("irs")
    with pytest.raises(DataError, match=r"no data set 'qqqqqq'; codelength.datasets.names\(\) lists them"):
        datasets.describe("qqqqqq")


def test_a_damaged_table_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_HERE", tmp_path)
    entry = datasets.describe("iris")
    with pytest.raises(DataError, match=r"iris\.parquet: is missing"):
        datasets.load("iris")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "iris.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"iris\.parquet: its checksum is wrong"):
        datasets.load("iris")
    assert entry.sha256


def test_a_data_set_cannot_be_changed_by_accident():
    data = datasets.load("lenses")
    with pytest.raises(FrozenInstanceError):
        data.target = None
    with pytest.raises(FrozenInstanceError):
        data.info.rows = 1


class TestBackends:
    @staticmethod
    def cells(column):
        to_list = next(
            getattr(column, way) for way in ("to_pylist", "to_list", "tolist") if hasattr(column, way)
        )
        return [None if cell is None or cell != cell else cell for cell in to_list()]

    @pytest.mark.parametrize("backend", FRAMES)
    @pytest.mark.parametrize("name", ["hepatitis", "vote", "zoo"])
    def test_all_hold_the_same_cells(self, backend, name):
        pytest.importorskip(backend)
        plain, data = datasets.load(name, backend="columns"), datasets.load(name, backend=backend)
        names = data.frame.column_names if backend == "pyarrow" else list(data.frame.columns)
        assert names == list(plain.frame)
        for column in names:
            assert self.cells(data.frame[column]) == self.cells(plain.frame[column])
        assert self.cells(data.target) == plain.target.tolist()

    def test_pandas_categories_are_the_domain(self):
        pd = pytest.importorskip("pandas")
        data = datasets.load("breast-cancer", backend="pandas")
        sizes = data.frame["tumor-size"].dtype
        assert isinstance(sizes, pd.CategoricalDtype)
        assert tuple(sizes.categories) == data.domains["tumor-size"]
        assert data.domains["tumor-size"][:3] == ("0-4", "5-9", "10-14")
        assert data.target.name == "class"
        assert tuple(data.target.cat.categories) == data.domains["class"]

    def test_polars_enums_are_the_domain(self):
        pl = pytest.importorskip("polars")
        data = datasets.load("hepatitis", backend="polars")
        assert data.frame.schema["SEX"] == pl.Enum(data.domains["SEX"])
        assert data.target.dtype == pl.Enum(data.domains["class"])
        assert data.frame["PROTIME"].null_count() == 67

    def test_arrow_dictionaries_are_the_domain(self):
        pa = pytest.importorskip("pyarrow")
        data = datasets.load("hepatitis", backend="pyarrow")
        assert pa.types.is_dictionary(data.frame.schema.field("SEX").type)
        assert tuple(data.target.dictionary.to_pylist()) == data.domains["class"]
        assert data.frame["PROTIME"].null_count == 67

    @pytest.mark.parametrize("n_absent", [1, 2])
    def test_the_first_that_is_installed_is_taken(self, monkeypatch, n_absent):
        for absent in FRAMES[:n_absent]:
            monkeypatch.setitem(sys.modules, absent, None)
        for present in FRAMES[n_absent:]:
            pytest.importorskip(present)
        assert datasets.load("iris").backend == FRAMES[n_absent]
        with pytest.raises(
            InvalidParameter, match='pandas is not installed; install it, or pass backend="columns"'
        ):
            datasets.load("iris", backend="pandas")

    def test_an_unknown_one_is_refused(self):
        with pytest.raises(InvalidParameter, match="backend='spark': expected one of 'pandas', 'polars'"):
            datasets.load("iris", backend="spark")


class TestOwnFiles:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "shirts.v2.csv"
        path.write_text("colour,size,sold\nred,1,yes\nblue,,no\n")
        return path

    def test_the_target_is_the_last_column_unless_named(self, path):
        data = datasets.load(path, backend="columns")
        assert (data.name, data.target_name, data.info, data.domains, data.differs) == (
            "shirts",
            "sold",
            None,
            {},
            "",
        )
        assert data.target.tolist() == ["yes", "no"]
        other = datasets.load(str(path), target="colour", backend="columns")
        assert list(other.frame) == ["size", "sold"]
        with pytest.raises(SchemaMismatch, match=r"no column 'Colr' for the target; did you mean 'colour'\?"):
            datasets.load(path, target="Colr")

    @pytest.mark.parametrize("backend", FRAMES)
    def test_every_backend_takes_them(self, path, backend):
        pytest.importorskip(backend)
        data = datasets.load(path, backend=backend)
        assert list(data.frame["colour"]) != []
        assert len(data.target) == 2

    def test_an_arff_file_declares_its_domains(self, tmp_path):
        pd = pytest.importorskip("pandas")
        path = tmp_path / "t.ARFF"
        path.write_text("@attribute c {high,mid,low}\n@attribute y {b,a}\n@data\nlow,a\n?,b\n")
        data = datasets.load(path, backend="pandas")
        assert data.domains == {"c": ("high", "mid", "low"), "y": ("b", "a")}
        assert data.frame["c"].dtype == pd.CategoricalDtype(["high", "mid", "low"])
        assert data.target.tolist() == ["a", "b"]

    def test_one_column_is_not_enough(self, tmp_path):
        (tmp_path / "t.csv").write_text("a\n1\n")
        with pytest.raises(DataError, match="has the one column 'a'"):
            datasets.load(tmp_path / "t.csv")

    def test_absent_files_and_unknown_extensions(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "data.xlsx").write_text("")
        for name, message in {
            "absent.csv": "no such file",
            "./iris": "no such file",
            "data.xlsx": "not known",
        }.items():
            with pytest.raises(DataError, match=message):
                datasets.load(name)
        with pytest.raises(DataError, match="no such file"):
            datasets.load(tmp_path / "absent.arff")

    def test_the_users_directory_comes_first(self, tmp_path, monkeypatch):
        monkeypatch.setenv("CODELENGTH_DATA", str(tmp_path))
        (tmp_path / "mine.csv").write_text("a,b\n1,x\n")
        (tmp_path / "iris.arff").write_text("@attribute a numeric\n@attribute b {x}\n@data\n1,x\n")
        assert datasets.load("mine", backend="columns").frame["a"].tolist() == [1]
        assert datasets.load("iris", backend="columns").info is None
        assert datasets.load("vote", backend="columns").info == datasets.describe("vote")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["10", "9", "1"], ("1", "9", "10")),
        (["2", "5more", "3"], ("2", "3", "5more")),
        (["b", "a", "b"], ("a", "b")),
        (["1e2", "-3", "0.5"], ("-3", "0.5", "1e2")),
        (["x10", "x9", "x"], ("x", "x9", "x10")),
    ],
)
def test_the_order_of_values_is_the_natural_one(values, expected):
    assert in_natural_order(values) == expected


def test_nothing_heavy_is_imported_before_it_is_needed():
    heavy = ("duckdb", "pandas", "polars", "pyarrow")
    code = f"import sys, codelength.datasets; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_everything_works_without_a_dataframe_library():
    code = (
        "import sys\n"
        "finders = list(sys.meta_path)\n"
        "class Others:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name not in ('pandas', 'polars'):\n"
        "            found = (finder.find_spec(name, *rest) for finder in finders)\n"
        "            return next(filter(None, found), None)\n"
        "sys.meta_path[:] = [Others()]\n"
        "from codelength import datasets\n"
        "from codelength.sources.files.writers import open_writer\n"
        "data = datasets.load('hepatitis', backend='columns')\n"
        "with open_writer('-', list(data.frame)) as writer:\n"
        "    writer.write(data.frame)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert len(run.stdout.splitlines()) == 156


def test_the_table_itself_has_domains_and_target():
    data = datasets.load("hepatitis")
    assert data.table.name == data.name == "hepatitis"
    assert data.table.target.values == data.domains["class"] == ("DIE", "LIVE")
    assert data.table.column("SEX").declared
    assert isinstance(data.table.column("AGE"), Numbers)
    assert data.table.names == tuple(data.frame.columns)
    assert infer_schema(data.table) == data.schema
    assert encode(data.schema, data.table, handle_unknown="error").n_rows == 155


def test_another_column_can_be_the_target():
    data = datasets.load("lenses", target="age", backend="columns")
    assert data.target_name == "age"
    assert "class" in data.frame
    assert data.schema.classes == data.domains["age"]
    with pytest.raises(SchemaMismatch, match=r"lenses: has no column 'ages'.*; did you mean 'age'\?"):
        datasets.load("lenses", target="ages")


def test_truth_values_are_not_a_domain_that_someone_declared(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\ntrue,,x\nfalse,true,y\n")
    data = datasets.load(tmp_path / "t.csv", backend="columns")
    assert data.domains == {}
    assert data.frame["a"].tolist() == [True, False]
    assert data.frame["b"].tolist() == [None, True]


@pytest.mark.parametrize("backend", FRAMES)
def test_numbers_too_large_for_a_library_are_told(tmp_path, backend):
    pytest.importorskip(backend)
    (tmp_path / "t.csv").write_text(f"a,y\n{10**300},x\n,y\n")
    data = datasets.load(tmp_path / "t.csv", backend=backend)
    try:
        assert len(data.frame["a"]) == 2
    except DataError as error:
        assert 'pass backend="columns"' in str(error)  # noqa: PT017
    assert datasets.load(tmp_path / "t.csv", backend="columns").frame["a"].tolist() == [10**300, None]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow", "columns"])
def test_a_table_has_a_schema_that_codes_it(backend):
    """The same one from every backend, and one under which no value is unknown."""
    for name in ("hepatitis", "glass", "vote"):
        table = datasets.load(name, backend=backend)
        assert table.schema == datasets.load(name, backend="columns").schema
        coded = encode(table.schema, table.frame, table.target, handle_unknown="error")
        assert coded.n_rows == datasets.describe(name).rows
        assert table.schema.target.name == table.target_name
