# Every target does its own set-up: a fresh clone needs python3 (3.11 or newer) and make, nothing else.
export PYTHONSAFEPATH = 1
# where it is set, each of the many processes that tests start would compile the program again
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint bench pictures record langgraph constraints dist clean

demo: $(STAMP)  ## The main job on the embedded default: a 30-probe drill on the simulated world.
	$(BIN)/fathom demo

test: $(STAMP)  ## The whole suite.
	$(BIN)/pytest -n auto --dist loadgroup

lint: $(STAMP)  ## Style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)  ## Figures: coverage of the intervals, speed, connections. Nothing is asserted by time.
	for about in drill depthqa deepquestion comparison corrected; do PYTHONPATH=. $(BIN)/python -m bench.coverage $$about || exit; done
	$(BIN)/python bench/speed.py
	$(BIN)/python bench/real_shapes.py --rounds 3
	$(BIN)/python bench/sources.py
	$(BIN)/python bench/killed.py
	$(BIN)/python bench/campaign.py --disturb
	$(BIN)/python bench/eqt.py
	$(BIN)/python bench/depthqa.py
	$(BIN)/python bench/deepquestion.py

pictures: $(STAMP)  ## The README's pictures, drawn by the program from its recorded runs: seconds.
	$(BIN)/python bench/pictures.py

record: $(STAMP)  ## The runs for the README's pictures and figures, recorded again: minutes. Then `make pictures`.
	$(BIN)/python bench/record_pictures.py
	$(BIN)/python bench/pictures.py

langgraph: $(STAMP)  ## The file by which LangGraph's server finds the graphs of all methods and skills.
	$(BIN)/python -m fathom.graphs.factories > langgraph.json

dist: $(STAMP)  ## The sdist, and the wheel built from it.
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

# the extra inspect needs an older python-dateutil than dev-server gets, and stays without pins
constraints: pyproject.toml  ## Pin every dependency again (needs uv).
	uv pip compile --universal --python-version 3.11 --extra dev --extra dev-server --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links pyproject.toml -o constraints.txt

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || python3 -m venv $(VENV)
	if command -v uv >/dev/null 2>&1; \
	then VIRTUAL_ENV=$(VENV) uv pip install --quiet -c constraints.txt -e '.[dev]'; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'; fi
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
