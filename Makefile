# make run    open the dashboard on its sample data
# make test   style, types and all tests
# make quick  style, doctests and the tests that find most mistakes, in a minute
# make wheel-test   the tests of `make quick`, run against the built wheel
# make pages  write those pages of the documentation that come from the program
# make coverage   the tests with lines and branches counted; fails below 95 % of kp_core
# make docs   the documentation as web pages, in site/
# make fuzz   read mutated files, as many as you like, and run drawn tests, with a seed of its own or the one you name:
#             make fuzz INPUTS=100000 SEED=1, or only mutated files for so many minutes: make fuzz MINUTES=2
# Needs Python 3.11 or newer; name another one with: make run PYTHON=python3.12

PYTHON ?= python3
# One more than there are cores, because tests wait for browsers and servers.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
INPUTS ?= 10000
BIN := .venv/bin
INSTALLED := $(CURDIR)/build/installed
# Brute force, other packages, identities and units; no browser, server or text of a whole data set.
QUICK := tests/certified tests/differential tests/invariants tests/rules tests/unit/judgements \
  $(filter-out %_cli.py %_datasets.py %_lessons.py %_machine.py %_notebook.py %_printed.py %_report.py %_workspace_file.py,\
  $(wildcard tests/unit/test_*.py))

# The workers share the cores, so that further threads per worker only wait for each other.
test quick wheel-test coverage fuzz: export OPENBLAS_NUM_THREADS := 1
# Workers and servers start faster with the bytecode of a former start.
test quick wheel-test coverage fuzz: export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test quick lint wheel-test pages docs coverage bench fuzz clean

run: .venv/.run-stamp
	$(BIN)/python -m streamlit run app.py

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

quick: .venv/.test-stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q $(QUICK) kp_core

lint: .venv/.test-stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell docs README.md CONTRIBUTING.md
	$(BIN)/mypy

# The wheel instead of the source: PYTHONPATH puts what is installed before the project, whose tests are then run.
wheel-test: .venv/.test-stamp
	rm -rf build
	$(BIN)/python -m pip wheel . --quiet --no-deps --no-build-isolation --wheel-dir build/wheel
	$(BIN)/python -m pip install --quiet --no-deps --target build/installed build/wheel/*.whl
	PYTHONPATH=$(INSTALLED) $(BIN)/python -P -c "import kp_core; assert 'build/installed' in kp_core.__file__"
	PYTHONPATH=$(INSTALLED):$(CURDIR) $(BIN)/pytest -o pythonpath= -n $(WORKERS) $(QUICK)

pages: .venv/.test-stamp
	$(BIN)/python -m docs.written

docs: .venv/.test-stamp
	$(BIN)/mkdocs build

coverage: .venv/.test-stamp
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage report --include="kp_core/*" --format=total --fail-under=95

fuzz: .venv/.test-stamp
	$(BIN)/python -m tests.fuzz $(INPUTS) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--seconds $$(($(MINUTES) * 60)))
	$(if $(MINUTES),,$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=fresh $(if $(SEED),--hypothesis-seed=$(SEED)))

bench: .venv/.bench-stamp
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv site .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache build *.egg-info

# A stamp is newer than the lists it was installed from, so a second run installs nothing.
.venv/.run-stamp: requirements.txt
.venv/.test-stamp: requirements-dev.txt requirements-remote.txt requirements.txt requirements-peers.txt | $(BIN)/pip
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps -r requirements-peers.txt
	@touch $@
.venv/.bench-stamp: requirements-bench.txt .venv/.test-stamp
.venv/.%-stamp: | $(BIN)/pip
	$(BIN)/python -m pip install --quiet -r $<
	@touch $@

# pip is the last thing that venv makes: where it is missing, the folder is not finished.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "KPScope needs Python 3.11 or newer, and '$(PYTHON)' is not. Try: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv --clear .venv || \
	  { echo "'$(PYTHON)' cannot make a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
