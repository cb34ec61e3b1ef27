# make install, install-sptrsv and uninstall, with PREFIX=... (prefix=... too; DESTDIR= is put in front while copying, for packagers), and
# make dist.

prefix     ?= /usr/local
PREFIX     ?= $(prefix)
INSTALL_TO  = $(DESTDIR)$(abspath $(PREFIX))
HEADERS     = $(filter-out $(if $(STUDIES),,%_study.h),$(wildcard include/*.h))
SPTRSV_MAN  = [sS]ptrsv*.3 SPTRSV_*.3
ALL_MAN     = $(SPTRSV_MAN) *SyncFree*.3 *SYNCFREE*.3 *petscsyncfree.3
INSTALLED   = $(addprefix $(INSTALL_TO)/,$(HEADERS) $(addprefix share/man/man3/,$(ALL_MAN)) \
  $(addprefix lib/,$(notdir $(PLUGIN) $(ARCHIVE)) libsptrsv.so libsptrsv.a pkgconfig/sptrsv.pc pkgconfig/syncfree.pc \
    $(addprefix syncfree/conf/,syncfree_variables syncfree_rules) \
    $(foreach p,SyncFree sptrsv,cmake/$p/$pConfig.cmake cmake/$p/$pConfigVersion.cmake)))
INSTALL_MAN = mkdir -p $(INSTALL_TO)/share/man/man3 && cp $(addprefix $(MAN)/,$1) $(INSTALL_TO)/share/man/man3
FILL        = sed -e 's|@PREFIX@|$(abspath $(PREFIX))|' -e 's|@VERSION@|$(SYNCFREE_VERSION)|' -e 's|@PETSC_DIR@|$(PETSC_DIR)|' \
  -e 's|@PETSC_ARCH@|$(PETSC_ARCH)|' -e 's|@PETSC_RELEASE@|$(basename $(PETSC_VERSION))|g' -e 's|@CUDA_LIBS@|$(CUDA_LIBS)|'

check-prefix:
	@$(if $(filter 2,$(words x$(PREFIX)x x$(DESTDIR)x)),true,echo "PREFIX and DESTDIR cannot have spaces" >&2; false)

check-writable: check-prefix
	@mkdir -p $(INSTALL_TO) 2>/dev/null && test -w $(INSTALL_TO) || \
	  { echo "cannot write to $(INSTALL_TO): name another place, make $(firstword $(MAKECMDGOALS)) PREFIX=$$HOME/syncfree" >&2; false; }

install: check-writable all man
	@echo "Installing into $(INSTALL_TO)  (PREFIX= names another place)"
	mkdir -p $(INSTALL_TO)/include $(addprefix $(INSTALL_TO)/lib/,pkgconfig syncfree/conf cmake/SyncFree)
	cp $(HEADERS) $(INSTALL_TO)/include
	cp $(PLUGIN) $(ARCHIVE) $(INSTALL_TO)/lib
	$(call INSTALL_MAN,*.3)
	cp conf/syncfree_variables conf/syncfree_rules $(INSTALL_TO)/lib/syncfree/conf
	$(FILL) conf/syncfree.pc.in >$(INSTALL_TO)/lib/pkgconfig/syncfree.pc
	$(FILL) conf/SyncFreeConfig.cmake.in >$(INSTALL_TO)/lib/cmake/SyncFree/SyncFreeConfig.cmake
	$(FILL) conf/ConfigVersion.cmake.in >$(INSTALL_TO)/lib/cmake/SyncFree/SyncFreeConfigVersion.cmake
	@echo "Installed.  To use it in a program that knows nothing of it:"
	@echo "  export PETSC_OPTIONS=\"-dll_append $(abspath $(PREFIX))/lib/libpetscsyncfree.so\"   and run with -pc_type syncfree"

install-sptrsv: check-writable sptrsv man
	@echo "Installing into $(INSTALL_TO)  (PREFIX= names another place)"
	mkdir -p $(INSTALL_TO)/include $(INSTALL_TO)/lib/pkgconfig $(INSTALL_TO)/lib/cmake/sptrsv
	cp $(filter include/sptrsv%,$(HEADERS)) $(INSTALL_TO)/include
	$(call INSTALL_MAN,$(SPTRSV_MAN))
	cp $(BUILD)/lib/libsptrsv.so $(BUILD)/lib/libsptrsv.a $(INSTALL_TO)/lib
	$(FILL) conf/sptrsv.pc.in >$(INSTALL_TO)/lib/pkgconfig/sptrsv.pc
	$(FILL) conf/sptrsvConfig.cmake.in >$(INSTALL_TO)/lib/cmake/sptrsv/sptrsvConfig.cmake
	$(FILL) conf/ConfigVersion.cmake.in >$(INSTALL_TO)/lib/cmake/sptrsv/sptrsvConfigVersion.cmake

uninstall: check-prefix
	rm -f $(INSTALLED)
	@rmdir $(addprefix $(INSTALL_TO)/lib/,syncfree/conf syncfree cmake/SyncFree cmake/sptrsv) 2>/dev/null || true

# The last commit as an archive.  It has the same bytes wherever it is made, since gzip -n leaves out the time.
DIST := build/syncfree-$(SYNCFREE_VERSION).tar.gz
dist:
	@git rev-parse --git-dir >/dev/null || { echo "make dist archives a commit, and this is not a checkout of git" >&2; false; }
	@git diff --quiet HEAD || echo "make dist leaves out changes that are not committed" >&2
	@mkdir -p build
	git -c tar.tar.gz.command='gzip -cn' archive --format=tar.gz --prefix=syncfree-$(SYNCFREE_VERSION)/ -o $(DIST) HEAD
	@sha256sum $(DIST)

.PHONY: check-prefix check-writable install-sptrsv uninstall dist
