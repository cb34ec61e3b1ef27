# make install PREFIX=... (prefix=... too; DESTDIR= is put in front while copying, for packagers).

prefix     ?= /usr/local
PREFIX     ?= $(prefix)
INSTALL_TO  = $(DESTDIR)$(abspath $(PREFIX))

install: all $(if $(HAVE_CUDA),$(BUILD)/bench/syncfree_train)
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
