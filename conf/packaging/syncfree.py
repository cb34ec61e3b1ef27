"""PETSc's configure builds SyncFree, after PETSc itself, with this file in PETSc's config/BuildSystem/config/packages:

  make dist                                                               # in SyncFree's checkout
  cp conf/packaging/syncfree.py $PETSC_DIR/config/BuildSystem/config/packages
  patch -p1 -d $PETSC_DIR <conf/packaging/petsc.patch                     # for PETSc 3.26.1; then -dll_append below is not needed
  ./configure --download-syncfree=SYNCFREE/build/syncfree-0.1.0.tar.gz    # in PETSC_DIR, with PETSc's other options
  make all                                                                # with --prefix, make install too
  ./app -dll_append '${PETSC_LIB_DIR}/libpetscsyncfree' -pc_type syncfree # any program
"""
import config.package
import os


class Configure(config.package.Package):
  def __init__(self, framework):
    config.package.Package.__init__(self, framework)
    self.version                = '0.1.0'
    self.download               = ['syncfree-0.1.0.tar.gz'] # no public address: --download-syncfree=FILE
    self.functions              = ['PCRegister_SyncFree']
    self.includes               = ['petscsyncfree.h']
    self.precisions             = ['single', 'double']
    self.skippackagewithoptions = 1
    self.useddirectly           = 0
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1
    return

  def setupDependencies(self, framework):
    config.package.Package.setupDependencies(self, framework)
    self.cuda  = framework.require('config.packages.CUDA', self)
    self.odeps = [self.cuda]
    return

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('--download-syncfree needs a PETSc with shared libraries: a static one cannot load plugins.\n'
                         'Build SyncFree by itself, and call PCRegister_SyncFree() in the program.')
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB: # then it is built against the installed PETSc
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      make   = '${OMAKE} PETSC_DIR=' + prefix + ' PETSC_ARCH='
    else:
      prefix = os.path.join(self.petscdir.dir, self.arch)
      make   = '${OMAKE} PETSC_DIR=' + self.petscdir.dir + ' PETSC_ARCH=' + self.arch
    make += ' SYNCFREE_PYTHON=' + self.python.pyexe # SyncFree's make would look for one with matplotlib, for pictures
    if self.cuda.found and self.cuda.cudaArchIsVersionList():
      make += ' SYNCFREE_CUDA_ARCH=' + self.cuda.cudaArch
    self.addPost(self.packageDir, [make + ' all', make + ' install PREFIX=' + prefix])
    self.addMakeCheck(self.packageDir, make + ' -s check')
    return self.installDir
