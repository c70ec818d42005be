"""Published results over the years: dates that can be, the median of each year, and the file.

The three results of 2009 are those of the Sun Netra X4250 at SPEC (600, 478 and 437 ssj_ops/W overall), the dates of
the first those of its text: tested Mar 10, 2009, published Mar 30, 2009, hardware available Jul-2008.
"""

from __future__ import annotations

import math

import pytest
from wattmark.comparison.compare.views import CompareGroup, CompareOut, GroupFacts
from wattmark.comparison.published.dates import possible_dates
from wattmark.comparison.published.published_result import PublishedLevel, PublishedSummary
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95
from wattmark.reports.figures.years import years_plot
from wattmark.reports.files.figure_file import write_figure


def summary(tested: str | None, published: str | None, available: str | None) -> PublishedSummary:
    level = PublishedLevel(target_pct=100, actual_pct=None, ops_per_s=244_832, power_w=226, printed_ratio=None)
    return PublishedSummary(
        id="x", kind="specpower", title="Netra", source="t", submitter="Sun", maker="Sun", model="Netra X4250",
        tested_on=tested, published_on=published, available_on=available, workload="specpower.ssj2008", unit="ssj_ops",
        levels=(level,), overall=600,
    )  # fmt: skip


def test_dates_of_a_real_text_are_kept() -> None:
    dates = possible_dates(summary("2009-03-10", "2009-03-30", "2008-07-01"))
    assert dates == ("2008-07-01", "2009-03-30", [])
    assert possible_dates(summary(None, None, None)) == (None, None, [])


@pytest.mark.parametrize(
    ("tested", "published", "available", "kept", "word"),
    [
        ("2009-03-10", "2009-03-30", "2080-07-01", (None, "2009-03-30"), "availability, 2080-07-01, is long after"),
        ("2009-03-10", "2009-03-30", "0208-07-01", (None, "2009-03-30"), "is before 1988"),
        ("2009-03-10", "2090-03-30", "2008-07-01", ("2008-07-01", None), "publication, 2090-03-30, is long after"),
        ("2009-03-10", "2003-03-30", "2008-07-01", ("2008-07-01", None), "is before the test of 2009-03-10"),
        ("2009-03-10", None, "2019-07-01", (None, None), "is long after 2009-03-10"),
    ],
)
def test_a_misprinted_date_is_not_used_and_a_remark_says_so(
    tested: str, published: str | None, available: str, kept: tuple[str | None, str | None], word: str
) -> None:
    dates = possible_dates(summary(tested, published, available))
    assert (dates.available_on, dates.published_on) == kept
    (doubt,) = dates.doubts
    assert word in doubt
    assert doubt.endswith("it is not used.")


def compared() -> CompareOut:
    rows = [
        ("a", 600.0, "2008-07-01", "2009-03-30"),
        ("b", 478.0, "2008-07-01", "2009-05-06"),
        ("c", 437.0, "2008-07-01", "2009-05-06"),
        ("d", 24_507.0, "2020-09-01", "2020-10-01"),
        ("undated", 500.0, None, "2011-01-01"),
    ]
    groups = [
        CompareGroup(
            key=f"published:{key}", title=key, server=key, configuration="as published", dimm_count=None,
            kind="published", workload="ssj", level="overall", runs=[], n=1,
            efficiency=Interval95(value=value, low=value, high=value, u=0), power_w=None, throughput=None,
            efficiency_unit="ssj_ops/W", throughput_unit="ssj_ops", steady=None, full_load=None, traceable=False,
            source="SPEC", facts=GroupFacts(available_on=available, published_on=published),
        )
        for key, value, available, published in rows
    ]  # fmt: skip
    return CompareOut(
        workload="ssj", level="overall", title="ssj, overall", efficiency_unit="ssj_ops/W", throughput_unit="ssj_ops",
        direction="higher", baseline=None, groups=groups, pairs=[], statement="",
    )  # fmt: skip


def test_points_stand_at_their_dates_and_each_year_has_its_median() -> None:
    plot = years_plot(compared(), "available")
    points, medians = plot.series
    assert (points.fill, points.y) == ("hollow", (437.0, 478.0, 600.0, 24_507.0))
    assert points.x[0] == pytest.approx(2008 + 182 / 366)  # July 1 is the 183rd day of a leap year
    strokes = [(x, y) for x, y in zip(medians.x, medians.y, strict=True) if not math.isnan(x)]
    assert strokes == [(2008.06, 478.0), (2008.94, 478.0), (2020.06, 24_507.0), (2020.94, 24_507.0)]
    assert plot.log_y
    assert (plot.x_label, plot.y_label) == ("Hardware available", "Performance per watt [ssj_ops/W]")
    assert len(years_plot(compared(), "published").series[0].x) == 5


def test_only_what_is_in_sight_is_drawn() -> None:
    plot = years_plot(compared(), "available", {"published:b", "published:c"})
    assert plot.series[0].y == (437.0, 478.0)
    assert plot.series[1].y[0] == 457.5
    with pytest.raises(InputError, match="has this date"):
        years_plot(compared(), "available", {"published:undated"})


@pytest.mark.parametrize("extension", ["svg", "pdf", "png"])
def test_the_file_is_drawn(extension: str) -> None:
    drawn = write_figure(years_plot(compared(), "available"), extension)
    assert drawn.startswith({"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}[extension])
