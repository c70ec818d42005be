# The few verbs of this repository. Each one prepares what it needs; nothing has to be done by hand.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Containers often set it; a service without bytecode takes 10 instead of 5.6 s of CPU to start.
unexport PYTHONDONTWRITEBYTECODE
UV := $(BIN)/uv
UI := backend/wattmark/_ui/index.html
DOCS := backend/wattmark/_docs/index.html
# With their folders, which are newer than the site where a page was deleted.
DOCS_SOURCES := $(filter-out %/api-reference.md %/messages.md,$(shell find backend/docs $(wildcard backend/wattmark/*/README.md) backend/wattmark/fleet/*/README.md \
	drivers/wattmark_drivers/catalogue/README.md docker/README.md frontend/public/mark.svg -not -path '*/decisions/*' -not -name '*.pyc'))
REFERENCE := backend/docs/api-reference.md backend/docs/messages.md
CODE := $(shell find backend/wattmark drivers/wattmark_drivers -name '*.py')
UI_SOURCES := $(shell find frontend -type f -not -path '*/node_modules/*' 2>/dev/null)
TYPES := frontend/src/api/schema.d.ts
DEMO_ARGS ?=
SECONDS_EACH ?= 30
EXAMPLES ?= 200
KILLS ?= 50
ONLY ?=
SEED ?= $(shell date +%s)
OPENAPI := frontend/openapi.json
MODELS := drivers/README.md

.PHONY: help setup system ui docs lock openapi reference screenshots test test-ui test-quick test-influx2 test-fleet check guard fix bench coverage crash attack fuzz fuzz-api package demo demo-example clean

help: ## Show the verbs
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

$(UV):
	@command -v python3 >/dev/null || { echo "python3 is missing: apt-get install python3 python3-venv"; exit 2; }
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "wattmark needs Python 3.11 or newer; found $$(python3 -V)"; exit 2; }
	@python3 -c 'import ensurepip' 2>/dev/null || sh docker/system-packages.sh venv
	python3 -m venv $(VENV)
	$(BIN)/pip install --quiet uv==0.13.8

$(VENV)/.installed: requirements.lock requirements-dev.lock pyproject.toml hatch_build.py | $(UV)
	$(UV) pip sync --quiet --require-hashes --python $(BIN)/python requirements-dev.lock
	$(UV) pip install --quiet --no-deps --python $(BIN)/python --editable .
	$(BIN)/python -c "from wattmark_drivers.catalogue.compiled import compile_models; compile_models()"
	@touch $@

setup: $(VENV)/.installed ## Install the Python environment; the command is then .venv/bin/wattmark

system: ## Install the Debian packages that parts of wattmark need (or say which are missing)
	@sh docker/system-packages.sh demo

frontend/node_modules/.installed: frontend/package-lock.json | $(VENV)/.installed
	cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(TYPES): $(OPENAPI) frontend/tools/defaults.mjs frontend/node_modules/.installed
	cd frontend && npm run --silent types

$(UI): $(UI_SOURCES) $(TYPES)
	cd frontend && npm run --silent build

ui: $(UI) ## Build the web app into the Python package

openapi: setup ## Write what the API promises (frontend/openapi.json) and the table of supported models
	@$(BIN)/python -m wattmark.service.openapi > $(OPENAPI).new
	@cmp -s $(OPENAPI).new $(OPENAPI) && rm $(OPENAPI).new || mv $(OPENAPI).new $(OPENAPI)
	$(BIN)/python -m wattmark_drivers.catalogue $(MODELS)

$(DOCS): $(DOCS_SOURCES) $(REFERENCE) | $(VENV)/.installed
	@rm -rf $(@D)
	$(BIN)/sphinx-build --fail-on-warning --quiet -b html -d .cache/docs -c backend/docs/site backend/docs $(@D)

docs: setup $(DOCS) ## Build the documents as a site with search into the Python package; the service shows it at /docs

backend/docs/api-reference.md: $(CODE) $(OPENAPI) | $(VENV)/.installed
	@mkdir -p .cache
	$(BIN)/python -m wattmark.service.api_reference < $(OPENAPI) > .cache/$(@F)
	@cmp -s .cache/$(@F) $@ || cp .cache/$(@F) $@

backend/docs/messages.md: $(CODE) | $(VENV)/.installed
	@mkdir -p .cache
	$(BIN)/python -m wattmark.service.messages > .cache/$(@F)
	@cmp -s .cache/$(@F) $@ || cp .cache/$(@F) $@

reference: setup $(REFERENCE) ## Write every route and every message as pages below backend/docs

demo: setup system ui docs ## Run the main job: simulators, service, a short campaign, and the URL of the web app
	$(BIN)/wattmark demo $(DEMO_ARGS)

demo-example: setup system ## Record the example that the demo shows at once, on a quiet machine (8 minutes), and replace it
	$(BIN)/python -m wattmark.cli.demo.record_example

YEAR_SECONDS ?= 36000
SIDE_BY_SIDE := -n 3 --dist loadfile --no-loadscope-reorder

test: setup ui docs ## Run the tests that find a broken change (unit, integration with real peers, browser), and install what they need
	@sh docker/system-packages.sh test
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.compiled test-ui
	$(BIN)/python -m tests.flaky '$(SIDE_BY_SIDE) -m "not alone and not long"' '-m "alone and not long"'

