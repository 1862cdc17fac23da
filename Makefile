# Everything Vouch does from a terminal. `make run` and `make test` set themselves up.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
RUN_STAMP := $(VENV)/.run-$(shell cksum < requirements.txt | cut -d' ' -f1)
DEV_STAMP := $(VENV)/.dev-$(shell cksum < requirements-dev.txt | cut -d' ' -f1)
PIP_INSTALL := $(VENV)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps

.PHONY: help run ingest ask test check bench eval calibrate lock up down
help: ## say what can be done here
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("Vouch needs Python 3.11 or newer: make run PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): requirements.txt | $(PY)
	@echo "Installing what requirements.txt pins (once)"
	@$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(DEV_STAMP): requirements-dev.txt | $(PY)
	@echo "Installing what requirements-dev.txt pins (once)"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@ $(RUN_STAMP)

run: $(RUN_STAMP) ## set up, ingest CORPUS, serve
	@$(PY) -m ingest || [ $$? -eq 1 ]
	@$(PY) -m app

ingest: $(RUN_STAMP) ## bring the index in step with CORPUS
	@$(PY) -m ingest

# A verdict other than `answered` has an exit code of 3 to 5, which is no failure of make's.
ask: export QUESTION = $(Q)
ask: $(RUN_STAMP) ## ask the running service: make ask Q="How much leave do I get?"
	@test -n "$$QUESTION" || { echo 'Say what to ask: make ask Q="How much leave do I get?"'; exit 2; }
	@$(PY) -m app ask "$$QUESTION" || [ $$? -ge 3 ]

test: $(DEV_STAMP) ## set up, run every test
	@$(PY) -m pytest -q -n auto --dist worksteal

check: $(DEV_STAMP) ## lint, types, import layers
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

bench: $(RUN_STAMP) ## measure; prints ratios taken in one run
	@$(PY) -m bench

eval: $(RUN_STAMP) ## measure what is found, refused and answered; writes eval/report.md
	@$(PY) -m eval

calibrate: $(RUN_STAMP) ## measure when to refuse, on your own index: make calibrate LABELLED=questions.jsonl
	@$(PY) -m app calibrate $(if $(LABELLED),--labelled "$(LABELLED)")

lock: $(DEV_STAMP) ## write the lock files anew from pyproject.toml
	@$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements.txt
	@$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --extra otel -c requirements.txt -o requirements-otel.txt
	@$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --group dev -c requirements.txt -o requirements-dev.txt
	@$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml --group bench -c requirements.txt -o requirements-bench.txt
	@$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --group audit -c requirements.txt -o requirements-audit.txt

up: ## the local stack in containers: Qdrant, Redis, the service
	docker compose up --build --detach --wait

down: ## stop the local stack
	docker compose down
