# Tests: see tests/README.md.  Everything is built here and run by tests/all.py, which adds up the counts.

TESTS          := $(BUILD)/tests
# Helpers are linked to all programs in tests/kernels.  GPU_TESTS are also built for the emulator and for AMD.  groups, slabs and teams call
# functions of the library's CUDA part, so they are not built without.  Programs that call functions or set options of studies are not built
# without those.
KERNEL_HELPERS := check zoo cut_rows analysis_check sweep_check sweep_batch sweep_case factor_check factor_ways pivot_case block_check \
                  block_matrix complex_check exponents life random_pattern
GPU_TESTS      := arguments block_calls block_factor block_pattern blocks columns complex complex_factor concurrent cut factor fill \
                  filled graph groups levels matches numeric pivots plan_predicates predicates ranges reuse split streams sweep_ranges \
                  sweeps teams tickets trials uses watchdog ways
COUNTER_TESTS  := tickets watchdog
STUDY_TESTS    := arguments graph groups levels memory options processes shortage split streams tasks training
KERNEL_TESTS   := $(notdir $(basename $(wildcard tests/kernels/*.c $(if $(HAVE_CUDA),tests/kernels/*.cu))))
KERNEL_TESTS   := $(filter-out $(KERNEL_HELPERS) closable counter failing $(if $(HAVE_CUDA),,groups slabs teams) \
  $(if $(STUDIES),,$(STUDY_TESTS)),$(KERNEL_TESTS))
PETSC_TESTS    := $(patsubst tests/petsc/%.c,%,$(wildcard tests/petsc/*.c))
PETSC_TESTS    := $(filter-out $(if $(HAVE_CUDA),,scarce streams),$(PETSC_TESTS)) # these call CUDA themselves
PETSC_EXAMPLES := $(firstword $(wildcard $(PETSC_DIR)/src/ksp $(PETSC_DIR)/share/petsc/examples/src/ksp))
PETSC_EXAMPLES := $(patsubst %/ksp,%,$(PETSC_EXAMPLES))
PETSC_GENTEST  := $(firstword $(wildcard $(addsuffix /config/gmakegentest.py,$(PETSC_DIR) $(PETSC_DIR)/share/petsc/examples)))
TUTORIALS      := $(if $(PETSC_EXAMPLES),ksp/ex2 ksp/ex23 ksp/ex45 ksp/bench_kspsolve pc/ex1 pc/ex2 snes/ex19)

# What the groups of tests run; the other groups make what they need themselves.
RUN_kernels   := $(KERNEL_TESTS:%=$(TESTS)/kernels/%)
RUN_simt       = $(SIMT_PROGRAMS) simt64
RUN_petsc     := $(PETSC_TESTS:%=$(TESTS)/petsc/%) $(addprefix $(TESTS)/,examples/cavity examples/bump petsc/testfiles examples/testfiles)
RUN_tutorials := $(TUTORIALS:%=$(TESTS)/tutorials/%)
TEST_PROGRAMS  = $(RUN_kernels) $(RUN_simt) $(RUN_petsc) $(RUN_tutorials)
WITHOUT_LIB   := device hip lint

# The kernel library's tests include nothing of PETSc and are linked without it.
OPTIMIZE_TESTS := -O2
$(TESTS)/obj/%.o: tests/kernels/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ $(OPTIMIZE_TESTS) -g -std=c11 $(WARNINGS) $(DEPFLAGS) $(SF_CPPFLAGS) $<

$(TESTS)/obj/%.o: tests/kernels/%.cu $(NVCC_HAD)
	@mkdir -p $(@D)
	$(call QUIET,NVCC)$(CUDAC) -c -o $@ $(NVCC_FLAGS) $(DEPFLAGS) $(SF_CPPFLAGS) $<

$(TESTS)/kernels/%: $(TESTS)/obj/%.o $(KERNEL_HELPERS:%=$(TESTS)/obj/%.o) $(MATRIX_OBJ) $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $^ $(WRAP_MEMORY) $(CUDA_LIBS) -lpthread -lm

$(TESTS)/kernels/training: $(addprefix $(BUILD)/obj/bench/,papers/yuenyeung/train_fit.o papers/yuenyeung/train_graphs.o report.o)

# In some programs the library gets its memory from failing.c or counter.c.
wrap         = $(addprefix -Wl$(comma)--wrap=,$1)
HOST_MEMORY := malloc calloc realloc free
CUDA_MEMORY := cudaMalloc cudaHostAlloc cudaFree cudaFreeHost cudaStreamWaitEvent
FAILING_TESTS := $(addprefix $(TESTS)/,$(addprefix kernels/,accounts badinput histories memory shortage) petsc/no_memory)
$(FAILING_TESTS): $(TESTS)/obj/failing.o
$(FAILING_TESTS): WRAP_MEMORY := $(call wrap,$(HOST_MEMORY) $(if $(HAVE_CUDA),$(CUDA_MEMORY)))
$(COUNTER_TESTS:%=$(TESTS)/kernels/%): $(TESTS)/obj/counter.o
$(COUNTER_TESTS:%=$(TESTS)/kernels/%): WRAP_MEMORY := $(if $(HAVE_CUDA),$(call wrap,cudaMalloc))

# In one the memory that set-ups keep consists of addresses only.
$(TESTS)/kernels/slabs: WRAP_MEMORY := $(call wrap,cudaMalloc cudaFree cudaHostAlloc cudaFreeHost)

# In one, threads come from a function of its own, and a shared object with the library in it goes.
$(TESTS)/kernels/processes: WRAP_MEMORY := $(call wrap,pthread_create) -ldl
$(TESTS)/kernels/processes: | $(TESTS)/kernels/processes_library.so

$(TESTS)/kernels/processes_library.so: tests/kernels/closable.c $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	$(PCC) -shared -fPIC -o $@ -O2 $(WARNINGS) $(SF_CPPFLAGS) $^ $(CUDA_LIBS) -lpthread -lm

# The kernel library as it is without CUDA, with every warning an error, and made fast: part of the tests "package" and "sanitize".
NOCUDA       := $(TESTS)/nocuda
NOCUDA_TESTS := $(addprefix $(NOCUDA)/,callers levels split sweeps threads)

$(NOCUDA)/%.o: %
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ -std=c11 -O1 -DSPTRSV_ROLLED -Wall -Wextra -Werror $(DEPFLAGS) -Iinclude $<

$(NOCUDA_TESTS): $(NOCUDA)/%: $(NOCUDA)/tests/kernels/%.c.o $(KERNEL_HELPERS:%=$(NOCUDA)/tests/kernels/%.c.o) $(KERNEL_SRC:%=$(NOCUDA)/%.o)
	$(call QUIET,LINK)$(PCC) -o $@ $^ -lpthread -lm

# The same objects but for studies, with the list that SYNCFREE_STUDIES=no takes: part of the test "package".
PRODUCT         := $(TESTS)/product
PRODUCT_OBJECTS := $(filter-out $(KERNEL_BUILD)/obj/src/kernels/studies/% $(HIP)/src/kernels/studies/%,$(OBJECTS)) \
  $(KERNEL_BUILD)/obj/src/kernels/no_studies.c.o

$(PRODUCT)/libpetscsyncfree.so: $(PRODUCT_OBJECTS)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -shared -Wl,-z,defs -Wl,-z,nodelete -o $@ $^ $(PETSC_LIBS) $(CUDA_LIBS) -lpthread -lm

$(PRODUCT)/sptrsv: examples/sptrsv.c
$(PRODUCT)/options: doc/options.c
$(PRODUCT)/sptrsv $(PRODUCT)/options: $(PRODUCT)/libpetscsyncfree.so
	$(call QUIET,LINK)$(PCC) -o $@ -std=c99 -O2 $(WARNINGS) -Iinclude $(filter %.c,$^) $(filter %.so,$^) -Wl,-rpath,$(abspath $(PRODUCT)) \
	  $(PETSC_LIBS) -lm

# Fuzz targets: with FUZZER=1 libFuzzer's; else programs, by main.c and of the build's own objects, that run inputs.
FUZZ         := $(TESTS)/fuzz/$(if $(FUZZER),clang,corpus)
FUZZ_CC      := $(if $(FUZZER),clang -fsanitize=fuzzer$(comma)address$(comma)undefined -fno-sanitize-recover=undefined,$(PCC))
FUZZ_SOURCES := $(KERNEL_SRC) $(KERNEL_HELPERS:%=tests/kernels/%.c) $(wildcard bench/matrices/*.c)
FUZZ_OBJECTS := $(if $(FUZZER),$(FUZZ_SOURCES:%=$(FUZZ)/%.o),$(FUZZ)/tests/fuzz/main.c.o $(KERNEL_HELPERS:%=$(TESTS)/obj/%.o) \
  $(MATRIX_OBJ) $(KERNEL_OBJECTS))
FUZZ_SECONDS ?= 60

$(FUZZ)/%.o: %
	@mkdir -p $(@D)
	$(call QUIET,CC)$(FUZZ_CC) -c -o $@ -std=gnu11 -O1 -g -DSPTRSV_ROLLED $(WARNINGS) $(DEPFLAGS) -Iinclude $<

$(FUZZ)/csr: $(FUZZ)/tests/fuzz/csr_input.c.o
$(FUZZ)/%: $(FUZZ)/tests/fuzz/%.c.o $(FUZZ_OBJECTS)
	$(call QUIET,LINK)$(FUZZ_CC) -o $@ $^ $(if $(FUZZER),,$(CUDA_LIBS)) -lpthread -lm

fuzz:
	@$(TEST_ENV) tests/fuzz.sh $(FUZZ_SECONDS)

define GENTEST
@mkdir -p $(@D)
rm -f $(@D)/run*.sh
$(if $(PETSC_GENTEST),$(PYTHON) $(PETSC_GENTEST) --petsc-dir=$(PETSC_DIR) --petsc-arch='$(PETSC_ARCH)' --pkg-name=syncfree \
  --pkg-dir=$(CURDIR) --pkg-arch=tests --pkg-pkgs=tests --srcdir=$1 --testdir=$(abspath $(@D)))
touch $@
endef

# Programs with TEST blocks; PETSc's own harness writes the scripts that run them.  They are linked with the plugin for its setters,
# no_memory with the archive: the linker could not put failing.c under a shared library.  process_life loads the plugin, and closes it.
$(TESTS)/petsc/%: tests/petsc/%.c
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $(PCC_FLAGS) $(CFLAGS) $(WARNINGS) -MMD -MP -MF $@.d -Iinclude $(CCPPFLAGS) $(filter %.c %.o %.a %.so,$^) \
	  -Wl,-rpath,$(abspath $(dir $(PLUGIN))) $(WRAP_MEMORY) $(PETSC_LIBS) $(ARCHIVE_LIBS) -lm

$(addprefix $(TESTS)/petsc/,$(filter-out no_memory process_life,$(PETSC_TESTS))): $(PLUGIN)
$(TESTS)/petsc/no_memory: $(ARCHIVE)
$(TESTS)/petsc/no_memory: ARCHIVE_LIBS := $(CUDA_LIBS) -lpthread
$(TESTS)/petsc/scarce $(TESTS)/petsc/streams: ARCHIVE_LIBS := $(CUDA_LIBS)

$(TESTS)/petsc/testfiles: $(wildcard tests/petsc/*.c) tests/rules.mk
	$(call GENTEST,$(CURDIR)/tests/petsc)

# The TEST blocks of examples, with examples/output.  The harness looks into folders below one of the name tests, hence the link.
$(TESTS)/examples/testfiles: $(wildcard examples/*.c) tests/rules.mk
	@mkdir -p $(@D)
	ln -sfn $(CURDIR)/examples $(@D)/sources
	$(call GENTEST,$(abspath $(@D))/sources)

$(TESTS)/examples/cavity $(TESTS)/examples/bump: $(TESTS)/%: $(BUILD)/%
	@mkdir -p $(@D)
	cp $< $@

# PETSc's tutorials as they are.
define TUTORIAL
@mkdir -p $(@D)
$(PCC) -o $@ $(PCC_FLAGS) $(CFLAGS) $(CCPPFLAGS) $< $(PETSC_LIBS) -lm
endef

$(TESTS)/tutorials/ksp/%: $(PETSC_EXAMPLES)/ksp/ksp/tutorials/%.c
	$(TUTORIAL)

$(TESTS)/tutorials/pc/%: $(PETSC_EXAMPLES)/ksp/pc/tutorials/%.c
	$(TUTORIAL)

$(TESTS)/tutorials/snes/%: $(PETSC_EXAMPLES)/snes/tutorials/%.c
	$(TUTORIAL)

-include $(wildcard $(TESTS)/obj/*.d $(TESTS)/petsc/*.d $(addprefix $(TESTS)/nocuda/,src/*/*.d src/*/*/*.d src/*/*/*/*.d tests/*/*.d) \
  $(addprefix $(FUZZ)/,src/*/*.d src/*/*/*.d src/*/*/*/*.d tests/*/*.d bench/*/*.d))

.SECONDARY: $(KERNEL_TESTS:%=$(TESTS)/obj/%.o) $(KERNEL_HELPERS:%=$(TESTS)/obj/%.o) \
  $(patsubst %,$(FUZZ)/tests/fuzz/%.c.o,matrix_market csr)

# The kernel library's tests for AMD's GPUs (conf/hip.mk)
HIP_TESTS := $(GPU_TESTS:%=$(HIP)/tests/%)

$(HIP)/tests/kernels/counter.c.o: HIP_CPPFLAGS += -D__wrap_cudaMalloc=__wrap_hipMalloc -D__real_cudaMalloc=__real_hipMalloc
$(COUNTER_TESTS:%=$(HIP)/tests/%): $(HIP)/tests/kernels/counter.c.o
$(COUNTER_TESTS:%=$(HIP)/tests/%): WRAP_MEMORY := $(call wrap,hipMalloc)
$(HIP_TESTS): $(HIP)/tests/%: $(HIP)/tests/kernels/%.c.o $(KERNEL_HELPERS:%=$(HIP)/tests/kernels/%.c.o) $(HIP_ARCHIVE)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $^ $(WRAP_MEMORY) $(HIP_LDFLAGS) $(HIP_LIBS) -lpthread -lm

hip-tests: $(HIP_TESTS)

include tests/simt/rules.mk

# Passed to the scripts in tests/, besides PETSC_DIR, PETSC_ARCH and PATH, which the makefile exports.  Processes of one machine need
# neither TCP nor fabrics, for which Open MPI looks for more than a second at each start.
TEST_ENV = PYTHONDONTWRITEBYTECODE=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
  OMPI_MCA_pml=ob1 OMPI_MCA_btl='^tcp,ofi' \
  SYNCFREE_LIB='$(abspath $(PLUGIN))' SYNCFREE_TESTS='$(TESTS)' SYNCFREE_GPU='$(if $(HAVE_CUDA),$(USE_GPU))' \
  SYNCFREE_CUDA_BUILD='$(HAVE_CUDA)' SYNCFREE_KERNEL_TESTS='$(KERNEL_TESTS)' \
  SYNCFREE_SIMT_TESTS='$(if $(HAVE_BOOST),$(SIMT_TESTS))' PYTHON='$(PYTHON)' MPIEXEC='$(MPIEXEC)' MAKE='$(MAKE)' \
  BUILD='$(BUILD)' SYNCFREE_PETSC='$(PETSC_VERSION)' SYNCFREE_SCALARS='$(PETSC_SCALAR)' \
  PCC='$(PCC)' PCC_FLAGS='$(PCC_FLAGS)' CCPPFLAGS='$(CCPPFLAGS)' \
  PETSC_LIBS='$(PETSC_LIBS)' CUDA_LIBS='$(CUDA_LIBS)' \
  CUDAC='$(CUDAC)' CUDA_ROOT='$(CUDA_ROOT)' SYNCFREE_GENTEST='$(PETSC_GENTEST)' SYNCFREE_PETSC4PY='$(PETSC4PY)/bin/python3'

test-programs: all $(TEST_PROGRAMS)

# The programs of a build with sanitizers (sanitize.sh), without PETSc's tutorials and the emulator.
sanitize-programs: $(KERNEL_TESTS:%=$(TESTS)/kernels/%) $(PETSC_TESTS:%=$(TESTS)/petsc/%) $(TESTS)/petsc/testfiles

# Packages that only tests need are looked for once for each build, in an included file: make builds it first, then reads its files again.
ifneq (,$(filter test,$(MAKECMDGOALS)))
  include $(BUILD)/test-packages.mk
endif

$(BUILD)/test-packages.mk: conf/bootstrap | $(BUILD)/petsc.mk
	@mkdir -p $(@D)
	@conf/bootstrap --tests
	@touch $@

# A link to the Python environment with the petsc4py of this PETSc; without petsc4py its tests are skipped.
PETSC4PY := $(TESTS)/petsc4py
petsc4py:
	@mkdir -p $(TESTS)
	@conf/bootstrap --petsc4py $(PETSC4PY) || echo "petsc4py was not built: its tests are skipped" >&2

# GROUPS= runs some groups only; the last line is the sum.
test: $(if $(GROUPS),$(foreach g,$(GROUPS),$(RUN_$g)) $(if $(filter-out $(WITHOUT_LIB),$(GROUPS)),all),test-programs) \
  $(if $(filter petsc4py,$(or $(GROUPS),petsc4py)),petsc4py)
	@$(TEST_ENV) $(PYTHON) tests/all.py $(GROUPS)

# The programs with TEST blocks alone, or PROGRAMS of them (releases.sh)
petsc-programs: all $(if $(PROGRAMS),$(PROGRAMS:%=$(TESTS)/petsc/%) $(TESTS)/petsc/testfiles,$(RUN_petsc))
	@$(TEST_ENV) $(PYTHON) tests/petsc_tests.py $(PROGRAMS)

# Programs of other packages that use PETSc, as far as they are installed
clients: $(BUILD)/petsc.mk
	@$(TEST_ENV) $(PYTHON) tests/clients.py $(CLIENTS)

# PETSc's own tests with SyncFree's factorizations; SUITE_ARGS=--help lists the options
petsc-suite: all
	@$(TEST_ENV) $(PYTHON) tests/petsc_suite.py $(SUITE_ARGS)

check: all $(TESTS)/petsc/compare_petsc $(TESTS)/kernels/sweeps
	@$(TEST_ENV) tests/check.sh

# How large the project is, beside its limits; lint runs it, too
size:
	@python3 tests/size.py

.PHONY: hip-tests test-programs sanitize-programs petsc4py petsc-programs clients petsc-suite check size
