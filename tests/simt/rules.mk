# The emulator (tests/simt/README.md): the library's own sources, .cu files too, by g++, with the headers in tests/simt/include in place of
# CUDA's.  Needs Boost.Context; without it nothing is built, and the tests are skipped.
SIMT         := $(TESTS)/simt
SIMT_CXX     ?= g++
hash         := \#
HAVE_BOOST   := $(shell echo '$(hash)include <boost/context/detail/fcontext.hpp>' | \
  $(firstword $(SIMT_CXX)) -std=c++17 -x c++ -fsyntax-only - 2>/dev/null && echo 1)
SIMT_FLAGS   := -std=c++17 -O2 -g1 $(WARNINGS) -Wno-unknown-pragmas
SIMT_WARP    ?= 32
# Grids of two blocks of two warps at most, so that small matrices take several strides, a ring of six chunks, three teams, a watchdog that
# gives up after seconds here, too, with signs of life in small matrices; a block of memory that is used again is as good as new; long rows
# and several windows in fill
SIMT_CPP     := -Itests/simt/include -Iinclude -DSPTRSV_HAVE_CUDA -DSPTRSV_WARP=$(SIMT_WARP) \
  -DSPTRSV_LOCKSTEP=$(if $(filter 64,$(SIMT_WARP)),1,0) -DSPTRSV_BLOCK='(2 * SPTRSV_WARP)' -DSPTRSV_MOST_BLOCKS=2 \
  -DSPTRSV_STRIP_RING='(6 * SPTRSV_WARP)' -DSPTRSV_STRIP_MOST=640 -DSPTRSV_STRIP_TEAMS=3 \
  -DSPTRSV_PATIENCE='simt_patience()' -DSPTRSV_GLANCE='(1u << 8)' -DSPTRSV_SIGN=128u \
  -DSPTRSV_FILL_LONG=6 -DSPTRSV_FILL_WARP_WORDS=1 -DSPTRSV_FILL_BLOCK_WORDS=1 \
  -DSPTRSV_ENTRIES_FOR_DEVICE=50 -DSPTRSV_REUSE=simt_reuse -DSPTRSV_APART=1
# Instrumentation for access.cc, traps at ends of local arrays, and code in the order of the source for lockstep warps (choice.cc).
# Functions that are not declared inline become so nevertheless, without a warning.
SIMT_KERNEL  := -Wno-attributes -fsanitize=thread -fsanitize=bounds -fsanitize-undefined-trap-on-error -fsanitize-coverage=trace-pc -O1 \
  -fno-reorder-blocks -fno-reorder-blocks-and-partition -fno-tree-ch -fno-thread-jumps -fno-crossjumping -fno-if-conversion \
  -fno-if-conversion2 -fno-tree-sink -fno-guess-branch-probability

