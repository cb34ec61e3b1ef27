/*
   The library of the wheel that PETSc loads by -dll_append.  It loads the plugin that was built for this release of PETSc, its size of
   indices and its MPI.  Nothing of PETSc is linked: its functions are looked up in the library that calls.
*/
#define _GNU_SOURCE /* dladdr(), and its Dl_info */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ERR_LIB 76 /* PETSC_ERR_LIB */

typedef int                                     Register(void);
__attribute__((visibility("default"))) Register PetscDLLibraryRegister_petscsyncfree;

typedef int GetVersion(void *major, void *minor, void *subminor, void *release);

/* PETSc gives its version as PetscInt, of 4 bytes or of 8.  The upper half of a number stays as it was, or becomes that of a small one. */
static int label(char *text, size_t size, void *petsc)
{
  GetVersion *get  = (GetVersion *)dlsym(petsc, "PetscGetVersionNumber");
  int64_t     v[4] = {-1, -1, -1, -1};

  if (!get || get(v, v + 1, v + 2, v + 3)) return ERR_LIB;
  (void)snprintf(text, size, "petsc%d.%d-int%d-%s", (int)v[0], (int)v[1], v[0] < 0 ? 32 : 64,
                 dlsym(petsc, "ompi_mpi_comm_world") ? "openmpi" : "mpich");
  return 0;
}

int PetscDLLibraryRegister_petscsyncfree(void)
{
  Dl_info   caller, self;
  char      name[64], path[4096];
  void     *petsc, *plugin;
  Register *registers;

  /* what Python has loaded only for a module is opened once more, for all: the plugin finds PETSc there */
  if (!dladdr(__builtin_return_address(0), &caller) || !(petsc = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD)) ||
      !dladdr((void *)label, &self) || label(name, sizeof(name), petsc)) {
    fprintf(stderr, "SyncFree: the library that loads the plugin is not a shared libpetsc\n");
    return ERR_LIB;
  }
  (void)snprintf(path, sizeof(path), "%.*s/%s.so", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname, name);
  plugin    = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  registers = plugin ? (Register *)dlsym(plugin, "PetscDLLibraryRegister_petscsyncfree") : NULL;
  if (!registers) {
    fprintf(stderr, "SyncFree: this package has no plugin for this PETSc: %s\n", dlerror());
    return ERR_LIB;
  }
  return registers();
}
