"""Importing the package is light, and its names are all there."""

import os
import subprocess
import sys

import pytest

import codelength

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


@pytest.mark.parametrize("name", ["Schema", "Counts", "Prior"])
def test_plain_parts_load_neither_the_compiler_nor_a_frame_library(name):
    heavy = ("numba", "pandas", "polars", "matplotlib", "duckdb")
    code = (
        f"import sys; from codelength import {name}; print([name for name in {heavy} if name in sys.modules])"
    )
    assert run(code) == "[]"


def test_a_model_works_without_any_frame_library():
    """They are optional: here they cannot be imported at all."""
    code = (
        "import sys\n"
        "for name in ('pandas', 'polars', 'pyarrow', 'matplotlib'): sys.modules[name] = None\n"
        "from codelength import NaiveBayes\n"
        "model = NaiveBayes().fit({'a': ['x', 'y', None], 'b': [1.5, 2.5, 3.5]}, ['no', 'yes', 'no'])\n"
        "print(model.predict({'a': ['x'], 'b': [1.5]}).tolist())\n"
    )
    assert run(code) == "['no']"


PUBLIC = [
    "Answer",
    "Coded",
    "Counts",
    "Discretizer",
    "EvidenceAverage",
    "Explanation",
    "FiniteMixture",
    "ForestsClassifier",
    "IndifferentTrees",
    "KernelClassifier",
    "LogRatiosClassifier",
    "MixtureClassifier",
    "MixturesClassifier",
    "ModelAverage",
    "NaiveBayes",
    "NaiveDistribution",
    "OnVariables",
    "OneDependenceClassifier",
    "OnlineNaiveBayes",
    "Predictions",
    "Prior",
    "Report",
    "RiverNaiveBayes",
    "Schema",
    "Scores",
    "SqlQuery",
    "SubsetsClassifier",
    "Table",
    "TreeAugmentedClassifier",
    "TreesClassifier",
    "Variable",
    "__version__",
    "accuracy",
    "annealed_code_length",
    "as_batches",
    "as_coded",
    "as_table",
    "best_clustering",
    "brier_score",
    "cheeseman_stutz_code_length",
    "compare_models",
    "count",
    "evaluate",
    "evidence_code_length",
    "exact_code_length",
    "load",
    "log_score",
    "naive_bayes_sequence",
    "neighbourhood_code_length",
    "neighbourhoods_code_length",
    "network_code_length",
    "nml_code_length",
    "read_table",
    "report",
    "reproduce",
    "select_variables",
]
"""What users can rely on: a name that comes or goes is a decision, not an accident."""


def test_the_public_names_are_these():
    assert sorted(codelength.__all__) == PUBLIC


def test_every_public_name_is_there():
    for name in codelength.__all__:
        assert getattr(codelength, name) is not None
    assert sorted(codelength.__all__) == dir(codelength)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = codelength.no_such_name
