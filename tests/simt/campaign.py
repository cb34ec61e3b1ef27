#!/usr/bin/env python3
"""Runs the campaign on all cores and adds up:  campaign.py PROGRAM SEEDS CSV

Each core takes a share of the cases.  The CSV file has a line for each algorithm and mode; the last line printed is the sum.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile
import time

KEYS, SUMS = ("algorithm", "mode", "first_seed"), ("cases", "seeds", "distinct", "launches", "steps", "failures", "seconds")


def main(program, seeds, target):
    parts, start, total, rows = os.cpu_count() or 1, time.time(), [0, 0, 0], {}
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, f"{k}.csv") for k in range(parts)]
        processes = [
            subprocess.Popen([program, "--rows", "64", "--seeds", seeds, "--part", f"{k}/{parts}", "--csv", files[k]],
                             stdout=subprocess.PIPE, text=True)
            for k in range(parts)
        ]
        for process in processes:
            output, _ = process.communicate()
            print("\n".join(line for line in output.splitlines() if line.startswith("FAIL")))
            counts = re.search(r"(\d+) passed, (\d+) failed, (\d+) skipped\s*$", output)
            total = [a + int(b) for a, b in zip(total, counts.groups() if counts else (0, 1, 0))]
        for name in filter(os.path.exists, files):
            with open(name, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    sums = rows.setdefault(tuple(row[key] for key in KEYS), [0.0] * len(SUMS))
                    for k, key in enumerate(SUMS):
                        sums[k] += float(row[key])
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(KEYS + SUMS)
        for key, sums in sorted(rows.items()):
            writer.writerow([*key, *(int(s) for s in sums[:-1]), round(sums[-1], 1)])
    made, distinct = (sum(int(sums[SUMS.index(name)]) for sums in rows.values()) for name in ("seeds", "distinct"))
    print(f"{made} seeds, {distinct} distinct schedules in {time.time() - start:.0f} s on {parts} cores; {target}")
    print(f"simt: {total[0]} passed, {total[1]} failed, {total[2]} skipped")
    sys.exit(1 if total[1] or not total[0] else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
