# AMD's GPUs (doc/amd.md): hipcc for the kernels, with src/kernels/device/hip in place of CUDA's headers.  `make hip` needs no HIP in PETSc:
# it makes the kernel library, and `make hip-tests` its tests (tests/rules.mk).  Where PETSc was configured with HIP, the plugin is made of
# the same objects.
HIP_COMPILER := $(or $(HIPC),hipcc)
HIP_ROOT     := $(patsubst %/bin/,%,$(dir $(realpath $(shell command -v $(HIP_COMPILER)))))
HIP_ARCHS    := $(subst $(comma), ,$(or $(SYNCFREE_HIP_ARCH),gfx90a))
HIP_WARP     ?= 64
HIP_CPPFLAGS := -Iinclude -Isrc/kernels/device/hip -I$(HIP_ROOT)/include -D__HIP_PLATFORM_AMD__ -DSPTRSV_HAVE_CUDA -DSPTRSV_WARP=$(HIP_WARP)
HIP_FLAGS     = $(OPTIMIZE) -std=c++17 -fPIC -fvisibility=hidden -Wall -Wextra -Wno-unused-command-line-argument \
  $(HIP_ARCHS:%=--offload-arch=%)
HIP_LIBS     := -L$(HIP_ROOT)/lib -Wl,-rpath,$(HIP_ROOT)/lib -lamdhip64 -lstdc++
HIP          := $(BUILD)/hip
HIP_SRC      := $(filter-out %/cusparse.cu,$(call kernel_files,cu))
HIP_OBJECTS  := $(patsubst %,$(HIP)/%.o,$(KERNEL_SRC) $(HIP_SRC))
HIP_ARCHIVE  := $(BUILD)/lib/libsptrsv_hip.a

$(HIP)/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(call QUIET,HIPCC)$(HIP_COMPILER) -c $(HIP_FLAGS) $(HIP_WERROR) $(DEPFLAGS) $(HIP_CPPFLAGS) -o $@ -x hip $<

$(HIP)/%.c.o: %.c
	@mkdir -p $(@D)
	$(call QUIET,CC)$(PCC) -c -o $@ -fPIC -std=c11 $(OPTIMIZE) $(CX_FLAGS) $(WARNINGS) $(HIP_WERROR) $(DEPFLAGS) $(HIP_CPPFLAGS) $<

$(HIP_ARCHIVE): $(HIP_OBJECTS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call QUIET,AR)$(AR) crs $@ $^

hip: $(HIP_ARCHIVE)

-include $(wildcard $(addprefix $(HIP)/,src/kernels/*.d src/kernels/*/*.d src/kernels/*/*/*.d tests/kernels/*.d))
.PHONY: hip
