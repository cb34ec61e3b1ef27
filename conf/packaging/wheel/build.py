#!/usr/bin/env python3
"""The wheel petsc-syncfree, for the host, with a plugin for each of the PETSCs:  build.py FOLDER PETSC_DIR[:PETSC_ARCH]...

Run it in the checkout.  Plugins are linked with neither PETSc nor MPI: they find both in the program that loads them.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LINK = ["gcc", "-shared", "-Wl,-z,nodelete", "-o"]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def label(directory, arch):
    """As pick.c has it"""
    conf = read(next(path for path in (f"{directory}/{place}include/petscconf.h" for place in (f"{arch}/", "")) if os.path.exists(path)))
    if "define PETSC_USE_REAL_DOUBLE " not in conf:
        sys.exit(f"{directory} {arch}: the wheel is for double precision")
    numbers = dict(re.findall(r"#define PETSC_VERSION_(MAJOR|MINOR) +(\d+)", read(f"{directory}/include/petscversion.h")))
    bits = 64 if "define PETSC_USE_64BIT_INDICES " in conf else 32
    mpi = "openmpi" if re.search("define PETSC_HAVE_(OMPI|OPENMPI)", conf) else "mpich"
    return f"petsc{numbers['MAJOR']}.{numbers['MINOR']}-int{bits}-{mpi}"


def link_plugin(folder, petsc):
    directory, _, arch = petsc.partition(":")
    path = f"{folder}/{label(directory, arch)}"
    environment = dict(os.environ, PETSC_DIR=directory, PETSC_ARCH=arch, SYNCFREE_CUDA="0", SYNCFREE_PYTHON=sys.executable)
    archive = f"{path}/lib/libpetscsyncfree.a"
    subprocess.run(["make", "-s", f"BUILD={path}", archive], env=environment, check=True)
    subprocess.run([*LINK, f"{path}.so", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-lpthread", "-lm"], check=True)
    return f"{path}.so"


def platform(libraries):
    """The oldest C library that has all symbols"""
    symbols = subprocess.run(["objdump", "-T", *libraries], stdout=subprocess.PIPE, text=True, check=True).stdout
    newest = max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(\d+\.\d+)", symbols))
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"


def write_wheel(folder, version, libraries):
    tag = f"py3-none-{platform(libraries)}"
    info = f"petsc_syncfree-{version}.dist-info"
    files = {f"syncfree/{os.path.basename(path)}": path for path in libraries}
    files.update({f"syncfree/{name}": f"{HERE}/{name}" for name in ("__init__.py", "__main__.py")}, **{f"{info}/LICENSE": "LICENSE"})
    texts = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: petsc-syncfree\nVersion: {version}\n"
             "Summary: PETSc preconditioner plugin: incomplete factorizations\nLicense: BSD-2-Clause\n",
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: build.py\nRoot-Is-Purelib: false\nTag: {tag}\n"}
    path, records = f"{folder}/petsc_syncfree-{version}-{tag}.whl", []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, content):
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(content)}\n")
            wheel.writestr(name, content)

        for name, source in files.items():
            with open(source, "rb") as file:
                add(name, file.read())
        for name, text in texts.items():
            add(name, text.encode())
        wheel.writestr(f"{info}/RECORD", "".join(records) + f"{info}/RECORD,,\n")
    return path


def main(folder, *petscs):
    os.makedirs(folder, exist_ok=True)
    picker = f"{folder}/libpetscsyncfree.so"
    subprocess.run([*LINK, picker, "-fPIC", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden", f"{HERE}/pick.c", "-ldl"], check=True)
    libraries = [picker, *(link_plugin(folder, petsc) for petsc in petscs)]
    print(write_wheel(folder, read("VERSION").strip(), libraries))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
