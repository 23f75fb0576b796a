# Interrater: `make run` starts it, `make test` checks it. Needs Python 3.11 or newer, pip, make and git.

# The first Python on the path that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# What the settings need to be read where nothing is served; the key signs nothing.
LINT_ENV := SECRET_KEY=only-for-lint-this-key-signs-nothing-0123456789-abcdefghij HTTPS=1 ALLOWED_HOSTS=localhost

# Tests that need no browser, no server and no worker of their own; without the areas that take longest.
FAST := tests/core tests/projects tests/raters tests/reference tests/reports/agreement tests/reports/plans \
	$(addprefix --ignore=tests/raters/,adjudication archive figures model_runs writing) \
	$(addprefix --ignore=tests/raters/,test_demo.py test_guessing.py test_second_factor.py test_tokens.py) \
	$(addprefix --ignore=tests/reports/agreement/,coverage peers planning)

.PHONY: run install install-dev test check lint types style chromium suite fast bench faults pictures lock
.DEFAULT_GOAL := run

# What the documentation is built from, and into.
HELP := build/help/index.html
PAGES := $(wildcard docs/*.* docs/*/*.* docs/*/*/*.*) CHANGELOG.md CONTRIBUTING.md SECURITY.md .env.example config/settings.py
BUILD_DOCS := $(BIN)/sphinx-build --quiet --jobs auto --doctree-dir build/doctrees docs build/help

run: install $(HELP)
	@$(BIN)/python -m config.supervisor

docs: install
	@$(BUILD_DOCS) --fail-on-warning --keep-going
	@echo "The documentation is in build/help/, and under /help/ of the running program."

# The program starts without its help pages, too: /help/ then says how to build them.
$(HELP): $(PAGES) | install
	@echo "Building the documentation ..."
	@$(BUILD_DOCS) && touch $@ || echo "The documentation could not be built; the program starts without it."

install:
	@$(if $(PYTHON),,echo "Interrater needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3"; exit 1)
	@$(PYTHON) config/supervisor/install.py embedded

install-dev:
	@$(if $(PYTHON),,echo "Interrater needs Python 3.11 or newer; name one: make PYTHON=/path/to/python3"; exit 1)
	@$(PYTHON) config/supervisor/install.py dev

# Types take a core for most of a minute: they are looked at while the tests begin.
test: install-dev
	@$(MAKE) --no-print-directory --jobs 2 style chromium
	@$(MAKE) --no-print-directory --jobs 2 types suite

# Before every commit: style, types and the fast tests.
check: install-dev
	@$(MAKE) --no-print-directory --jobs 2 types style fast

lint: types style

types: install-dev
	@$(LINT_ENV) $(BIN)/mypy

style: install-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/djlint --quiet --lint templates
	@$(BIN)/lint-imports --no-logo
	@$(LINT_ENV) $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@$(LINT_ENV) $(BIN)/python manage.py check --deploy --fail-level WARNING

chromium: install-dev
	@$(BIN)/python -m tests.chromium

suite: install-dev
	@$(BIN)/python -m tests

fast: install-dev
	@$(BIN)/python -m tests $(FAST)

# Long: workloads of the performance design, beside scikit-learn, statsmodels and pandas.
bench: install-dev
	@$(BIN)/python -m tests.benchmarks

# Long: every test in full size (see tests/sizes.py). A shell in between would not hand on a signal.
faults: export FAULTS = full
faults: install-dev chromium
	@$(BIN)/python -m tests --timeout 3600

# Retakes the pictures of the documents, from a program of its own with invented data.
pictures: install-dev
	@$(BIN)/python -m tests.chromium
	@$(BIN)/python -m tests.docs.pictures docs/pictures

# Pins every package by hash; needs uv, and the index it is set up for. `docs` is without the program's own packages.
LOCK := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command "make lock"

lock:
	@$(LOCK) pyproject.toml -o requirements/base.txt
	@$(LOCK) --group docs -o requirements/docs.txt
	@$(LOCK) --group embedded pyproject.toml -o requirements/embedded.txt
	@$(LOCK) --group dev pyproject.toml -o requirements/dev.txt