# SIMT_SOURCE is another tree of the library's sources, for mutants.py.
SIMT_SOURCE  ?= .
SIMT_LIBRARY := $(wildcard $(addprefix $(SIMT_SOURCE)/src/kernels/,*.c */*.c */*/*.c */*.cu */*/*.cu))
SIMT_LIBRARY := $(patsubst $(SIMT_SOURCE)/%,$(SIMT)/%.o,$(filter-out %/no_studies.c,$(SIMT_LIBRARY)))
SIMT_ENGINE  := $(patsubst %,$(SIMT)/tests/simt/%.cc.o,scheduler choice ready sleepers warp access happens_before races places history \
  copies arena runtime nodes streams calls)
SIMT_OBJECTS := $(SIMT_LIBRARY) $(SIMT)/emulator.o
SIMT_HELPERS := $(KERNEL_HELPERS:%=$(SIMT)/tests/kernels/%.c.o)
LITMUS       := litmus litmus_races litmus_streams litmus_memory litmus_graphs litmus_early
SIMT_FAILING := accounts badinput histories memory shortage
SIMT_TESTS   := $(GPU_TESTS) $(SIMT_FAILING) described
SIMT_PROGRAMS := $(if $(HAVE_BOOST),$(addprefix $(SIMT)/,campaign $(LITMUS) $(SIMT_TESTS)))

$(SIMT)/%.cu.o: $(SIMT_SOURCE)/%.cu
	@mkdir -p $(@D)
	$(call QUIET,CXX)$(SIMT_CXX) -c -o $@ $(SIMT_FLAGS) $(SIMT_KERNEL) $(DEPFLAGS) $(SIMT_CPP) -x c++ $<

$(SIMT)/%.cc.o: %.cc
	@mkdir -p $(@D)
	$(call QUIET,CXX)$(SIMT_CXX) -c -o $@ $(SIMT_FLAGS) -O3 $(DEPFLAGS) $(SIMT_CPP) $<

# Each step of a schedule goes through several of these files: optimized together, once for all programs
$(SIMT_ENGINE): SIMT_FLAGS += -flto
$(SIMT)/emulator.o: $(SIMT_ENGINE)
	$(call QUIET,LINK)$(SIMT_CXX) -r -o $@ -O3 -flto=auto -flinker-output=nolto-rel $^

$(SIMT)/%.c.o: $(SIMT_SOURCE)/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ -std=c11 -O1 -g1 -DSPTRSV_ROLLED $(WARNINGS) $(CX_FLAGS) $(DEPFLAGS) $(SIMT_CPP) $<

$(SIMT)/tests/kernels/%.c.o: tests/kernels/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ -std=c11 -O1 -g1 $(WARNINGS) $(DEPFLAGS) $(SIMT_CPP) $<

$(SIMT)/campaign: $(patsubst %,$(SIMT)/tests/simt/%.cc.o,campaign cases cases_parts cases_sweep cases_factor cases_setup cases_strips \
  cases_blocks)
$(LITMUS:%=$(SIMT)/%): $(SIMT)/%: $(SIMT)/tests/simt/%.cu.o
$(addprefix $(SIMT)/,$(SIMT_TESTS)): $(SIMT)/%: $(SIMT)/tests/kernels/%.c.o
$(SIMT_FAILING:%=$(SIMT)/%): $(SIMT)/tests/kernels/failing.c.o
$(SIMT_FAILING:%=$(SIMT)/%): WRAP_MEMORY := $(call wrap,$(HOST_MEMORY) $(CUDA_MEMORY))
$(COUNTER_TESTS:%=$(SIMT)/%): $(SIMT)/tests/kernels/counter.c.o
$(COUNTER_TESTS:%=$(SIMT)/%): WRAP_MEMORY := $(call wrap,cudaMalloc)
# calls.cc comes between the programs and these functions of the library.
SIMT_CALLS := $(call wrap,$(addprefix sptrsv,FactorNumeric FactorNumericPlans FactorGetInvertedPivots FactorGetBlockValues \
  FactorSolveBlocks PlanUpdate Solve SolveNext SolveMany PlanSplitTransfer SetupBegin SetupEnd))
$(addprefix $(SIMT)/,campaign $(LITMUS) $(SIMT_TESTS)): $(SIMT_HELPERS) $(SIMT_OBJECTS)
	$(call QUIET,LINK)$(SIMT_CXX) -o $@ $^ $(SIMT_CALLS) $(WRAP_MEMORY) -lboost_context -lpthread -lm

-include $(wildcard $(addprefix $(SIMT)/,src/kernels/*.d src/kernels/*/*.d src/kernels/*/*/*.d tests/simt/*.d tests/kernels/*.d))

# The same with warps of 64 lanes that cannot run on their own, as on AMD's GPUs
SIMT64          := $(TESTS)/simt64
SIMT64_PROGRAMS := $(if $(HAVE_BOOST),$(addprefix $(SIMT64)/,litmus litmus_races campaign levels ways))

simt64:
	@$(if $(HAVE_BOOST),$(MAKE) --no-print-directory SIMT=$(SIMT64) SIMT_WARP=64 $(SIMT64_PROGRAMS))

# A million schedules, by as many processes as there are cores: some two and a half hours on two.  SIMT_SEEDS is for each case and mode.
SIMT_SEEDS ?= 25
simt-campaign: $(SIMT)/campaign
	@$(PYTHON) tests/simt/campaign.py $(SIMT)/campaign $(SIMT_SEEDS) $(BUILD)/simt-campaign.csv

# Breaks waits, orders of memory, tickets and streams on purpose; the outcome goes to doc/records/mutants.csv
mutants: $(SIMT_PROGRAMS)
	@$(TEST_ENV) $(PYTHON) tests/simt/mutants.py

# The part of a sample of small changes that CI's slice catches.  A run that was stopped, as by MUTATION_SECONDS, goes on.
MUTATION_SAMPLE ?= 300
MUTATION_SEED   ?= 1
mutation-score: $(SIMT_PROGRAMS) simt64
	@$(TEST_ENV) SIMT_CXX='$(SIMT_CXX)' MUTATION_JOBS='$(MUTATION_JOBS)' MUTATION_SECONDS='$(MUTATION_SECONDS)' \
	  $(PYTHON) tests/simt/mutation_score.py $(MUTATION_SAMPLE) $(MUTATION_SEED) '$(MUTATION_OPERATORS)'

# All that doc/records keeps of long runs, anew: hours.  On a GPU there is also make petsc-suite SUITE_ARGS=--gpu.
records: simt-campaign mutants mutation-score petsc-suite
	@$(PYTHON) tests/records.py --take $(BUILD)

.PHONY: simt64 simt-campaign mutants mutation-score records
