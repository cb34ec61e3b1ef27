"""Pictures of ahmad.md: speed-ups and cost of the set-up, as in Ahmad's Figures 10 and 12."""
import os

import ahmad_tables
import plot  # ../plot.py
from results import Table, machine_name


def ahmad(directory, folder, _):
    gpu, host = ahmad_tables.load(directory)
    times = ahmad_tables.Times(Table(gpu), Table(host))
    title = f"lower sweep ({machine_name(gpu or host)})"
    names = ["split", "slfc", "levelorder", "cusparse", "host-threads"]
    speedups = {name: {m: times.get(m, "host") / times.get(m, name) for m in times.matrices} for name in names}
    plot.draw_bars(speedups, times.matrices, "times faster than the serial host", title,
                   os.path.join(folder, "ahmad-speedup.png"), start=1.0)
    plot.draw_bars({"set-up": {m: times.setup_solves(m) for m in times.matrices}}, times.matrices, "set-up, solves", title,
                   os.path.join(folder, "ahmad-setup.png"))
