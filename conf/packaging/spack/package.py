# A recipe for Spack, as packages/syncfree/package.py of a Spack repository.  There is no public archive: `make dist` writes one and
# prints its sha256, which belongs into version() below; Spack looks for the archive in the folder in which it is called.
import os

from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Syncfree(MakefilePackage, CudaPackage):
    """PETSc preconditioner plugin: incomplete factorizations with synchronization-free triangular solves for GPUs."""

    manual_download = True
    license("BSD-2-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3", type="build")
    depends_on("petsc@3.18:3.26 +mpi+shared")
    with when("+cuda"):
        depends_on("petsc+cuda")
        for arch in CudaPackage.cuda_arch_values:
            depends_on(f"petsc cuda_arch={arch}", when=f"cuda_arch={arch}")
            if int(arch.rstrip("af")) < 80:
                conflicts(f"cuda_arch={arch}", msg="SyncFree needs an NVIDIA GPU of compute capability 8.0 or later")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/syncfree-{version}.tar.gz"

    def setup_build_environment(self, env):
        env.set("SYNCFREE_PYTHON", self.spec["python"].command.path)  # otherwise make gets one with matplotlib, from pip
        env.set("SYNCFREE_CUDA", "1" if self.spec.satisfies("+cuda") else "0")
        archs = [arch for arch in self.spec.variants["cuda_arch"].value if arch != "none"]
        if archs:
            env.set("SYNCFREE_CUDA_ARCH", ",".join(archs))

    @property
    def install_targets(self):
        return ["install", f"PREFIX={self.prefix}"]

    def check(self):
        make("check")

    def setup_run_environment(self, env):
        env.append_flags("PETSC_OPTIONS", f"-dll_append {self.prefix.lib}/libpetscsyncfree.so")
