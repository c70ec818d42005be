"""Tables as LaTeX, compiled by pdflatex: nothing is wider than the page of an article."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.views import CompareGroup, CompareOut, ComparePair
from wattmark.comparison.published.library import load_published, published_groups
from wattmark.core.interval import Interval, Interval95
from wattmark.reports.figures.plots import compare_plot
from wattmark.reports.files.figure_file import write_figure
from wattmark.tables.formats import write
from wattmark.tables.layouts import arranged
from wattmark.tables.table import Column, Table

from ..docs.pages import DOCS, blocks

DOCUMENT = r"""\documentclass[%s]{article}
\usepackage{array,booktabs,longtable,siunitx}
\begin{document}
%s
\end{document}
"""
# The line of an article in 10 pt is 345 pt wide, in 11 pt on A4 360 pt; a column of a two-column page is too narrow.
CLASSES = ["10pt,letterpaper", "11pt,a4paper"]


def between(value: float, half: float) -> Interval95:
    return Interval95(value=value, low=value - half, high=value + half, u=half / 2)


def group(server: str, n: int, title: str, throughput: float) -> CompareGroup:
    """A configuration whose power is that of a server of 2006: 245 W and 6 W per module."""
    watts = 245.0 + 6 * n
    return CompareGroup(
        key=f"{server}/{n}", title=title, server=server, configuration=str(n), dimm_count=n, kind="simulated",
        workload="openssl.rsa2048-sign", level="4 processes", runs=["a", "b", "c"], n=3,
        efficiency=between(throughput / watts, 0.024 * throughput / watts), power_w=between(watts, 0.016 * watts),
        throughput=between(throughput, 0.013 * throughput), efficiency_unit="signs/J", throughput_unit="signs/s",
        steady=n % 2 == 0, full_load=True, traceable=n % 3 > 0, source="measured",
        remarks=["Simulated power.", "Steadiness was not checked: the window is too short."],
    )  # fmt: skip


def comparison(
    servers: int, configurations: int, throughput: float = 23960.0, title: str = "{} x 64 GiB RDIMM"
) -> Table:
    return compare_table(compared_servers(servers, configurations, throughput, title))


def compared_servers(
    servers: int, configurations: int, throughput: float = 23960.0, title: str = "{} x 64 GiB RDIMM"
) -> CompareOut:
    groups = [
        group(f"server-{s}.lab.example.org", n, title.format(n), throughput * (1 + 0.01 * n))
        for s in range(servers)
        for n in range(1, configurations + 1)
    ]
    base = groups[0]
    pairs = [
        ComparePair(
            key=g.key, baseline=base.key, ratio=Interval(value=1.25, low=1.21, high=1.29), p_adjusted=0.01,
            significant=g.dimm_count != 2, verdict="",
        )
        for g in groups[1:]
    ]  # fmt: skip
    return CompareOut(
        workload=base.workload, level=base.level, title=f"{base.workload}, {base.level}",
        efficiency_unit="signs/J", throughput_unit="signs/s", direction="higher", baseline=base.key,
        groups=groups, pairs=pairs, claim="Compared: work per joule of each run's own work over its own window.",
        statement="“8 x 64 GiB RDIMM” does 25.0 % more work per joule than “1 x 64 GiB RDIMM” (95 %: 21 to 29 %).",
    )  # fmt: skip


def published() -> Table:
    workload = "openssl.rsa1024-sign"
    return compare_table(compare([], workload, "full load", None, published_groups(load_published(), workload)))


TABLES = {
    "published": published,
    "three": lambda: comparison(1, 3),
    "servers": lambda: comparison(2, 8),
    "240": lambda: comparison(12, 20),
    "fast": lambda: comparison(2, 3, throughput=2_001_939.39),
    "very fast": lambda: comparison(2, 3, throughput=987_654_321.0),
    "long names": lambda: comparison(2, 3, title="{} modules of DDR5-6400_RDIMM_dual_rank, firmware 1.4.2-rc1"),
    "empty": lambda: replace(comparison(1, 1), rows=(), row_notes=(), baseline=None),
}


def compiled(table: Table, options: str, folder: Path) -> str:
    """Compile a table twice, as longtable needs it, and return what pdflatex says."""
    (folder / "t.tex").write_text(DOCUMENT % (options, write(table, "tex").decode()), encoding="utf-8")
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
            cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:]
    return (folder / "t.log").read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("options", CLASSES)
@pytest.mark.parametrize("name", TABLES)
def test_table_of_an_article_is_a_page_wide(tmp_path: Path, name: str, options: str) -> None:
    log = compiled(arranged(TABLES[name]()), options, tmp_path)
    assert not re.findall(r"Overfull.*|Missing character.*|LaTeX Warning: (?!Label)(?!Rerun).*", log)
    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF-")


def test_chosen_columns_are_a_page_wide(tmp_path: Path) -> None:
    table = arranged(comparison(2, 3), columns=["title", "server", "dimm_count", "power_w", "efficiency", "verdict"])
    assert "Overfull" not in compiled(table, CLASSES[0], tmp_path)


def test_table_of_many_rows_goes_over_pages(tmp_path: Path) -> None:
    log = compiled(arranged(comparison(12, 20)), CLASSES[0], tmp_path)
    pages = int(re.findall(r"Output written on t\.pdf \((\d+) page", log)[0])
    assert 4 <= pages <= 16, "240 rows, of one or two lines each"


@pytest.mark.parametrize("rows", [3, 8])
def test_the_article_of_the_guide_holds_table_and_figure(tmp_path: Path, rows: int) -> None:
    """The document that the page of the guide shows, with files as its commands make them."""
    (article,) = (block for block in blocks(DOCS / "guide/article.md") if "file" in block.attributes)
    (tmp_path / "t.tex").write_text("\n".join(article.lines))
    compared = compared_servers(1, rows)
    (tmp_path / "compare.tex").write_bytes(write(arranged(compare_table(compared)), "tex"))
    (tmp_path / "compare.pdf").write_bytes(write_figure(compare_plot(compared), "pdf", "one-column"))
    for _ in range(2):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
            cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:]
    log = (tmp_path / "t.log").read_text("utf-8", "replace")
    assert not re.findall(r"Overfull.*|LaTeX Warning: (?!Label)(?!Rerun).*", log)
    assert "compare.pdf" in log


def test_every_printable_sign_compiles_in_the_document_of_the_guide(tmp_path: Path) -> None:
    """Latin, Greek, punctuation, arrows, mathematics, and one each of scripts and pictures that fonts lack."""
    ranges = (range(0x20, 0x180), range(0x370, 0x400), range(0x2000, 0x20D0), range(0x2100, 0x2300))
    signs = [chr(code) for codes in ranges for code in codes if chr(code).isprintable()]
    signs += [*"服日한Жאع", "🚀", "e\u0301", "q\u0308", '"', "''", "--", "?`"]
    rows = tuple((" ".join(signs[n : n + 12]), 1.5, "x") for n in range(0, len(signs), 12))
    columns = (Column("name", "Configuration"), Column("p", "Power", "W", "number"), Column("lab", "Lab «é» µΩ"))
    guide = r"\documentclass{article}\usepackage{array,booktabs,longtable,siunitx}\begin{document}%s\end{document}"
    (tmp_path / "t.tex").write_text(guide % write(Table("t", "Größe", columns, rows), "tex").decode(), "ascii")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Missing character" not in (tmp_path / "t.log").read_text("utf-8", "replace")
