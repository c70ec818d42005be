"""The figure of a comparison in print: its size, its pages, its marks, as they stand in the files.

PLOS takes figures up to 8.75 inch (2625 pixels at 300 dpi) high; columns of journals are 89 and 178 mm wide.
"""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95
from wattmark.reports.figures.plot import Plot
from wattmark.reports.figures.plots import compare_plot
from wattmark.reports.files.figure_file import FigureWidth, figure_pages, write_figure

PLOS_PT = 8.75 * 72
MM = 72 / 25.4
WIDTHS: tuple[tuple[FigureWidth, float], ...] = (("one-column", 89), ("two-columns", 178))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
SVG = "{http://www.w3.org/2000/svg}"


def lab(servers: int = 12, half_pct: float = 1.5, **changes: object) -> CompareOut:
    """Servers with 2, 4 and 8 modules: ± 1.5 %, the best 30 % above the last; one is not traceable."""
    groups = []
    for server in range(1, servers + 1):
        for modules in (2, 4, 8):
            value = 30.0 - 0.6 * server - 0.2 * modules
            half = half_pct / 100 * value
            groups.append(
                CompareGroup(
                    key=f"node-{server:02}/{modules}", title=f"{modules} × 16 GiB RDIMM", server=f"node-{server:02}",
                    configuration=str(modules), dimm_count=modules, kind="measured", workload="rsa", level="100 %",
                    runs=["a"], n=4, power_w=None,
                    efficiency=Interval95(value=value, low=value - half, high=value + half, u=half / 2),
                    throughput=None, efficiency_unit="signs/J", throughput_unit="signs/s", steady=True,
                    full_load=True, traceable=server != servers, source="measured",
                )
            )  # fmt: skip
    fields: dict[str, object] = {
        "workload": "rsa", "level": "100 %", "title": "openssl.rsa2048-sign, 100 %", "efficiency_unit": "signs/J",
        "throughput_unit": "signs/s", "direction": "higher", "baseline": groups[0].key, "groups": groups, "pairs": [],
        "statement": "Said.",
    }  # fmt: skip
    return CompareOut.model_validate(fields | changes)


def pdf_sizes(pdf: bytes) -> list[tuple[float, float]]:
    boxes = re.findall(rb"/MediaBox \[ ?([^\]]+)\]", pdf)
    return [(width, height) for _, _, width, height in (map(float, box.split()) for box in boxes)]


@pytest.mark.parametrize("servers", [1, 12, 40])
@pytest.mark.parametrize(("width", "width_mm"), WIDTHS)
def test_no_page_is_wider_than_its_columns_or_taller_than_a_journal(
    width: FigureWidth, width_mm: float, servers: int
) -> None:
    plot = compare_plot(lab(servers))
    sizes = pdf_sizes(write_figure(plot, "pdf", width))
    assert len(sizes) == len(figure_pages(plot, width))
    for wide, high in sizes:
        assert wide / MM == pytest.approx(width_mm, abs=1)
        assert high <= PLOS_PT
    svg = ElementTree.fromstring(write_figure(plot, "svg", width).decode())
    assert float(svg.attrib["height"].removesuffix("pt")) == pytest.approx(sizes[0][1], abs=0.1)


def test_36_configurations_are_one_page_of_two_columns() -> None:
    assert len(figure_pages(compare_plot(lab()), "two-columns")) == 1


@pytest.mark.parametrize("sort", ["rank", "server"])
@pytest.mark.parametrize(("width", "width_mm"), WIDTHS)
def test_every_row_stands_on_one_page_in_its_order_over_the_same_axis(
    width: FigureWidth, width_mm: float, sort: str
) -> None:
    plot = compare_plot(lab(40), sort)
    pages = figure_pages(plot, width)
    assert len(pages) > 1
    rows = [name for page in pages for row, name in enumerate(page.names) if row not in page.headings]
    assert rows == [name for row, name in enumerate(plot.names) if row not in plot.headings]
    assert len({page.x_range for page in pages}) == 1
    low, high = pages[0].x_range
    assert all(low < x < high for page in pages for series in page.series for x in (*series.low, *series.high))
    assert [page.title.rpartition(", ")[2] for page in pages] == [
        f"page {number} of {len(pages)}" for number in range(1, len(pages) + 1)
    ]
    for page in pages:
        assert len(page.names) - 1 not in page.headings
        values = [(y, value) for series in page.series for y, value in zip(series.y, series.values, strict=True)]
        assert sorted(int(y) for y, _ in values) == [r for r in range(len(page.names)) if r not in page.headings]


