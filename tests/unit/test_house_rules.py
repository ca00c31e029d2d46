"""Sizes of modules, functions and signatures in ``src``."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"

MOST_LINES = 400
"""Lines of a module."""

MOST_BODY = 40
"""Lines of the body of a function, without its docstring."""

MOST_PARAMETERS = 8
"""Parameters of a function, without ``self`` or ``cls``."""

KEYWORDS = "public: each keyword is documented, has a default and is given by name"
OPTIONS = "a command: each parameter is an option that the decorators pass by name"

EXCEPTIONS = {
    ("codelength/estimators/latent_inference.py", "LatentInference.intervals", "parameters"): KEYWORDS,
    ("codelength/estimators/latent_inference.py", "LatentInference.posterior_sample", "parameters"): KEYWORDS,
    ("codelength/estimators/latent_results.py", "LatentResults.relate_covariates", "parameters"): KEYWORDS,
    ("codelength/estimators/latent_results.py", "LatentResults.relate_outcome", "parameters"): KEYWORDS,
    ("codelength/estimators/mixture.py", "FiniteMixture.fit_table", "parameters"): KEYWORDS,
    ("codelength/counts/stream.py", "learn_counts", "parameters"): KEYWORDS,
    ("codelength/cli/cluster.py", "cluster", "parameters"): OPTIONS,
    ("codelength/cli/query.py", "query", "parameters"): OPTIONS,
    ("codelength/evaluation/evaluate.py", "evaluate", "parameters"): KEYWORDS,
    ("codelength/latent/inference/bootstrap.py", "bootstrap", "parameters"): KEYWORDS,
    ("codelength/latent/inference/gibbs.py", "posterior_sample", "parameters"): KEYWORDS,
    ("codelength/latent/inference/likelihood_ratio.py", "likelihood_ratio_test", "parameters"): KEYWORDS,
    ("codelength/mixture/em/restarts.py", "fit_mixture", "parameters"): KEYWORDS,
    (
        "codelength/naive_bayes/_plain.py",
        "score_rows",
        "parameters",
    ): "the signature of its compiled namesake",
    ("codelength/selection/variables.py", "select_variables", "parameters"): KEYWORDS,
    ("codelength/table/encode.py", "encode", "parameters"): KEYWORDS,
}
"""Functions that may break a rule, and why. Kernels need no entry."""

Offence = tuple[str, str, str]
"""Path, qualified name (empty for the module itself) and rule."""


def offences(path: str, text: str) -> Iterator[Offence]:
    """Find what breaks the rules in the text of a module."""
    if len(text.splitlines()) > MOST_LINES:
        yield path, "", "lines"
    if not Path(path).stem.endswith("_kernels"):
        yield from _in_functions(path, ast.parse(text), "")


def _in_functions(path: str, node: ast.AST, prefix: str) -> Iterator[Offence]:
    for child in ast.iter_child_nodes(node):
        name = f"{prefix}{getattr(child, 'name', '')}"
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            if _is_kernel(child):
                continue
            if _n_body_lines(child) > MOST_BODY:
                yield path, name, "body"
            if _n_parameters(child) > MOST_PARAMETERS:
                yield path, name, "parameters"
        is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _in_functions(path, child, f"{name}." if is_scope else prefix)


def _is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether numba compiles a function."""
    called = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    return any(isinstance(one, ast.Name) and one.id in ("njit", "vectorize") for one in called)


def _n_body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def _n_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    given = [*function.args.posonlyargs, *function.args.args]
    own = bool(given) and given[0].arg in ("self", "cls")
    return len(given) + len(function.args.kwonlyargs) - own


@pytest.fixture(scope="module")
def found() -> set[Offence]:
    paths = sorted(SRC.rglob("*.py"))
    assert len(paths) > 300
    return {
        one for path in paths for one in offences(path.relative_to(SRC).as_posix(), path.read_text("utf-8"))
    }


def test_modules_functions_and_signatures_are_short(found):
    assert sorted(found - EXCEPTIONS.keys()) == []


def test_kernels_have_no_negative_indices():
    """Compiled code with checked bounds refuses them, and C does not count from the end."""
    lines = [
        f"{path.name}: {line.strip()}"
        for path in sorted(SRC.rglob("*_kernels.py"))
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\[-\d", line)
    ]
    assert lines == []


def test_every_exception_is_needed(found):
    assert sorted(EXCEPTIONS.keys() - found) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n" * 400, []),
        ("x = 1\n" * 401, [("", "lines")]),
        ("def f():\n" + "    x = 1\n" * 40, []),
        ("def f():\n" + "    x = 1\n" * 41, [("f", "body")]),
        ('def f():\n    """One\n\n    Two.\n    """\n' + "    x = 1\n" * 40, []),
        ("class A:\n    def f(self):\n" + "        x = 1\n" * 41, [("A.f", "body")]),
        ("if 1:\n    def f(a, b, c, d, e, f, g, h, *, i): ...\n", [("f", "parameters")]),
        ("class A:\n    def f(self, a, b, c, d, e, f, g, h): ...\n", []),
        (
            "class A:\n    def __init__(self, a, b, c, d, e, f, g, h, i): ...\n",
            [("A.__init__", "parameters")],
        ),
        ("@njit(cache=True)\ndef f(a, b, c, d, e, f, g, h, i): ...\n", []),
        ("@cache\ndef f(a, b, c, d, e, f, g, h, i): ...\n", [("f", "parameters")]),
        ("def f():\n    def g(a, b, c, d, e, f, g, h, i): ...\n", [("f.g", "parameters")]),
    ],
)
def test_the_rules_find_what_breaks_them(text, expected):
    assert list(offences("m.py", text)) == [("m.py", *one) for one in expected]


def test_kernels_take_what_they_need():
    nine = "(self, a, b, c, d, e, f, g, h, i): ...\n"
    assert not list(offences("codelength/averages/members/_tree_kernels.py", f"def f{nine}"))
    assert list(offences("codelength/estimators/a.py", f"class A:\n    def __init__{nine}"))
