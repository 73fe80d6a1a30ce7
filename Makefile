# The two commands are `make run` and `make test`; each does all its own set-up.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run setup tools test check unit bench paper paper-quick torture transcripts screenshots clean

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
	@missing=$$(for tool in curl chromium npm; do command -v $$tool > /dev/null || echo $$tool; done); \
		test -z "$$missing" || (apt-get update --quiet && apt-get install --yes --quiet $$missing)
	npm install --silent --no-save --no-audit --no-fund --prefix .venv/npm axe-core@4 eslint@9 @eslint/js@9  # for the page
	touch $@

test: check unit  ## everything that must hold

check: setup tools  ## style, strict types, the arrows between the rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	.venv/npm/node_modules/.bin/eslint src/prefero/web/page

unit: setup tools
	$(BIN)/python -m pytest -n 2

bench: setup  ## ours against glis on the paper's ten functions, half an hour on two cores
	mkdir -p out
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.compare glisp glis --jobs 2 --out out/ten.jsonl --resume

paper: setup  ## the paper's experiments and more, up to two hours on two cores; continues where it stopped; writes docs/benchmarks.md, and the rows into out/
	$(BIN)/python -m benchmarks.paper

paper-quick: setup  ## a small version of it, under ten minutes on two cores; writes into out/quick
	$(BIN)/python -m benchmarks.paper --scale quick

torture: setup  ## what stored studies must survive, at full size, and what storing costs
	$(BIN)/python -m benchmarks.torture

screenshots: setup tools  ## take the README's pictures of the page again
	$(BIN)/python docs/screenshots.py

transcripts: setup  ## run the commands of docs/command-line.md again and write down what they print
	$(BIN)/python docs/transcripts.py

clean:
	rm -rf .venv .peers out
