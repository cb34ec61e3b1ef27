"""What the tables and plots of the papers share: reading CSV files, means, Markdown, and pages whose tables are filled in."""
import csv
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def papers():
    """Names of those that have a script."""
    return sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".sh") and name != "common.sh")


# CSV files keep the names of their day; here all have today's.
ALGORITHMS = {"syncfree": "syncfree-csc"}
KEYS = {"threshold": "yuenyeung_threshold"}


def current_name(spec, first):
    """NAME:KEY=VALUE:... in today's names, from the part `first` on."""
    parts = spec.split(":")
    for k in range(first, len(parts)):
        name, equals, value = parts[k].partition("=")
        parts[k] = (KEYS if equals else ALGORITHMS).get(name, name) + equals + value
    split = [part[len("split_"):] for part in parts if part.startswith("split_") and not part.startswith("split_parameters=")]
    parts = [part for part in parts if not part.startswith("split_") or part.startswith("split_parameters=")]
    return ":".join(parts + ["split_parameters=" + "/".join(split)] if split else parts)


def current(row):
    for column, first in ("algorithm", 0), ("pc", 1):  # bench_ksp's entries begin with the type of the PC
        if column in row:
            row[column] = current_name(row[column], first)
    return row


def read(path, columns, optional=False):
    """Rows of a CSV file that has these columns, but for wrong results; none of an optional file that is not there."""
    if not os.path.exists(path):
        if optional:
            return []
        sys.exit(f"{path}: no such file")
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        missing = [c for c in columns if c not in (reader.fieldnames or [])]
        if missing:
            sys.exit(f"{path}: no column {missing[0]}")
        return [current(row) for row in reader if row.get("status", "OK") == "OK"]


def number(text):
    return float(text) if text else math.nan


class Table:
    """The last row for each matrix and algorithm among the rows that `choose` takes; what is not there is NaN."""

    def __init__(self, rows, name="algorithm", choose=lambda row: True):
        self.rows = {}
        for row in rows:
            if choose(row):
                self.rows[row["matrix"], row[name]] = row
        self.matrices = list(dict.fromkeys(matrix for matrix, _ in self.rows))
        self.algorithms = list(dict.fromkeys(algorithm for _, algorithm in self.rows))

    def text(self, matrix, algorithm, column):
        row = self.rows.get((matrix, algorithm))
        return row[column] if row else ""

    def get(self, matrix, algorithm, column):
        return number(self.text(matrix, algorithm, column))

    def least(self, matrix, algorithms, column):
        """The smallest value among these algorithms, and whose it is; NaN and "" if there is none."""
        values = [(self.get(matrix, a, column), a) for a in algorithms]
        values = [pair for pair in values if not math.isnan(pair[0])]
        return min(values) if values else (math.nan, "")

    def ratio(self, matrix, a, b, column):
        """How many times larger the value of b is than that of a: of times, how many times faster a is."""
        return self.get(matrix, b, column) / self.get(matrix, a, column)

    def one(self, matrix, column):
        """A column that is the same for all algorithms."""
        return next((row[column] for (name, _), row in self.rows.items() if name == matrix), "")


def finite(values):
    return [v for v in values if math.isfinite(v)]


def geomean(values):
    values = finite(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def span(values, digits=2):
    """The range of the numbers as text."""
    values = finite(values)
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}" if values else "-"


def count(flags):
    """How many are true, of how many; None is not counted."""
    flags = [f for f in flags if f is not None]
    return f"{sum(flags)} of {len(flags)}"


def compare(a, b):
    """a < b, None if one of them is missing."""
    return None if math.isnan(a) or math.isnan(b) else a < b


def holds(flags):
    """Whether a claim that is made of all cases holds."""
    flags = [f for f in flags if f is not None]
    if not flags:
        return "-"
    return "yes" if all(flags) else "mostly" if 4 * sum(flags) >= 3 * len(flags) else "no"


def among(flags):
    """Cells for a claim of cases that are true or not."""
    return [count(flags), holds(flags)]


def within(values, low, high=math.inf):
    """Cells for a claim that all values are between these bounds: their range, and whether."""
    return [span(values), holds([low <= v <= high for v in finite(values)])]


def mean_above(values, low):
    """Cells for a claim that the geometric mean is at least so much."""
    mean = geomean(values)
    return [mean, "-" if math.isnan(mean) else "yes" if mean >= low else "no"]


def show(value, digits=2):
    return "-" if isinstance(value, float) and math.isnan(value) else f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(show, row)) + " |" for row in rows]) + "\n"


def machine_name(rows):
    """Machine and GPU of each run, each once."""
    names = []
    for row in rows:
        name = row["machine"] if row["gpu"] == "none" else f"{row['machine']}, {row['gpu']}"
        names.append(name + (f", CUDA {row['cuda']}" if row.get("cuda", "none") != "none" else ""))
    return "; ".join(dict.fromkeys(names))


def machine_line(rows):
    days = sorted({f"{row['run'][:4]}-{row['run'][4:6]}-{row['run'][6:8]}" for row in rows})
    return f"Measured: {machine_name(rows)}; {', '.join(days)}.\n"


def filled(path, name, text):
    """The page with this text between its marks of that name."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        sys.exit(f"{path}: expected the lines {begin.strip()} and {end.strip()}, once each")
    head, rest = page.split(begin)
    return head + begin + text + end + rest.split(end)[1]


def fill_tables(tables, check):
    """Fills in tables of (name, page, function).  With check a page whose table is another one is named, and stays.

    Returns whether there is such a page.
    """
    differ = False
    for name, path, table in tables:
        text = filled(path, name, table())
        with open(path, encoding="utf-8") as file:
            same = file.read() == text
        if not same and check:
            print(f"{path}: the table {name} is not that of its files")
            differ = True
        elif not same:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return differ


def fill_page(path, name, text):
    """Replaces what stands between two marks of a page."""
    page = filled(path, name, text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
