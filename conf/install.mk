# make install, install-sptrsv and uninstall, with PREFIX=... (prefix=... too; DESTDIR= is put in front while copying, for packagers).

prefix     ?= /usr/local
PREFIX     ?= $(prefix)
INSTALL_TO  = $(DESTDIR)$(abspath $(PREFIX))
INSTALLED   = $(addprefix $(INSTALL_TO)/,$(addprefix include/,petscsyncfree.h sptrsv.h sptrsv_options.h sptrsv_study.h) \
  $(addprefix lib/,$(notdir $(PLUGIN) $(ARCHIVE)) libsptrsv.so libsptrsv.a pkgconfig/sptrsv.pc pkgconfig/syncfree.pc \
    $(addprefix syncfree/conf/,syncfree_variables syncfree_rules)) bin/syncfree_train)

check-prefix:
	@$(if $(filter 2,$(words x$(PREFIX)x x$(DESTDIR)x)),true,echo "PREFIX and DESTDIR cannot have spaces" >&2; false)

install: check-prefix all $(if $(HAVE_CUDA),$(BUILD)/bench/syncfree_train)
	@echo "Installing into $(INSTALL_TO)  (PREFIX= names another place)"
	mkdir -p $(INSTALL_TO)/include $(INSTALL_TO)/lib/pkgconfig $(INSTALL_TO)/lib/syncfree/conf
	cp include/petscsyncfree.h include/sptrsv.h include/sptrsv_options.h include/sptrsv_study.h $(INSTALL_TO)/include
	cp $(PLUGIN) $(ARCHIVE) $(INSTALL_TO)/lib
	$(if $(HAVE_CUDA),mkdir -p $(INSTALL_TO)/bin && cp $(BUILD)/bench/syncfree_train $(INSTALL_TO)/bin)
	cp conf/syncfree_variables conf/syncfree_rules $(INSTALL_TO)/lib/syncfree/conf
	sed -e 's|@PREFIX@|$(abspath $(PREFIX))|' -e 's|@VERSION@|$(SYNCFREE_VERSION)|' -e 's|@PETSC_DIR@|$(PETSC_DIR)|' \
	  -e 's|@PETSC_ARCH@|$(PETSC_ARCH)|' -e 's|@CUDA_LIBS@|$(CUDA_LIBS)|' \
	  conf/syncfree.pc.in >$(INSTALL_TO)/lib/pkgconfig/syncfree.pc
	@echo "Installed.  To use it in a program that knows nothing of it:"
	@echo "  export PETSC_OPTIONS=\"-dll_append $(abspath $(PREFIX))/lib/libpetscsyncfree.so\"   and run with -pc_type syncfree"

install-sptrsv: check-prefix sptrsv
	@echo "Installing into $(INSTALL_TO)  (PREFIX= names another place)"
	mkdir -p $(INSTALL_TO)/include $(INSTALL_TO)/lib/pkgconfig
	cp include/sptrsv.h include/sptrsv_options.h include/sptrsv_study.h $(INSTALL_TO)/include
	cp $(BUILD)/lib/libsptrsv.so $(BUILD)/lib/libsptrsv.a $(INSTALL_TO)/lib
	sed -e 's|@PREFIX@|$(abspath $(PREFIX))|' -e 's|@VERSION@|$(SYNCFREE_VERSION)|' -e 's|@CUDA_LIBS@|$(CUDA_LIBS)|' \
	  conf/sptrsv.pc.in >$(INSTALL_TO)/lib/pkgconfig/sptrsv.pc

uninstall: check-prefix
	rm -f $(INSTALLED)
	@rmdir $(INSTALL_TO)/lib/syncfree/conf $(INSTALL_TO)/lib/syncfree 2>/dev/null || true

.PHONY: check-prefix install-sptrsv uninstall
