#!/usr/bin/env python3
"""Draws what a paper's script measured.

  plots.py PAPER DIRECTORY [-o FOLDER]

DIRECTORY holds the CSV files; the pictures, named after the paper, go to the folder, which is DIRECTORY by default.  A paper is whatever
has a script PAPER.sh; its pictures are drawn by a function of that name in PAPER_plots.py.
"""
import argparse
import importlib
import os
import sys

from matplotlib import pyplot as plt

from results import HERE, papers

sys.path.insert(0, os.path.join(HERE, ".."))  # for plot.py


def save(figure, title, path):
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=papers())
    parser.add_argument("directory")
    parser.add_argument("-o", "--output", metavar="FOLDER")
    arguments = parser.parse_args()
    plt.switch_backend("Agg")  # no display needed
    draw = getattr(importlib.import_module(f"{arguments.paper}_plots"), arguments.paper)
    draw(arguments.directory, arguments.output or arguments.directory, save)


if __name__ == "__main__":
    main()
