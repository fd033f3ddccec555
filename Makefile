# make run    open the dashboard on its sample data
# make test   style, types and all tests
# Needs Python 3.11 or newer; name another one with: make run PYTHON=python3.12

PYTHON ?= python3
WORKERS ?= auto
BIN := .venv/bin

.PHONY: run test lint coverage bench clean

run: .venv/.run-stamp
	$(BIN)/python -m streamlit run app.py

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

lint: .venv/.test-stamp
	$(BIN)/ruff check .
	$(BIN)/mypy

coverage: .venv/.test-stamp
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadgroup
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: .venv/.bench-stamp
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .coverage* .hypothesis .mypy_cache .pytest_cache .ruff_cache build *.egg-info

# A stamp is newer than the lists it was installed from, so a second run installs nothing.
.venv/.run-stamp: requirements.txt
.venv/.test-stamp: requirements-dev.txt requirements-cluster.txt requirements.txt requirements-peers.txt | $(BIN)/pip
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
