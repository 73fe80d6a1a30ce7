# The two commands are `make run` and `make test`; each does all its own set-up.

PYTHON ?= python3
BIN := .venv/bin
UPKEEP := .upkeep/bin
LOCKED := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --quiet --custom-compile-command "make lock"
QUICK := answers cli exchange insight models space storage study web

.PHONY: run setup tools test check unit bench paper paper-quick torture transcripts screenshots docs links next floors lock audit clean

run: setup  ## serve a demo on this machine; with no terminal, a simulated person answers ten questions
	mkdir -p out
	$(BIN)/prefero demo picture --storage sqlite:///out/demo.db

setup: .venv/.ready

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[all]" --group dev
	touch $@

tools: .venv/.tools  ## what the tests need beyond Python

.venv/.tools: .venv/.ready Makefile
	@missing=$$(for tool in curl chromium npm faketime; do command -v $$tool > /dev/null || echo $$tool; done); \
		test -z "$$missing" || (apt-get update --quiet && apt-get install --yes --quiet $$missing)
	npm install --silent --no-save --no-audit --no-fund --prefix .venv/npm axe-core@4 eslint@9 @eslint/js@9  # for the page
	touch $@

test: check unit  ## everything that must hold

check: setup tools  ## style, strict types, the arrows between the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	.venv/npm/node_modules/.bin/eslint src/prefero/web/page src/prefero/web/notebook

unit: setup tools
	$(BIN)/python -m pytest -n 2

bench: setup  ## ours against glis on the paper's ten functions, half an hour on two cores
	mkdir -p out
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.compare glisp glis --jobs 2 --out out/ten.jsonl --resume

paper: setup  ## the paper's experiments and more, about 15 hours on two cores; continues where it stopped; writes docs/benchmarks.md, and the rows into out/
	$(BIN)/python -m benchmarks.paper

paper-quick: setup  ## a small version of it, under ten minutes on two cores; writes into out/quick
	$(BIN)/python -m benchmarks.paper --scale quick

torture: setup  ## what the service and its studies survive, at full size; about three hours on two cores
	$(BIN)/python -m benchmarks.torture

screenshots: setup tools  ## take the pictures of the page and the terminal again
	$(BIN)/python docs/screenshots.py

transcripts: setup  ## run the commands of docs/command-line.md again and write down what they print
	$(BIN)/python docs/transcripts.py

docs: .docs/.ready  ## the documentation site, in out/site; runs the examples and every block of code, in an environment of its own
	.docs/bin/python -m pytest --quiet tests/docs/test_examples.py tests/docs/test_site.py tests/compat/test_documents.py -k "blocks or site"
	.docs/bin/python docs/site.py out/site

links: docs  ## whether the documentation's links to other sites lead somewhere; needs the network
	.docs/bin/python -m sphinx --quiet -b linkcheck out/site-source out/links

.docs/.ready: pyproject.toml
	$(PYTHON) -m venv .docs
	.docs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.docs/bin/python -m pip install --quiet --editable ".[plot,studies,ui,notebook,sklearn,optuna]" --group docs
	touch $@

next: .next/.ready  ## the tools next door, with the real packages: glis, scikit-learn, Optuna Dashboard, BoTorch, JupyterLab; in an environment of its own
	.next/bin/python -m pytest tests/compat

.next/.ready: pyproject.toml
	$(PYTHON) -m venv .next
	.next/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.next/bin/python -m pip install --quiet --editable ".[sklearn,optuna,studies,notebook]" --group next
	touch $@

# Dependencies: the lowest versions that work, those that are known to work, and whether one of these is known to be vulnerable.

.upkeep/.ready: pyproject.toml
	$(PYTHON) -m venv .upkeep
	$(UPKEEP)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(UPKEEP)/python -m pip install --quiet --group upkeep
	touch $@

floors: .upkeep/.ready  ## the quick tests with the lowest versions that pyproject.toml allows, in an environment of its own
	$(UPKEEP)/uv venv --quiet --clear --python $(PYTHON) .floors
	$(UPKEEP)/uv pip install --quiet --python .floors --resolution lowest-direct --editable ".[all]" --group dev
	.floors/bin/python -m pytest -n 2 -W default $(addprefix tests/,$(QUICK))

lock: .upkeep/.ready  ## write down the newest versions, with the digests of their files
	$(UPKEEP)/uv pip compile pyproject.toml $(LOCKED) --upgrade --extra ui --extra postgres --output-file requirements.lock
	$(UPKEEP)/uv pip compile pyproject.toml $(LOCKED) --upgrade --extra all --group dev --output-file requirements-dev.lock

audit: .upkeep/.ready  ## whether a locked version is known to be vulnerable; --strict: what cannot be looked up is a failure, too
	$(UPKEEP)/pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock
	$(UPKEEP)/pip-audit --strict --require-hashes --disable-pip --requirement requirements-dev.lock

clean:
	rm -rf .venv .docs .next .peers .floors .upkeep out
