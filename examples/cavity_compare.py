#!/usr/bin/env python3
"""Table of cavity runs: python3 cavity_compare.py SUMMARY ...: files that cavity -summary wrote; they name the rows.

The last column has how many times as long as the first run the others take.
"""
import pathlib
import sys


def read(path):
    with open(path) as file:
        return dict(line.rstrip("\n").split("=", 1) for line in file)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    runs = [(pathlib.Path(path).stem, read(path)) for path in sys.argv[1:]]
    labels = max(5, max(len(label) for label, _ in runs))
    first = runs[0][1]
    processes = "" if first["run_processes"] == "1" else f", {first['run_processes']} processes"
    print(f"Lid-driven cavity, {first['run_n']} x {first['run_n']} cells, Re {first['run_reynolds']}, "
          f"{first['run_steps']} steps{processes}")
    print(f"{'run':<{labels}}  {'solver':<9} {'ksp':<7} {'pc':<9} {'iterations':>10} {'set-up [s]':>11} "
          f"{'apply [us]':>11} {'total [s]':>10} {'x first':>8}")
    for solver in ("momentum", "pressure"):
        total = {}
        for label, run in runs:
            setup, solve, apply = (float(run[f"{solver}_{item}"]) for item in ("setup_s", "solve_s", "apply_us"))
            total[label] = setup + solve
            print(f"{label:<{labels}}  {solver:<9} {run[solver + '_ksp']:<7} {run[solver + '_pc']:<9} "
                  f"{run[solver + '_iterations']:>10} {setup:>11.4f} {apply:>11.1f} {total[label]:>10.2f} "
                  f"{total[label] / total[runs[0][0]]:>8.2f}")
    for label, run in runs:
        whole = float(run["run_total_s"])
        print(f"{label:<{labels}}  {'whole run':<49} {'':>11} {whole:>10.2f} {whole / float(first['run_total_s']):>8.2f}")
    steps = {run["run_steps"] for _, run in runs}
    if len(steps) > 1:
        print("the runs took different numbers of steps:", ", ".join(f"{label} {run['run_steps']}" for label, run in runs))
    if any(kind in first["pressure_mat"] for kind in ("cusparse", "hipsparse")):
        print("All of this ran on the GPU.")
    else:
        print("All of this ran on the host.  What a GPU gains is in the README, Measured.")


if __name__ == "__main__":
    main()
