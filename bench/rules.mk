# The benchmark programs (bench/README.md), and the example solve, which has their reader of files.
BENCH_CPPFLAGS := $(if $(HAVE_CUDA),-DSPTRSV_HAVE_CUDA -I$(CUDA_ROOT)/include) -Iinclude
MATRIX_OBJ     := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard bench/matrices/*.c))
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench/,bench_sptrsv $(if $(STUDIES),bench_setup) bench_ksp bench_mpi)
BENCH_DEVICE   := $(if $(HAVE_CUDA),$(if $(USE_GPU),device,host),host)
BENCH_CSV      ?= $(BUILD)/bench
# On a GPU the standard set: these grids, and the files that BENCH_FILES names.  The growth is that of grids as high and wide as long.
BENCH_GRIDS    := 2d5:1024x1024 2d5:64x16384 2d5:16384x64 2d9:1024x1024 3d7:10x10x10 3d7:32x32x32 3d7:64x64x64 3d7:128x128x128 \
                  3d7:256x256x256 3d7:32x32x2048 3d27:64x64x64 3d27:128x128x128
BENCH_GROWTH   := $(foreach k,32 100 320 1024 2048 4096,2d5:$kx$k) $(foreach k,10 20 32 48 64 96 128 192 256,3d7:$kx$kx$k)
BENCH_MATRICES ?= $(if $(filter device,$(BENCH_DEVICE)),$(BENCH_GRIDS) $(BENCH_FILES),2d5:256x256 3d7:32x32x32 3d27:24x24x24)
BENCH_COMPETE  := --location device --budget 0.15 --algorithms cusparse,levelorder,strips,strips:strips_order=bricks,auto

$(BUILD)/obj/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ $(PCC_FLAGS) $(CFLAGS) -O2 $(WARNINGS) $(DEPFLAGS) $(BENCH_CPPFLAGS) $(CCPPFLAGS) $<

bench_objects = $(patsubst %,$(BUILD)/obj/bench/%.o,$1)
$(BUILD)/bench/bench_sptrsv: $(call bench_objects,sptrsv_settings sptrsv_measure sptrsv_problem machine machine_cuda)
$(BUILD)/bench/bench_setup: $(call bench_objects,setup_phases sptrsv_problem machine machine_cuda)
$(BUILD)/bench/bench_ksp: $(call bench_objects,ksp_measure)
$(BUILD)/bench/bench_mpi: $(call bench_objects,ksp_measure mpi_measure)
$(BENCH_PROGRAMS): $(BUILD)/bench/%: $(BUILD)/obj/bench/%.o $(call bench_objects,report) $(MATRIX_OBJ) $(ARCHIVE)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $(filter %.o,$^) $(ARCHIVE) $(PETSC_LIBS) $(CUDA_LIBS) -ldl -lpthread -lm

TRAIN_OBJ := $(addprefix papers/yuenyeung/,syncfree_train train_graphs train_times train_fit) machine machine_cuda report
$(BUILD)/bench/syncfree_train: $(call bench_objects,$(TRAIN_OBJ)) $(MATRIX_OBJ) $(KERNEL_OBJECTS)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $^ $(CUDA_LIBS) -lpthread -lm

$(BUILD)/examples/solve: $(wildcard examples/solve*.[ch] examples/older_petsc.h) $(MATRIX_OBJ)
	@mkdir -p $(@D)
	$(call QUIET,LINK)$(PCC) -o $@ $(PCC_FLAGS) $(CFLAGS) $(WARNINGS) $(CCPPFLAGS) $(filter %.c %.o,$^) $(PETSC_LIBS) -lm

bench: all $(BUILD)/bench/bench_sptrsv $(BUILD)/bench/bench_ksp
	$(BUILD)/bench/bench_sptrsv $(if $(filter device,$(BENCH_DEVICE)),$(BENCH_COMPETE),--location host) --csv $(BENCH_CSV)/sptrsv.csv \
	  $(BENCH_MATRICES)
	$(BUILD)/bench/bench_ksp $(BENCH_MATRICES) $(if $(filter device,$(BENCH_DEVICE)),-mat_type aijcusparse) $(SYNCFREE) \
	  -csv $(BENCH_CSV)/ksp.csv
	$(if $(filter device,$(BENCH_DEVICE)),$(BUILD)/bench/bench_sptrsv $(BENCH_COMPETE) --csv $(BENCH_CSV)/growth.csv $(BENCH_GROWTH))
	$(if $(filter device,$(BENCH_DEVICE)),$(PYTHON) bench/plot.py $(BENCH_CSV)/sptrsv.csv -o $(BENCH_CSV)/sptrsv)
	$(if $(filter device,$(BENCH_DEVICE)),$(PYTHON) bench/plot.py $(BENCH_CSV)/growth.csv -o $(BENCH_CSV)/growth)

# BENCH_STUDIES: of bench/mpi.sh, whose variables RANKS, POINTS and BUDGET come from the environment.
bench-mpi: all $(BUILD)/bench/bench_mpi
	BIN=$(BUILD)/bench OUT=$(BENCH_CSV) LOCATION=$(BENCH_DEVICE) PLUGIN=$(PLUGIN) MPIEXEC='$(MPIEXEC)' bench/mpi.sh $(BENCH_STUDIES)
	$(PYTHON) bench/mpi_plot.py $(BENCH_CSV)/mpi.csv -o $(BENCH_CSV)/mpi

# Prints the row of src/kernels/studies/yuenyeung/roworder.cu for this GPU; TRAIN_ARGS="-o FILE" keeps the evidence.
train: $(BUILD)/bench/syncfree_train
	$< $(TRAIN_ARGS)

# A paper's experiment: bench/papers/README.md.  PAPER_MATRICES: files besides its grids.
PAPERS := $(patsubst bench/papers/%.sh,bench-%,$(filter-out %/common.sh,$(wildcard bench/papers/*.sh)))
bench-programs: all $(BENCH_PROGRAMS) $(BUILD)/bench/syncfree_train
$(PAPERS): bench-%: bench-programs
	BIN=$(BUILD)/bench OUT=$(BENCH_CSV)/papers LOCATION=$(BENCH_DEVICE) PLUGIN=$(PLUGIN) bench/papers/$*.sh $(PAPER_MATRICES)
	$(PYTHON) bench/papers/plots.py $* $(BENCH_CSV)/papers
	$(PYTHON) bench/papers/tables.py $* $(BENCH_CSV)/papers

.PHONY: bench-programs bench-mpi $(PAPERS)

-include $(wildcard $(addprefix $(BUILD)/obj/bench/,*.d */*.d */*/*.d))
