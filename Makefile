# Two commands do all the set-up on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
ON_EVERY_POSTGRES := tests/contract/store tests/integration/store tests/integration/wiring tests/plans \
  tests/acceptance/test_under_kills.py tests/acceptance/test_never_lost.py tests/acceptance/test_stop_and_start.py \
  --ignore tests/plans/test_python_budget.py
BIN := $(VENV)/bin
# The source of the page: a change of it installs again, which builds it (hatch_build.py).
PAGE := $(shell find dashboard -name node_modules -prune -o -type f -print 2>/dev/null)

POSTGRES_VERSION ?= 15
POSTGRES_PROGRAMS ?= /usr/lib/postgresql/$(POSTGRES_VERSION)/bin

.PHONY: help run test test-postgres check lint types imports test-long chaos soak bench clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

run: $(VENV)/.installed ## Start Duetime here, with an embedded PostgreSQL in ./.duetime
	@exec $(BIN)/duetime up $(ARGS)

test: $(VENV)/.installed-dev ## Install what tests need, and run them
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long and not chaos" $(ARGS)

test-postgres: $(VENV)/.installed-dev ## The store, plan and kill suites on Debian's PostgreSQL (POSTGRES_VERSION, or POSTGRES_PROGRAMS)
	@.ci/install-postgres $(POSTGRES_VERSION) $(POSTGRES_PROGRAMS)
	DUETIME_TEST_POSTGRES=$(POSTGRES_PROGRAMS) $(BIN)/python -m pytest -n 2 --dist loadfile \
	  -m "not long and not chaos" $(ON_EVERY_POSTGRES) $(ARGS)

test-long: $(VENV)/.installed-dev ## The suites that take long
	$(BIN)/python -m pytest -m long $(ARGS)

chaos: $(VENV)/.installed-dev ## Every fault at every step, then four nodes under load and random faults (docs/faults.md)
	$(BIN)/python -m pytest -m chaos tests/chaos $(ARGS)
	$(BIN)/python -m tests.chaos.run --nodes 4 --seconds 60 --rate 1000 --schedules 1000 --lanes 100
	$(BIN)/python -m tests.chaos.run --cells 3 --nodes 4 --seconds 60 --rate 300 --schedules 300 --lanes 100

soak: $(VENV)/.installed-dev ## Hours of light load and faults, with the slopes of what is used
	$(BIN)/python -m tests.chaos.run --soak 4 --rate 20 --gap 20,40 $(ARGS)

check: lint types imports test ## Everything that CI checks, except test-postgres

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/pyright
	$(BIN)/pyright -p tests

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

bench: $(VENV)/.installed-dev ## Measure (see bench/README.md)
	$(BIN)/python -m bench $(ARGS)

clean: ## Remove the virtual environment and the local data
	rm -rf $(VENV) .duetime

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Duetime needs Python 3.11 or later: set PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { \
	  rm -rf $(VENV); \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing python3-venv, which Debian keeps apart from python3 ..."; \
	    { apt-get -qq update && apt-get -qq install -y python3-venv; } >/dev/null && $(PYTHON) -m venv $(VENV); \
	  else \
	    echo "Cannot make a virtual environment: install it first (on Debian: apt-get install python3-venv)."; exit 1; \
	  fi; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'

$(VENV)/.installed: pyproject.toml hatch_build.py $(PAGE) | $(VENV)/bin/python
	@echo "Installing Duetime into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml hatch_build.py $(PAGE) | $(VENV)/bin/python
	@echo "Installing Duetime and its tests' needs into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check -e . --group dev
	@touch $@ $(VENV)/.installed
