# SyncFree: a PETSc preconditioner plugin.  `make help` lists the targets.
#
# PETSc is found, or built once, by conf/bootstrap, whose answer is kept in a makefile of its own.  There is a build folder for each
# PETSC_DIR and PETSC_ARCH given, unless they are those that conf/bootstrap has found, and for each of the variants that `make help` names.
# Of PETSc's makefiles only `variables` is included: the first target of `rules` removes files, and its .cu rule builds for one GPU only.

.DEFAULT_GOAL := all
ifneq (1,$(words $(CURDIR)))
  $(error make cannot work in a folder with spaces in its name: $(CURDIR))
endif
# What a newcomer types takes all processors; -j on the command line is stronger.
ifneq (,$(filter all run solve check test test-programs petsc-suite install sptrsv install-sptrsv,$(or $(MAKECMDGOALS),all)))
  ifeq (,$(findstring jobserver,$(MAKEFLAGS)))
    MAKEFLAGS += -j$(shell nproc)
  endif
endif
SYNCFREE_VERSION := $(shell cat VERSION)
comma := ,

STUDIES := $(if $(filter no 0,$(SYNCFREE_STUDIES)),,1)
VARIANT := $(if $(filter 0,$(SYNCFREE_CUDA)),/nocuda)$(if $(filter 1,$(SYNCFREE_INT64)),/int64)
VARIANT := $(VARIANT)$(if $(SYNCFREE_CUDA_ARCH),/sm$(subst $(comma),_,$(SYNCFREE_CUDA_ARCH)))$(if $(STUDIES),,/nostudies)

ifneq (,$(filter sptrsv install-sptrsv,$(MAKECMDGOALS))) # the kernel library, without PETSc and MPI
  ifneq (,$(filter-out sptrsv install-sptrsv,$(MAKECMDGOALS)))
    $(error make sptrsv and make install-sptrsv are for themselves: other targets need PETSc)
  endif
  BUILD     := build/sptrsv$(VARIANT)
  PCC       := $(CC)
  PCC_FLAGS := -fPIC -fvisibility=hidden
  CUDAC     := $(shell command -v nvcc)
  CUDA_LIB  := $(CUDAC)
  CUDA_ARCH := 80,90
else ifneq (,$(filter-out help man size clean uninstall dist,$(or $(MAKECMDGOALS),all)))
  FOUND   := $(shell sed -n 's/^PETSC_\(DIR\|ARCH\) *:= *//p' build$(VARIANT)/petsc.mk 2>/dev/null)
  SAME    := $(if $(FOUND),$(filter $(realpath $(firstword $(FOUND))) $(lastword $(FOUND)),$(realpath $(PETSC_DIR)) $(PETSC_ARCH)))
  BUILD   := build$(VARIANT)$(if $(PETSC_DIR),$(if $(filter 2,$(words $(SAME))),,/$(subst /,_,$(PETSC_DIR)-$(PETSC_ARCH))))
  include $(BUILD)/petsc.mk
  ifneq (,$(MPI_BIN)) # not on the first reading, before the file above is made
    export PETSC_DIR PETSC_ARCH
    export PATH := $(MPI_BIN):$(PATH)
    include $(PETSC_DIR)/lib/petsc/conf/variables
  endif
endif

$(BUILD)/petsc.mk: conf/bootstrap
	@conf/bootstrap $@

