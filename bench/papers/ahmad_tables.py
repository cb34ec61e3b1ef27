"""Tables of ahmad.md: Ahmad's Tables 3 and 4 and Figures 10 to 13, beside what ahmad.sh measured.  All times are of the lower sweep."""
import math
import os
import statistics

from results import Table, compare, finite, machine_line, markdown, read, show, span

POLICIES = ["cpu", "gpu", "cpu-gpu", "gpu-cpu", "cpu-cpu", "gpu-gpu"]
FORCED = {p: f"split:split_parameters=policy={p}" for p in POLICIES}
SAME = "split:split_parameters=policy=gpu-gpu/first=slfc/second=slfc"  # section 5.3
TOLERANCE = 1.05  # an algorithm that is slower by less counts as fast


class Times:
    """Lower sweeps of both files, us."""

    def __init__(self, gpu, host):
        self.gpu, self.host = gpu, host
        self.matrices = gpu.matrices or host.matrices
        self.split = gpu if gpu.matrices else host

    def get(self, matrix, algorithm):
        table = self.host if algorithm in ("host", "host-threads") else self.split
        return table.get(matrix, algorithm, "lower_us")

    def best(self, matrix, algorithms):
        values = finite(self.get(matrix, a) for a in algorithms)
        return min(values) if values else math.nan

    def speedup(self, matrix, others, algorithm="split"):
        return self.best(matrix, others) / self.get(matrix, algorithm)

    def policy(self, matrix):
        return self.split.text(matrix, "split", "split_policy")

    def fastest_policy(self, matrix):
        values = [(self.get(matrix, a), p) for p, a in FORCED.items()]
        values = [v for v in values if math.isfinite(v[0])]
        return min(values)[1] if values else ""

    def right(self, matrix):
        """Whether the decision is as fast as the best of what can be forced."""
        return compare(self.get(matrix, "split"), TOLERANCE * self.best(matrix, FORCED.values()))

    def setup_solves(self, matrix):
        """Equation 5, with the steps of Equation 2."""
        return 1e3 * self.split.get(matrix, "split", "split_setup_ms") / self.get(matrix, "split")

    def transfer_share(self, matrix):
        """Percent of a solve; NaN where nothing is moved."""
        moved = self.split.get(matrix, "split", "transfer_us")
        return 100 * moved / self.get(matrix, "split") if moved else math.nan


def percent(flags):
    flags = [f for f in flags if f is not None]
    return 100 * sum(flags) / len(flags) if flags else math.nan


def share_row(claim, paper, flags, expected):
    value = percent(flags)
    return [claim, paper, "-" if math.isnan(value) else f"{value:.0f} % of {len([f for f in flags if f is not None])}",
            "-" if math.isnan(value) else "yes" if value >= expected else "no"]


def at_least_as_fast(times, others):
    return [compare(times.get(m, "split"), TOLERANCE * times.best(m, others)) for m in times.matrices]


def largest_row(claim, paper, values):
    values = finite(values)
    return [claim, paper, show(max(values, default=math.nan)), "-" if not values else "yes" if max(values) > 1 else "no"]


def claims(times):
    ms = times.matrices
    over = [times.speedup(m, ["host", "slfc"]) for m in ms]
    two = [s for m, s in zip(ms, over) if times.policy(m) in ("cpu-gpu", "gpu-cpu")]
    solves = finite(times.setup_solves(m) for m in ms)
    moved = finite(times.transfer_share(m) for m in ms)
    return [
        share_row("split as fast as the best of serial host and slfc", "91 %, 86 %", at_least_as_fast(times, ["host", "slfc"]), 86),
        share_row("as fast as serial host", "94 %, 91 %", at_least_as_fast(times, ["host"]), 91),
        share_row("as fast as slfc", "93 %, 90 %", at_least_as_fast(times, ["slfc"]), 90),
        share_row("as fast as cuSPARSE", "86 %, 89 %", at_least_as_fast(times, ["cusparse"]), 86),
        share_row("the policy is the fastest one", "88 %, 83 %", [times.right(m) for m in ms], 83),
        largest_row("largest speed-up over the best of serial host and slfc", "10.0, 6.36", over),
        largest_row("the same where CPU and GPU share the work", "7.82", two),
        largest_row("slfc split over unsplit slfc, largest", "10.0", [times.get(m, "slfc") / times.get(m, SAME) for m in ms]),
        ["set-up in solves: median", "68, 37", statistics.median(solves) if solves else math.nan, ""],
        ["set-up in solves: range", "10 to 458, 8 to 151", span(solves, 0), ""],
        ["transfers, % of a solve", "at most 10", span(moved, 1), "-" if not moved else "yes" if max(moved) <= 10 else "no"],
        share_row("levelorder as fast as split", "", [compare(times.get(m, "levelorder"), TOLERANCE * times.get(m, "split")) for m in ms],
                  50),
    ]


def solve_rows(times):
    names = ["host", "host-threads", "slfc", "levelorder", "cusparse", "split"]
    return [[m, times.split.one(m, "levels_lower")] + [times.get(m, a) for a in names]
            + [times.policy(m), times.fastest_policy(m), {True: "yes", False: "no", None: "-"}[times.right(m)],
               times.speedup(m, ["host", "slfc"]), times.speedup(m, ["host", "levelorder"]), times.speedup(m, ["cusparse"])]
            for m in times.matrices]


def policy_rows(times):
    return [[m] + [times.get(m, a) for a in FORCED.values()] + [times.get(m, SAME), times.setup_solves(m), times.transfer_share(m),
                                                                times.split.text(m, "split", "description")] for m in times.matrices]


def load(directory):
    columns = ["split_policy", "split_setup_ms", "transfer_us"]
    host = read(os.path.join(directory, "ahmad-host.csv"), columns)
    return read(os.path.join(directory, "ahmad.csv"), columns, optional=True), host


def tables(directory):
    gpu, host = load(directory)
    times = Times(Table(gpu), Table(host))
    text = machine_line(gpu or host) + "\n### Claims\n\n"
    text += markdown(["claim", "paper (V100, GTX 1080 Ti)", "here", "holds"], claims(times))
    text += "\n### Lower sweep, us\n\n"
    text += markdown(["matrix", "levels", "host", "host-threads", "slfc", "levelorder", "cusparse", "split", "policy", "fastest policy",
                      "right", "over host, slfc", "over host, levelorder", "over cusparse"], solve_rows(times))
    text += "\n### Lower sweep by policies that are forced, us; set-up and transfers of the one chosen\n\n"
    return text + markdown(["matrix", *POLICIES, "gpu-gpu, slfc twice", "set-up, solves", "transfers, %", "plan"], policy_rows(times))