def test_rows_of_a_server_stand_under_its_name_on_each_page() -> None:
    plot = compare_plot(lab(), "server")
    assert plot.names[:5] == ("node-01", "2 × 16 GiB RDIMM", "4 × 16 GiB RDIMM", "8 × 16 GiB RDIMM", "node-02")
    assert plot.headings == tuple(range(0, 48, 4))
    many = compare_plot(lab(40), "server")
    for before, after in pairwise(figure_pages(many, "two-columns")):
        continued = after.names[0].endswith(" (continued)")
        assert 0 in after.headings
        last = before.names[max(before.headings)]
        assert after.names[0].removesuffix(" (continued)") == last if continued else after.names[0] != last


def test_a_page_is_chosen_by_its_number_and_a_missing_one_is_refused() -> None:
    plot = compare_plot(lab(40))
    first, second = (write_figure(plot, "svg", page=page) for page in (1, 2))
    assert first == write_figure(plot, "svg")
    assert first != second
    assert len(pdf_sizes(write_figure(plot, "pdf", page=2))) == 1
    with pytest.raises(InputError, match="there is no page 9") as caught:
        write_figure(plot, "svg", page=9)
    assert "from 1 to" in caught.value.remedy


def widths_in(svg: bytes, part: str) -> list[float]:
    """List the widths of the paths in the groups of an SVG whose ids end so [pt]."""
    root = ElementTree.fromstring(svg.decode())
    groups = [group for group in root.iter(f"{SVG}g") if group.get("id", "").endswith(part)]
    widths = []
    for path in (path for group in groups for path in group.iter(f"{SVG}path")):
        numbers = [float(number) for number in NUMBER.findall(path.get("d", ""))]
        widths.append(max(numbers[::2]) - min(numbers[::2]))
    return widths


@pytest.mark.parametrize("half_pct", [0.5, 1.5, 10.0])
@pytest.mark.parametrize(("width", "width_mm"), WIDTHS)
def test_markers_are_smaller_than_the_intervals(width: FigureWidth, width_mm: float, half_pct: float) -> None:
    svg = write_figure(compare_plot(lab(6, half_pct)), "svg", width)
    intervals, markers = widths_in(svg, "-intervals"), widths_in(svg, "series-1-points")
    assert len(intervals) == 15
    assert 0 < max(markers) < min(intervals)


def test_what_is_not_traceable_is_a_cross_without_a_bar_and_says_so() -> None:
    plot = compare_plot(lab(2))
    by_label = {series.label: series for series in plot.series}
    loose = by_label["measured, not traceable"]
    assert (loose.fill, loose.low, loose.high) == ("crossed", loose.x, loose.x)
    assert [plot.names[int(y)] for y in loose.y] == [f"node-02 · {n} × 16 GiB RDIMM, not traceable" for n in (2, 4, 8)]
    assert loose.values == ("28.4", "28.0", "27.2")
    assert "Crosses have no bar. Not traceable: neither" in plot.caption
    svg = write_figure(plot, "svg").decode()
    assert 'id="series-1-intervals"' in svg
    assert 'id="series-2-intervals"' not in svg


def test_digits_follow_the_plus_minus_and_keep_their_zeros() -> None:
    """2 % of 29.0, 28.6 and 27.8 is 0.58, 0.57 and 0.56: two digits of ± decide the last one."""
    plot = compare_plot(lab(2, 2.0))
    assert plot.series[0].values == ("29.00 ± 0.58", "28.60 ± 0.57", "27.80 ± 0.56")


def test_the_axis_is_of_the_figure_that_is_compared_by() -> None:
    compared = lab(2)
    watts = [
        group.model_copy(update={"power_w": Interval95(value=200.0 + n, low=199.0 + n, high=201.0 + n, u=0.5)})
        for n, group in enumerate(compared.groups)
    ]
    by_power = compared.model_copy(update={"groups": watts[::-1], "compared_by": "power", "direction": "lower"})
    plot: Plot = compare_plot(by_power)
    assert (plot.title, plot.x_label) == ("Power: openssl.rsa2048-sign, 100 %", "Power [W]")
    assert plot.series[0].x == (200.0, 201.0, 202.0)
