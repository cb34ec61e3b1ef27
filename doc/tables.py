#!/usr/bin/env python3
"""Fills the tables of pages from the measurements in bench/results and bench/papers/results; needs nothing but Python.

  tables.py [--check]

A table stands between <!-- begin NAME --> and <!-- end NAME -->; the modules' TABLES say in which page, and by which function.  With
--check nothing is written, and a page whose table is another one is named, as an error.
"""
import argparse
import os
import sys

from figures import ROOT
from results import fill_tables
import host_tables
import petsc_tables
import study_tables
import sweep_tables

MODULES = sweep_tables, petsc_tables, host_tables, study_tables


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    return fill_tables([(name, os.path.join(ROOT, page), table) for module in MODULES for name, page, table in module.TABLES], check)


if __name__ == "__main__":
    sys.exit(main())