# Once, beside the tests of the web app: in a fresh environment each worker would compile all tests and libraries anew.
$(VENV)/.compiled: $(VENV)/.installed
	$(BIN)/pytest -q --collect-only -m "not long" | tail -1
	@touch $@

test-ui: $(TYPES)
	cd frontend && npm run --silent test

test-long: setup ui docs ## Run all other tests, and every property with 500 examples of a new SEED (printed)
	@sh docker/system-packages.sh test
	tests/integration/fleet/influx/build_influxd.sh 1.8.3
	@echo "SEED=$(SEED)"
	PYTEST_ADDOPTS="--hypothesis-profile long --hypothesis-seed $(SEED)" $(BIN)/python -m tests.flaky \
		'$(SIDE_BY_SIDE) -m "(long or hypothesis) and not alone" tests/unit tests/integration tests/fuzz' \
		'-n 2 --dist loadfile -m "long and not alone" tests/e2e' '-m "long and alone"'

test-quick: setup ## Run the unit tests of make test, for the inner loop (a minute and a half at most on two cores)
	$(BIN)/pytest -q -n logical --dist loadfile -m "not long" tests/unit

test-influx2: setup ## Test the sink against InfluxDB 1.13.2 and 2.9.1 too, building them (go, cargo: 10 minutes)
	tests/integration/fleet/influx/build_influxd.sh 1.13.2
	tests/integration/fleet/influx/build_influxd.sh 2.9.1
	WATTMARK_TEST_INFLUX=1.13.2,2.9.1 $(BIN)/pytest tests/integration/fleet/influx

year: setup ## Simulate schedules of faults from new seeds, as long as YEAR_SECONDS says (a night): the whole service on simulated time
	$(BIN)/python -m tests.year --seconds $(YEAR_SECONDS) --jobs $(shell nproc)

test-fleet: setup ## Kill replicas and shards of a ClickHouse cluster and cut its network while 20 appliances write (20 minutes)
	@sh docker/system-packages.sh fleet
	$(BIN)/pytest -s tests/fleet

check: setup openapi ui docs ## Lint, types, import law; ends with "no diff after generation"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd frontend && npm run --silent check
	sh -n docker/system-packages.sh
	@if docker compose version >/dev/null 2>&1; then docker compose -f docker/compose.yaml config -q; \
		else echo "docker/compose.yaml was not read: docker compose is not installed"; fi
	@git diff --exit-code --stat -- $(OPENAPI) $(MODELS) \
		|| { echo "generated files differ from what is committed: commit them"; exit 1; }
	@echo "no diff after generation"

fix: setup ## Format and repair what can be repaired
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cd frontend && npm run --silent fix

guard: setup ## Hold costs (CPU time) against their goals, each beside a limit or a peer of the same run
	@sh docker/system-packages.sh test
	$(BIN)/python -m tests.benchmarks.guard

bench: setup ui ## Measure speed, each figure beside a limit or a peer of the same run, as one table (ONLY="store/bench_commit ...")
	@sh docker/system-packages.sh test
	$(BIN)/python -m tests.benchmarks.all $(ONLY)

coverage: setup ## Count how often stated intervals hold the truth, over all scenarios (minutes), and write backend/docs/coverage.md
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.coverage

crash: setup ## Kill a recording service KILLS=50 times at random moments and look for what is lost
	WATTMARK_KILLS=$(KILLS) $(BIN)/pytest -s tests/integration/crash/test_kill_service.py

attack: setup ui ## Attack a service with cut cables, full disks, floods, kills and crowds of viewers (half an hour, as root)
	@sh docker/system-packages.sh test
	$(BIN)/pytest -s tests/attack

fuzz: setup ## Search every parser of the drivers for inputs that break its promises, SECONDS_EACH=30
	$(UV) pip install --quiet --python $(BIN)/python --group fuzz
	$(BIN)/python tests/fuzz/all.py $(SECONDS_EACH)

fuzz-api: setup ## Ask every route of a service far more than the tests do, EXAMPLES=200
	$(BIN)/python tests/integration/security/fuzz_service.py $(EXAMPLES)

package: setup ui docs ## Build a wheel that carries the web app and the documents, its bill of materials (CycloneDX), and one of the client alone
	rm -rf dist
	$(BIN)/python -c "from wattmark_drivers.catalogue.compiled import compile_models; compile_models()"
	$(UV) build --quiet --out-dir dist
	$(UV) build --quiet --wheel --out-dir dist backend/client-wheel
	$(BIN)/python docker/sbom.py dist/wattmark.cdx.json
	@ls -l dist

screenshots: setup ui ## Refresh the pictures of the README and the guide from generated runs
	@sh docker/system-packages.sh test
	$(BIN)/python -m tests.e2e.screenshots

lock: $(UV) ## Lock Python dependencies with hashes, and the npm lock without addresses
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra all -o requirements.lock
	$(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra all --group tool --group node --group sbom --group test --group docs --group check -o requirements-dev.lock

clean: ## Remove what was built
	rm -rf $(VENV) frontend/node_modules backend/wattmark/_docs backend/wattmark/_ui dist .mypy_cache .ruff_cache .pytest_cache
