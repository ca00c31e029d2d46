PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench docs clean

demo: .venv/installed
	$(BIN)/codelength reproduce all --quick

test: lint
	$(BIN)/python -m pytest -q -n 2
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n 2 tests/golden/test_naive_bayes.py

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python -m benchmarks

docs: .venv/installed
	$(BIN)/python -m codelength.reports docs

clean:
	rm -rf .venv

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@
