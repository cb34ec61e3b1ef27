#!/usr/bin/env python3
"""Prints a paper's tables, Markdown, from what its script measured; needs nothing but Python.

  tables.py PAPER DIRECTORY [--page PAGE]

DIRECTORY holds the CSV files.  With --page the tables replace those of that page instead.  A paper is whatever has a script PAPER.sh; its
tables are made by tables() in PAPER_tables.py.
"""
import argparse
import importlib

from results import fill_page, papers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=papers())
    parser.add_argument("directory")
    parser.add_argument("--page")
    arguments = parser.parse_args()
    text = importlib.import_module(f"{arguments.paper}_tables").tables(arguments.directory)
    if arguments.page:
        fill_page(arguments.page, arguments.paper, text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
