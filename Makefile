PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo reproduce test quick tests tests-without-numba kernels lint style types bench docs clean

demo: .venv/installed
	@mkdir -p demo
	@echo "435 members of Congress, 16 votes each: which party? Models compared on rows that they have not seen:"
	@echo
	@$(BIN)/codelength evaluate vote
	@echo
	@$(BIN)/codelength fit vote -o demo/vote.json > demo/vote.txt
	@echo "Why the third member is taken for a Democrat:"
	@echo
	@$(BIN)/codelength explain demo/vote.json vote --row 3
	@echo
	@$(BIN)/codelength report vote -o demo/report.html
	@echo
	@echo "Open demo/report.html in a browser: everything about the table on one page, with a what-if to play with."
	@echo "The model is in demo/vote.json, and what it knows in demo/vote.txt. Try next:"
	@echo
	@echo "  $(BIN)/codelength report YOUR.csv --target COLUMN -o report.html"
	@echo "  $(BIN)/codelength cluster zoo"
	@echo "  make reproduce    the experiments of five papers, our figures beside theirs (takes hours)"

reproduce: .venv/installed
	$(BIN)/codelength reproduce all

# What takes one processor only is done beside the tests.
test: style
	$(MAKE) --no-print-directory --jobs=2 types tests tests-without-numba

# About a minute: central tests of every folder.
quick: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -q -n 2 @tests/quick.txt

tests: .venv/installed
	$(BIN)/python -m pytest -q -n 2

tests-without-numba: .venv/installed
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -p no:cacheprovider tests/golden/test_naive_bayes.py

# Kernels with every index checked, from an empty cache: the cache does not tell checked code from unchecked.
kernels: .venv/installed
	PYTHONPATH=tests NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$(mktemp -d)" $(BIN)/python -m pytest -q -n 2 \
		-p no:cacheprovider -p strict_kernels tests/fuzz/test_arguments.py tests/fuzz/test_model_files.py \
		tests/unit/averages tests/unit/counts tests/unit/latent tests/unit/mixture tests/unit/networks \
		tests/unit/online tests/unit/prequential tests/unit/naive_bayes tests/unit/scores tests/properties tests/golden

lint: style types

style: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/installed
	$(BIN)/mypy

bench: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python -m benchmarks

docs: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	$(BIN)/python -m codelength_lab docs
	$(BIN)/python docs/_ext/cli_reference.py
	$(BIN)/python docs/_ext/guide_tables.py
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

clean:
	rm -rf .venv demo docs/_build docs/gallery docs/reference/generated docs/sg_execution_times.rst

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev$$(java -version > /dev/null 2>&1 && echo ,spark)]"
	touch $@
