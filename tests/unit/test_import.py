"""Importing the package is light, and its names are all there."""

import importlib
import operator
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

import codelength
from public_names import PUBLIC

HEAVY = ("numba", "sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "duckdb", "click", "rich")


def run(code):
    """Run Python code in a process of its own; what it prints."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_import_loads_nothing_heavy():
    loaded = run(f"import sys, codelength; print([name for name in {HEAVY} if name in sys.modules])")
    assert loaded == "[]"


@pytest.mark.parametrize("module", sorted({*PUBLIC} - {"codelength.online", "codelength.research"}))
def test_modules_load_neither_the_compiler_nor_a_frame_library(module):
    """Models are scikit-learn estimators, and scikit-learn loads pandas if it is installed."""
    heavy = ("numba", "pandas", "polars", "matplotlib", "duckdb")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    assert run(code) == "[]"


def test_schemas_and_priors_load_neither_the_compiler_nor_a_frame_library():
    heavy = ("numba", "pandas", "polars", "matplotlib", "duckdb")
    names = "import sys; from codelength import Prior, Schema"
    assert run(f"{names}; print([name for name in {heavy} if name in sys.modules])") == "[]"


def test_a_model_works_without_any_frame_library():
    """They are optional: here they cannot be imported at all."""
    code = (
        "import sys\n"
        "for name in ('pandas', 'polars', 'matplotlib'): sys.modules[name] = None\n"
        "from codelength import NaiveBayes\n"
        "model = NaiveBayes().fit({'a': ['x', 'y', None], 'b': [1.5, 2.5, 3.5]}, ['no', 'yes', 'no'])\n"
        "print(model.predict({'a': ['x'], 'b': [1.5]}).tolist())\n"
    )
    assert run(code) == "['no']"


def test_the_import_executes_two_modules():
    code = "import sys, codelength; print(*[name for name in sys.modules if name.startswith('codelength')])"
    assert run(code).split() == ["codelength._version", "codelength"]


def test_the_public_names_are_these():
    assert sorted(codelength.__all__) == sorted(["__version__", *PUBLIC["codelength"]])
    assert len(codelength.__all__) <= 30
    modules = [name.partition(".")[2] for name in PUBLIC if name != "codelength"]
    assert dir(codelength) == sorted([*codelength.__all__, *modules])
    assert all(names == sorted(names) for names in PUBLIC.values())


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_there(module):
    home = operator.attrgetter(module)(SimpleNamespace(codelength=codelength))
    assert home is importlib.import_module(module)
    assert set(PUBLIC[module]) <= set(home.__all__)
    assert len(set(home.__all__)) == len(home.__all__)
    assert home.__doc__
    for name in home.__all__:
        assert getattr(home, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = home.no_such_name


def test_modules_that_gather_names_have_no_others():
    for module in ("codelength.code_lengths", "codelength.research", "codelength.latent"):
        assert sorted(importlib.import_module(module).__all__) == PUBLIC[module]
