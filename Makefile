# The short front door; `make help` lists what there is. Everything is built in build/release.
SHELL := /bin/bash
export PATH := $(PATH):/usr/local/cuda/bin
jobs ?= $(shell nproc)
release := build/release
# In CI a warning is an error; elsewhere a newer compiler's new warning must not stop anybody. Without a
# GPU what needs one is only compiled, and part of it: all=1 compiles all, one by one. CI does without
# optimisation too, and goes on after an error.
gpu := $(shell nvidia-smi -L 2>/dev/null | head -1)
part := $(if $(all),,$(if $(CI),yes,$(if $(gpu),,yes)))
configure = cmake --preset release -DWEFT_WERROR=$(if $(CI),ON,OFF) -DWEFT_CHEAP=$(if $(CI),ON,OFF) \
  -DWEFT_CUDA_CHECK_ONLY=$(if $(part),ON,OFF) -DWEFT_TEST_MERGE=$(if $(all),1,$(if $(CI),36,6)) \
  -DWEFT_BENCH=$(if $(all)$(bench),ON,OFF)
build := cmake --build --preset release --parallel $(jobs)

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo test test-all bench bench-random docs fuzz fuzz-statements gpu-check conformance cross-test format clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 17

demo: part := $(if $(gpu),,yes)
demo: ## classify real handwritten digits, on the CPU and, if there is one, on the GPU
	@scripts/setup.sh demo
	@mkdir -p build && $(configure) >build/configure.log || { cat build/configure.log; exit 1; }
	@$(build) --target demo
	@$(release)/bin/digits
	@$(call on_gpu,$(release)/bin/digits_cuda --device cuda)

test: ## build and run all tests and examples, on every available device
	@scripts/setup.sh test
	@$(configure)
	@$(build) $(if $(CI),-- -k)
	@ctest --preset release --parallel $(jobs)
	@$(call on_gpu,true)

test-all: ## the same with each file by itself, everything compiled for CUDA, and the benchmarks
	@$(MAKE) test all=1

bench: bench := 1
bench: ## build and run the benchmarks; results in OUT, default build/bench
	@scripts/setup.sh bench
	@$(configure)
	@$(build) --target benchmarks
	@[ ! -x $(release)/bin/bench_cpu ] || $(release)/bin/bench_cpu
	@[ ! -x $(release)/bin/bench_cpu_matmul ] || $(release)/bin/bench_cpu_matmul
	@python3 bench/run.py --out $(or $(OUT),build/bench) || [ $$? -eq 77 ]

bench-random: ## COUNT (48) random statements from SEED (1), compared with PyTorch; results in OUT, default build/random
	@python3 bench/random.py --seed $(or $(SEED),1) --count $(or $(COUNT),48) --jobs $(jobs) \
	  --out $(or $(OUT),build/random) $(ARGS) || [ $$? -eq 77 ]

docs: ## build the documentation's site in build/site/html (mkdocs-material from PyPI)
	@scripts/setup_python.sh mkdocs-material
	@build/venv/bin/python scripts/make_site.py

fuzz: ## fuzz every reader of files for SECONDS_EACH, default 120, by clang's libFuzzer
	@python3 scripts/fuzz.py --seconds $(or $(SECONDS_EACH),120) --jobs $(jobs)

fuzz-statements: ## COUNT (24) random statements from SEED (1), whole and step by step (ARGS=--gradients, --device Cuda)
	@python3 scripts/fuzz_statements.py --seed $(or $(SEED),1) --count $(or $(COUNT),24) $(ARGS) || [ $$? -eq 77 ]

gpu-check: ## everything that needs a GPU, one table at the end; logs in OUT, default build/gpu-check
	@python3 scripts/gpu_check.py --jobs $(jobs) --out $(or $(OUT),build/gpu-check)

conformance: ## other libraries' own test suites against weft: ONNX, NumPy, PyTorch (ARGS=--quick: a part)
	@python3 scripts/conformance.py --jobs $(jobs) $(ARGS)

cross-test: ## build tests for aarch64 and run them under qemu (Debian: g++-aarch64-linux-gnu qemu-user)
	@python3 scripts/cross_test.py $(TESTS) || [ $$? -eq 77 ]

format: ## format every source file
	@scripts/check_format.sh --fix

clean: ## remove everything built
	@rm -rf build

# Runs a command on the GPU, or says in one line why not.
define on_gpu
if [ -x $(release)/bin/on_gpu ]; then $(release)/bin/on_gpu $(1) || [ $$? -eq 77 ]; \
else echo "skipped on the GPU: the CUDA side is not built, no nvcc found"; fi
endef
