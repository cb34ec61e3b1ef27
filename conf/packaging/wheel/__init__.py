"""SyncFree's plugin for PETSc.  `python -m syncfree` prints the option that loads it into any PETSc program."""
import os

plugin = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libpetscsyncfree.so")
