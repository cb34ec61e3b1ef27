"""Pictures of helal.md: SpTS and PCG, as in Helal's Figures 8 and 11."""
import os

import helal_tables
import plot  # ../plot.py
from results import Table, machine_name


def bars(table, base, names, column, label, title, path):
    """How many times faster these are than the base; names: of the legend, and in the table."""
    heights = {name: {m: table.ratio(m, key, base, column) for m in table.matrices} for name, key in names.items()}
    plot.draw_bars(heights, table.matrices, label, title, path, start=1.0)


def helal(directory, folder, _):
    rows, ksp = helal_tables.load(directory)
    title = f"both sweeps ({machine_name(rows)})"
    for name, variants in (("push", helal_tables.PUSH), ("pull", helal_tables.PULL)):
        others = {**variants, **{a: a for a in helal_tables.OTHERS}}
        base = others.pop("level-set")
        bars(Table(rows), base, others, "apply_us", f"times faster than {base}", f"SpTS by {name}, {title}",
             os.path.join(folder, f"helal-{name}.png"))
    others = dict(helal_tables.PCG)
    base = others.pop("level-set")
    bars(Table(ksp, "pc"), base, others, "solve_ms", "times faster than level-set", f"PCG ({machine_name(ksp)})",
         os.path.join(folder, "helal-pcg.png"))
