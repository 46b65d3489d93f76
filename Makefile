# The front door. Every target is a script in scripts/, so all of this works without make too.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup build wheel demo test test-full check format bench docs gallery clean

help:  ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup:  ## install what is missing (system packages, .venv)
	@scripts/setup

build: setup  ## compile the library, the tests and the Python module
	@scripts/build

wheel: setup  ## the wheels of dist/, for each Python that is here; then try them
	@scripts/test_wheel --build $(ARGS)

demo: setup  ## press a sphere into a sensor and write pictures to runs/demo
	@scripts/build --module
	@scripts/demo

test:  ## the fast tests, minutes; the last line is "N passed, M failed, K skipped"
	@scripts/test

test-full: build  ## everything long; resumes where it stopped and writes results/full.json
	@.venv/bin/python scripts/test_full $(ARGS)

check:  ## exactly what CI runs
	@scripts/check

format: setup  ## format the C++ sources
	@scripts/format

bench: setup  ## compile the benchmarks and list them
	@scripts/bench

docs: setup  ## build the documentation site in build/site; needs the Python module (make build)
	@scripts/docs

gallery: setup  ## make the pictures of docs/gallery, minutes
	@.venv/bin/python scripts/gallery $(ARGS)

clean:  ## remove everything that was built (not .venv)
	rm -rf build build-* dist