# ------------------------------------------------------------- library --------------------------------------------------------------
# Not by CUDAC and HIPC: PETSc names a compiler that it found and does not use, too.
HAVE_CUDA  := $(if $(filter 0,$(SYNCFREE_CUDA)),,$(if $(CUDA_LIB),1))
HAVE_HIP   := $(if $(HAVE_CUDA),,$(if $(HIP_LIB),1))
PLUGIN     := $(BUILD)/lib/libpetscsyncfree.so
ARCHIVE    := $(BUILD)/lib/libpetscsyncfree.a
# Where the kernel library's objects are: PETSc is not in them, so builds for several PETScs can share them (releases.sh).
KERNEL_BUILD := $(BUILD)
# Published methods that auto never picks are a folder, or no_studies.c.
LEFT_OUT   := src/kernels/$(if $(STUDIES),no_studies.c,studies/%)
kernel_files = $(filter-out $(LEFT_OUT),$(wildcard $(addsuffix /*.$1,src/kernels src/kernels/* src/kernels/*/*)))
KERNEL_SRC := $(call kernel_files,c)
PC_SRC     := $(wildcard src/pc/*.c)
CUDA_SRC   := $(if $(HAVE_CUDA),$(call kernel_files,cu))
include conf/hip.mk
KERNEL_OBJECTS := $(if $(HAVE_HIP),$(HIP_OBJECTS),$(patsubst %,$(KERNEL_BUILD)/obj/%.o,$(KERNEL_SRC) $(CUDA_SRC)))
OBJECTS    := $(patsubst %,$(BUILD)/obj/%.o,$(PC_SRC)) $(KERNEL_OBJECTS)

# A line for each file that is made; V=1 prints the whole command
QUIET = $(if $(V),,@$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,printf '  %-5s %s\n' $1 $@;))

WARNINGS   := -Wall -Wextra
OPTIMIZE   := -O3
DEPFLAGS   = -MMD -MP -MF $(@:.o=.d)
SF_CPPFLAGS = -Iinclude $(if $(HAVE_CUDA),-DSPTRSV_HAVE_CUDA -I$(CUDA_ROOT)/include) $(if $(HAVE_HIP),$(HIP_CPPFLAGS))
CUDA_ROOT  := $(if $(HAVE_CUDA),$(patsubst %/bin/,%,$(dir $(realpath $(shell command -v $(CUDAC))))))
CUDA_ARCHS := $(subst $(comma), ,$(or $(SYNCFREE_CUDA_ARCH),$(CUDA_ARCH)))
NVCC_FLAGS := -O3 -std=c++17 --extended-lambda -Xcompiler -fPIC,-fvisibility=hidden,-Wall,-Wextra \
  $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
  -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS)) $(CUDA_WERROR)
# The flags that nvcc had: with others, as for other GPUs, its objects are made anew.
NVCC_HAD := $(KERNEL_BUILD)/nvcc.txt
ifneq ($(if $(HAVE_CUDA),$(strip $(NVCC_FLAGS))),$(if $(HAVE_CUDA),$(shell cat $(NVCC_HAD) 2>/dev/null)))
  $(shell mkdir -p $(KERNEL_BUILD) && echo '$(strip $(NVCC_FLAGS))' >$(NVCC_HAD))
endif
# None with headers alone: what the plugin needs of PETSc it then finds in the program that loads it.
PETSC_LIBS := $(if $(wildcard $(PETSC_LIB_DIR)/libpetsc*),-L$(PETSC_LIB_DIR) -Wl$(comma)-rpath$(comma)$(PETSC_LIB_DIR) $(PETSC_LIB_BASIC))
# Products of complex numbers are then four of reals, without a call that looks for infinities; clang has this flag since 18.
CX_FLAGS   := $(if $(PCC),$(if $(shell echo | PATH="$(PATH)" $(PCC) -Werror -fcx-fortran-rules -x c -c -o /dev/null - 2>&1),, \
  -fcx-fortran-rules))
# Not PETSC_LIB: it names libcuda.so.1, and a plugin that needs that does not load on a machine without a driver.
CUDA_LIBS  := $(if $(HAVE_CUDA),-L$(CUDA_ROOT)/lib64 -Wl$(comma)-rpath$(comma)$(CUDA_ROOT)/lib64 -lcusparse -lcudart -lstdc++) \
  $(if $(HAVE_HIP),$(HIP_LIBS))

all: $(PLUGIN) $(ARCHIVE)
sptrsv: $(BUILD)/lib/libsptrsv.so $(BUILD)/lib/libsptrsv.a

$(BUILD)/obj/src/pc/%.c.o: src/pc/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ $(PCC_FLAGS) $(CFLAGS) $(WARNINGS) $(DEPFLAGS) $(SF_CPPFLAGS) $(CCPPFLAGS) $<

$(KERNEL_BUILD)/obj/src/kernels/%.c.o: src/kernels/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ $(PCC_FLAGS) $(CFLAGS) -std=c11 $(OPTIMIZE) $(CX_FLAGS) $(WARNINGS) $(DEPFLAGS) $(SF_CPPFLAGS) $<

$(KERNEL_BUILD)/obj/src/kernels/%.cu.o: src/kernels/%.cu $(NVCC_HAD)
	@mkdir -p $(@D)
	$(call QUIET,NVCC)$(CUDAC) -c -o $@ $(NVCC_FLAGS) $(DEPFLAGS) $(SF_CPPFLAGS) $<

$(PLUGIN): $(OBJECTS)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -shared -Wl,-soname,$(@F) $(if $(PETSC_LIBS),-Wl$(comma)-z$(comma)defs) -Wl,-z,nodelete -o $@ $^ \
	  $(PETSC_LIBS) $(CUDA_LIBS) -lpthread -lm

$(BUILD)/lib/libsptrsv.so: $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(CC) -shared -Wl,-soname,$(@F) -Wl,-z,nodelete -o $@ $^ $(CUDA_LIBS) -lpthread -lm

$(BUILD)/lib/libsptrsv.a: $(KERNEL_OBJECTS)
$(ARCHIVE): $(OBJECTS)
$(BUILD)/lib/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(call QUIET,AR)$(AR) crs $@ $^

# Without a rule for them, .DEFAULT would be asked to make these files.
-include $(OBJECTS:.o=.d)
$(OBJECTS:.o=.d): ;

# ------------------------------------------------------------ programs --------------------------------------------------------------
$(BUILD)/examples/cavity: $(wildcard examples/cavity*.[ch] examples/older_petsc.h)
$(BUILD)/examples/bump: $(wildcard examples/bump*.[ch] examples/older_petsc.h)
$(BUILD)/examples/cavity $(BUILD)/examples/bump:
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $(PCC_FLAGS) $(CFLAGS) $(WARNINGS) $(CCPPFLAGS) $(filter %.c,$^) $(PETSC_LIBS) -lm

# Programs without PETSc, of the kernel library alone
$(BUILD)/examples/sptrsv: examples/sptrsv.c $(KERNEL_OBJECTS)
$(BUILD)/options: doc/options.c $(KERNEL_OBJECTS)
$(BUILD)/examples/sptrsv $(BUILD)/options:
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ -std=c99 -O2 $(WARNINGS) -Iinclude $^ $(CUDA_LIBS) -lpthread -lm

options: $(BUILD)/options
	$< >doc/options.md

# Of the comments alone: neither PETSc nor a compiler is looked for.
MAN := $(or $(BUILD),build)/man/man3
man:
	@rm -rf $(MAN)
	$(call QUIET,MAN)$(or $(PYTHON),python3) doc/man.py $(MAN)

include bench/rules.mk
include tests/rules.mk
include conf/install.mk

CAVITY_ARGS ?= -n 128 -reynolds 400
RUN_DIR     := $(BUILD)/run
SYNCFREE    := -dll_append $(abspath $(PLUGIN))
USE_GPU     := $(shell nvidia-smi -L 2>/dev/null | grep -q GPU && echo 1)
CAVITY_MAT  ?= $(if $(HAVE_CUDA),$(if $(USE_GPU),-dm_mat_type aijcusparse -dm_vec_type cuda -use_gpu_aware_mpi 0))
# On several processes PETSc's own factorizations are the blocks of its block Jacobi.
RANKS       ?= 1
SEVERAL     := $(filter-out 1,$(RANKS))
# MPICH's processes poll while they wait.  Where processors have other work, too, each reduction then costs a slice of time, and with it
# runs took ten times as long; so they are asked to give the processor away.
LAUNCH      := $(if $(SEVERAL),env MPIR_CVAR_CH4_PROGRESS_THROTTLE=$(or $(MPIR_CVAR_CH4_PROGRESS_THROTTLE),1) \
  MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=$(or $(MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT),10) \
  $(MPIEXEC) -n $(SEVERAL))
CAVITY      := $(LAUNCH) $(BUILD)/examples/cavity
CAVITY_PC    = $(if $(SEVERAL),-$1_pc_type bjacobi -$1_sub_pc_type $2,-$1_pc_type $2)

EXAMPLE ?= cavity
run: run-$(EXAMPLE)

run-cavity: all $(BUILD)/examples/cavity
	@mkdir -p $(RUN_DIR)
	@echo "== lid-driven cavity with -pc_type syncfree =="
	@$(CAVITY) $(CAVITY_ARGS) $(CAVITY_MAT) $(SYNCFREE) -momentum_pc_type syncfree -pressure_pc_type syncfree \
	  -summary $(RUN_DIR)/syncfree.txt -field $(RUN_DIR)/cavity
	@echo "== the same with PETSc's own -pc_type ilu and icc =="
	@$(CAVITY) $(CAVITY_ARGS) $(CAVITY_MAT) $(call CAVITY_PC,momentum,ilu) $(call CAVITY_PC,pressure,icc) -summary $(RUN_DIR)/petsc.txt
	@$(PYTHON) examples/cavity_plot.py $(RUN_DIR)/cavity $(RUN_DIR)/cavity.png
	@$(PYTHON) examples/cavity_compare.py $(RUN_DIR)/syncfree.txt $(RUN_DIR)/petsc.txt
	@echo "picture: $(RUN_DIR)/cavity.png"
	@echo "Next, your own matrix:   make solve SOLVE_ARGS=\"-f FILE.mtx.gz $(if $(USE_GPU),-mat_type aijcusparse )-compare_pc_type ilu\""
	@echo "      your own program:  -dll_append $$PWD/$(PLUGIN) -pc_type syncfree$(if $(USE_GPU), -mat_type aijcusparse)"

# By rows: on a GPU, where sweeps otherwise go by blocks.
BUMP_ARGS ?= -n 64
BUMP_DIR  := $(RUN_DIR)/bump
BUMP      := $(LAUNCH) $(BUILD)/examples/bump
run-bump: all $(BUILD)/examples/bump
	@mkdir -p $(BUMP_DIR)
	@echo "== supersonic flow over a bump with -pc_type syncfree =="
	@$(BUMP) $(BUMP_ARGS) $(CAVITY_MAT) $(SYNCFREE) -pc_type syncfree -summary $(BUMP_DIR)/syncfree.txt -field $(BUMP_DIR)/state
	@$(if $(USE_GPU),echo "== the same with -pc_syncfree_sweep_blocks no ==")
	@$(if $(USE_GPU),$(BUMP) $(BUMP_ARGS) $(CAVITY_MAT) $(SYNCFREE) -pc_type syncfree -pc_syncfree_sweep_blocks no \
	  -summary $(BUMP_DIR)/by_rows.txt)
	@echo "== the same with PETSc's own ilu =="
	@$(BUMP) $(BUMP_ARGS) $(CAVITY_MAT) -summary $(BUMP_DIR)/petsc.txt
	@$(PYTHON) examples/bump_plot.py $(BUMP_DIR)/state $(BUMP_DIR)/bump.png \
	  $(addprefix $(BUMP_DIR)/,syncfree.txt $(if $(USE_GPU),by_rows.txt) petsc.txt)
	@echo "picture: $(BUMP_DIR)/bump.png"

# Pictures are drawn of a solve that did not converge, too: that is when they are wanted.
SOLVE_ARGS ?= -help intro
SOLVE_PLOT  = $(PYTHON) examples/solve_plot.py $1 && echo "pictures: $1/convergence.png, $1/sparsity.png"
solve: all $(BUILD)/examples/solve
	@$(if $(SOLVE_RECORD),rm -f $(SOLVE_RECORD)/history.csv;) status=0; \
	$(LAUNCH) $(BUILD)/examples/solve $(SYNCFREE) -pc_type syncfree $(SOLVE_ARGS) \
	  $(if $(SOLVE_RECORD),-record $(SOLVE_RECORD)) || status=$$?; \
	$(if $(SOLVE_RECORD),if test -s $(SOLVE_RECORD)/history.csv; then $(call SOLVE_PLOT,$(SOLVE_RECORD)); fi;) exit $$status

info:
	@echo "PETSC_DIR='$(PETSC_DIR)'"
	@echo "PETSC_ARCH='$(PETSC_ARCH)'"
	@echo "MPI_BIN='$(MPI_BIN)'"
	@echo "SYNCFREE_LIB='$(abspath $(PLUGIN))'"
	@echo "SYNCFREE_VERSION='$(SYNCFREE_VERSION)'"

clean::
	rm -rf build

help:
	@echo "SyncFree $(SYNCFREE_VERSION): a PETSc preconditioner plugin (-pc_type syncfree)"
	@echo "  make                 the library, shared and static, in build/lib"
	@echo "  make run             the main example: a lid-driven cavity, its table and picture; RANKS=2: on two processes"
	@echo "                       EXAMPLE=bump: another one, of 4 unknowns a cell, by blocks and by rows"
	@echo "  make solve           solves a system from a file: SOLVE_ARGS=\"-f FILE\", MatrixMarket or PETSc binary; -help says more;"
	@echo "                       SOLVE_RECORD=FOLDER: solution, and pictures of convergence and sparsity; RANKS=2: on two processes"
	@echo "  make sptrsv          the kernel library alone, without PETSc and MPI, in build/sptrsv/lib; install-sptrsv PREFIX=... installs it"
	@echo "  make check           a smoke test: a minute, when the library is built"
	@echo "  make test            every test that this machine can run, GROUPS=\"petsc lint\" some; GPU tests are skipped without a GPU"
	@echo "  make size            lines, words and bytes of the project, beside their limits"
	@echo "  make simt-campaign   a million schedules of the GPU's kernels on an emulator (needs Boost.Context)"
	@echo "  make mutants         breaks waits, orders, tickets and streams of the kernels on purpose and shows what sees it"
	@echo "  make mutation-score  samples small changes of the kernels and counts those that the tests on the emulator catch"
	@echo "  make fuzz            feeds the file reader and the kernel library on bytes, FUZZ_SECONDS=60 each (needs clang)"
	@echo "  make clients         programs of deal.II, FEniCSx, Firedrake, OpenFOAM, petsc4py and SLEPc, as far as they are installed"
	@echo "  make petsc-suite     PETSc's own tests with SyncFree in the place of its ilu and icc (SUITE_ARGS=--help); hours on two cores"
	@echo "  make records         doc/records anew, by simt-campaign, mutants, mutation-score and petsc-suite: hours"
	@echo "  make petsc4py        petsc4py for examples/plate.py and the tests, in build/tests/petsc4py"
	@echo "  make bench           the benchmark, on a GPU also of BENCH_FILES= (bench/README.md)"
	@echo "  make hip             the kernel library for AMD's GPUs (doc/amd.md)"
	@echo "  make bench-mpi       a preconditioner on RANKS=\"1 2 4\" processes: weak and strong scaling (bench/README.md)"
	@echo "  make options         doc/options.md from the table of options"
	@echo "  make man             manual pages, from the comments in include/ and src/pc/: man -M build/man 3 PCSYNCFREE"
	@echo "  make train           the row of yuenyeung's table of thresholds for this GPU, TRAIN_ARGS= (bench/README.md)"
	@echo "  make bench-li        a paper's experiment; also bench-ahmad, bench-helal, bench-yuenyeung (bench/papers/README.md)"
	@echo "  make install PREFIX= library, headers, manual pages, and for programs that use it syncfree.pc, a CMake config and makefiles"
	@echo "  make uninstall PREFIX=   removes them"
	@echo "  make dist            the last commit as build/syncfree-$(SYNCFREE_VERSION).tar.gz"
	@echo "  make info            where PETSc, MPI and the plugin are, as shell assignments"
	@echo "  make clean           removes build/"
	@echo "PETSc is PETSC_DIR and PETSC_ARCH, or was built into ~/.cache/syncfree, or is pkg-config's or Debian's, or is built once.  Also:"
	@echo "  SYNCFREE_PKG_CONFIG=1 (pkg-config's first; 0: not at all), V=1 (prints whole commands)"
	@echo "  BUILD=DIR (where to build, if not in the checkout)"
	@echo "  SYNCFREE_CUDA=0 (without CUDA), SYNCFREE_CUDA_ARCH=80,90, SYNCFREE_HIP_ARCH=gfx90a (GPU architectures)"
	@echo "  SYNCFREE_INT64=1 (a PETSc built here has indices of 64 bits)"
	@echo "  SYNCFREE_STUDIES=no (without the published methods that auto never picks)"

.DEFAULT:
	@echo "There is no target $@; make help lists them" >&2; false

.PHONY: all sptrsv options man run run-cavity run-bump solve check test fuzz bench train install info clean help
.DELETE_ON_ERROR:
