# Every target sets up what it needs: a bare clone, Python 3.10 to 3.13 and Java 17 or 21 are enough.
# PYTHON=python3.12 chooses the Python, PYTEST_ARGS="--seed 5" goes to each lane of the tests (scripts/lanes.py).

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
READY := .venv/.ready

# The Spark, Python and packages in .venv fit together: a cluster's settings in the caller's shell
# would replace them.
unexport PYTHONHOME PYTHONPATH PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON SPARK_HOME SPARK_CONF_DIR

# In a copied or moved folder, .venv still belongs to the old path.
$(shell grep -qsF '$(CURDIR)/.venv/' .venv/bin/pip || rm -f $(READY))

.PHONY: help setup data run report quick test test-all test-lane test-versions lint types bench dist docs site pictures lock clean distclean FORCE

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## install everything into .venv and check Java
	@scripts/ensure_java.sh

# With PYTHON= the environment is checked again: the Python may differ from last time.
$(READY): requirements.lock scripts/bootstrap.lock pyproject.toml $(if $(PYTHON),FORCE)
	@PYTHON='$(PYTHON)' scripts/setup.sh
	@touch $@

data: setup ## download the demo's dumps
	@. scripts/network.sh && $(BIN)/python scripts/fetch_demo_data.py

run: data ## run the demo pipeline on the dumps
	@$(BIN)/python scripts/run_demo.py

report: setup ## write a page about the demo's change log, after `make run`
	@$(BIN)/python scripts/report_demo.py

quick: setup ## check Python, and run the unit tests and one history: half a minute
	@$(BIN)/python scripts/lanes.py quick

test: setup ## lint, then test everything that a user's path touches, once: 6 to 15 minutes on two cores
	@$(BIN)/python scripts/lanes.py test

test-all: setup ## lint, and run all tests, on other versions too: two hours
	@$(BIN)/python scripts/lanes.py all

test-lane: setup ## run lanes of the tests: LANE="crash contract"
	@$(BIN)/python scripts/lanes.py $(LANE)

test-versions: setup ## a user's days on the versions that people run, which writes docs/support.md: CELL="spark35 thrift"
	@. scripts/network.sh && PYTHONPATH=tests $(BIN)/python scripts/versions.py $(CELL)

lint: types site ## check Python (ruff, mypy), SQL (sqlfluff) and the links of docs/
	@echo "==> Checking SQL"
	@$(BIN)/sqlfluff lint --disable-progress-bar $(wildcard models macros tests/*.sql)

types: setup
	@echo "==> Checking Python"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy

bench: setup ## list the commands that draw the papers' figures and measure
	@echo "Run one of these with $(BIN)/python benchmarks/COMMAND; --help names its options."
	@$(BIN)/python benchmarks

dist: setup ## build wheel and sdist, check them, and try the wheel in an empty environment
	@. scripts/network.sh && PYTHONPATH=tests $(BIN)/python scripts/dist.py

docs: setup ## build the documentation of the demo's models, and the lineage picture
	@$(BIN)/python scripts/build_docs.py

# The variable silences what the theme says about MkDocs 2, which requirements.in excludes.
site: setup ## build docs/ as a site into target/site, and check its links
	@echo "==> Checking docs/"
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: data ## make the pictures of pages, of the terminal and of dbt docs in docs/figures
	@PYTHONPATH=tests $(BIN)/python scripts/picture_docs.py

lock: $(READY) ## renew the lock files (UPGRADE=1: with the newest versions)
	@. scripts/network.sh && for name in requirements scripts/bootstrap; do \
	    echo "==> Resolving $$name.in"; \
	    $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
	        --no-emit-index-url --custom-compile-command "make lock" --override scripts/override.txt \
	        $(if $(UPGRADE),--upgrade) --output-file $$name.lock $$name.in || exit 1; \
	done

clean: ## remove what runs leave behind (.venv, downloads and tables stay)
	rm -rf target logs dist dbt_packages metastore_db spark-warehouse derby.log
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

distclean: clean ## remove .venv, downloads and tables too
	rm -rf .venv .data spark_data
