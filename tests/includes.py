#!/usr/bin/env python3
"""Checks that includes in src/kernels go down from folder to folder, product never includes a study, and no files include each other."""
import glob
import os
import re
import sys

ROOT = "src/kernels"
ORDER = ["device", "analysis", "plan", "factor", "solve", "studies"]  # headers beside the folders are below them, sources there above


def level(path):
    folder = path.split("/")[0]
    return ORDER.index(folder) if folder in ORDER else -1 if path.endswith(".h") else len(ORDER)


def included(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        names = re.findall(r'^#include "(.*)"', file.read(), re.M)
    return [os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in names if "/include/" not in name]


def circle(path, graph, way=()):
    """The files of a circle that is met on a way down from this one, or nothing"""
    if path in way:
        return way[way.index(path):] + (path,)
    return next((found for name in graph[path] if (found := circle(name, graph, way + (path,)))), ())


def main():
    paths = [os.path.relpath(path, ROOT) for path in glob.glob(f"{ROOT}/**/*.[ch]*", recursive=True) if "/hip/" not in path]
    graph = {path: included(path) for path in paths}
    wrong = [f"{path} includes {name}, which is above it" for path in paths for name in graph[path] if level(name) > level(path)]
    wrong += [" includes ".join(found) for path in paths if (found := circle(path, graph))]
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
