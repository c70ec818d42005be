"""Figures: the data of the views, whole files, the same bytes, any label."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.comparison.compare.compare import choices, compare
from wattmark.comparison.compare.views import CompareChoice, CompareOut
from wattmark.comparison.memory.views import MemoryOut, MemoryPoint
from wattmark.comparison.published.library import load_published, published_groups
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95
from wattmark.core.quantity import Quantity
from wattmark.reports.figures.plot import Plot, PlotSeries
from wattmark.reports.figures.plots import compare_plot, line_plot
from wattmark.reports.figures.product_figures import product_figure
from wattmark.reports.files.figure_file import FIGURE_FORMATS, clean, write_figure
from wattmark.reports.table_query import TableQuery

from ..pairs import pair

BEGINNINGS = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}


def published_plot() -> Plot:
    workload = "openssl.rsa1024-sign"
    return compare_plot(compare([], workload, "full load", None, published_groups(load_published(), workload)))


def memory_out() -> MemoryOut:
    points = [
        MemoryPoint(run_id=str(n), configuration="c", count=n, memory_gib=None, efficiency=None, throughput=None,
                    power=Quantity(value=200 + 6.0 * n, unit="W"), simulated=True)
        for n in (2, 4, 8)
    ]  # fmt: skip
    return MemoryOut(
        kind="DIMM", part="1 GiB FB-DIMM", parts=[], server="s", workload="w", level="l", points=points,
        intercept_w=200.0, watts_per_part=Interval95(value=6, low=5, high=7, u=0.5),
        line=[(2, 212, 210, 214), (8, 248, 246, 250)], theil_sen_w=6, lack_of_fit_p=None,
        statement="A DIMM costs 6 W.", simulated=True,
    )  # fmt: skip


def test_comparison_shows_what_the_table_shows() -> None:
    """AnandTech 2006: T2000 10722 signs/s at 188 W; S5000: 6240 at 245 W. Three digits, no ±: no bar."""
    plot = published_plot()
    (series,) = plot.series
    assert series.label == "published"
    assert series.x == pytest.approx((57.0319, 25.4694), abs=1e-4)
    assert series.low == series.x == series.high
    assert (series.fill, series.values) == ("hollow", ("57.0", "25.5"))
    assert [name.split(" (")[0] for name in plot.names] == ["Sun Fire T2000", "Intel S5000, 2 x Xeon 5160 3 GHz"]
    assert "no ± and no bar" in plot.caption


@pytest.mark.parametrize("any_version", [False, True])
def test_a_figure_ranks_what_its_table_ranks(any_version: bool) -> None:
    """The page hands its choice of any version of the load program to both."""
    runs = [
        pair(name, rate * (1 + k / 1000), 200.0, repeat=k)[1].model_copy(update={"program_version": f"7-Zip {version}"})
        for name, rate, version in (("a", 1e5, "16.02"), ("b", 1.5e5, "23.01"))
        for k in range(1, 4)
    ]

    class Compared:
        def choices(self) -> list[CompareChoice]:
            return choices(runs, [])

        def compare(self, workload: str, level: str, *_: object, any_version: bool) -> CompareOut:
            return compare(runs, workload, level, any_version=any_version)

    sources = SimpleNamespace(comparisons=Compared())
    figure = product_figure(sources, "compare", TableQuery(any_version=any_version))
    ranks = "different versions are not ranked against each other"
    assert (ranks in figure.caption) == (not any_version)


def test_memory_shows_runs_and_band_and_says_simulated() -> None:
    plot = line_plot("memory", memory_out())
    runs, fit = plot.series
    assert (runs.x, runs.y) == ((2, 4, 8), (212, 224, 248))
    assert runs.fill == "hatched"
    assert (fit.kind, fit.low, fit.high) == ("band", (210, 246), (214, 250))
    assert "Simulated power" in plot.caption


@pytest.mark.parametrize("extension", list(FIGURE_FORMATS))
def test_files_are_whole_and_repeat(extension: str) -> None:
    plot = line_plot("memory", memory_out())
    first = write_figure(plot, extension)
    assert first.startswith(BEGINNINGS[extension])
    assert first == write_figure(plot, extension)
    assert b"<dc:date>" not in first
    assert b"/CreationDate" not in first


def test_another_process_writes_the_same_svg_and_pdf() -> None:
    program = (
        "import sys; from wattmark.reports.files.figure_file import write_figure;"
        "from wattmark.reports.figures.plot import *;"
        "p = Plot('a', 'T', 'x', 'y', (PlotSeries('s', 'line', (1.0, 2.0), (1.0, 4.0), (0.5, 3.0), (1.5, 5.0)),), 'c');"
        "sys.stdout.buffer.write(write_figure(p, 'svg') + write_figure(p, 'pdf'))"
    )
    outs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=120).stdout
        for _ in range(2)
    ]
    assert outs[0] == outs[1]
    assert b"/FontFile2" in outs[0]


def test_svg_needs_no_font_of_the_reader_and_nothing_from_outside() -> None:
    svg = write_figure(published_plot(), "svg").decode()
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert "<text" not in svg
    assert 'xlink:href="http' not in svg


def test_svg_is_as_wide_as_a_column_or_two_of_a_journal() -> None:
    """Usual journals: columns of 89 mm, pages of 178 mm, within 1 mm; an inch has 72 points in the file."""
    widths = []
    for width in ("one-column", "two-columns"):
        root = ElementTree.fromstring(write_figure(published_plot(), "svg", width).decode())
        widths.append(float(root.attrib["width"].removesuffix("pt")) / 72 * 25.4)
    assert widths == pytest.approx([89, 178], abs=1)


def test_unknown_format_and_missing_package_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="'gif'"):
        write_figure(published_plot(), "gif")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError) as caught:
        write_figure(published_plot(), "svg")
    assert "wattmark[figures]" in caught.value.remedy


@settings(deadline=None, max_examples=5)
@given(st.text(max_size=60))
def test_any_label_is_drawn_as_it_is(text: str) -> None:
    label = f"{text} $x^2_ --> <script> 電力 \x00\ud800"
    series = PlotSeries(label, "points", (1.0,), (0.0,), (0.5,), (1.5,))
    svg = write_figure(Plot("a", label, label, label, (series, series), label, (label,)), "svg")
    ElementTree.fromstring(svg.decode())
    assert b"<script" not in svg
    assert "\x00" not in clean(label)


def test_program_starts_without_matplotlib_and_arrow() -> None:
    check = (
        "import sys, wattmark.cli, wattmark.service.app, wattmark.tables.formats;"
        "import wattmark.reports.figures.product_figures;"
        "print([m for m in sys.modules if m.startswith(('matplotlib', 'arro3'))])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, timeout=240)
    assert done.stdout.strip() == "[]"
