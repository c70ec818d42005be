"""What a page of a fleet says of its configurations, and not of the whole fleet."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.views import BestSetting, CompareOut
from wattmark.comparison.compare.yardstick import EFFICIENCY
from wattmark.comparison.published.library import Library
from wattmark.core.interval import Interval
from wattmark.fleet.reading import fleet_compare
from wattmark.fleet.reading.fleet_compare import compare_page
from wattmark.fleet.reading.views import FleetCompareOut, GroupQuery
from wattmark.results.result import Result

PAGE = [("", "s1", "fbdimm-2"), ("", "s1", "fbdimm-4"), ("", "s1", "fbdimm-5")]


@pytest.fixture
def page(campaign: list[Result], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Show three configurations, against one of them, as the second page of so many that match."""

    def shown(matching: int) -> FleetCompareOut:
        compared = compare(campaign, "rsa", "all", "s1/fbdimm-4")
        setting = BestSetting(
            server="s1", configuration="fbdimm", settings=["power_cap_w"], points=[], best="s1/fbdimm-2",
            interval=Interval(value=1.0), alike=[], untested=[], simulated=False, at_edge=False,
            statement="Of 2 settings of fbdimm on s1, power cap 100 W does the most work per joule.",
        )  # fmt: skip
        with_setting: CompareOut = compared.model_copy(
            update={"best_settings": [setting], "statement": f"{compared.statement} {setting.statement}"}
        )
        source = SimpleNamespace(compare=lambda *_, **__: with_setting)
        monkeypatch.setattr(fleet_compare, "counts", lambda *_: (matching, matching))
        monkeypatch.setattr(fleet_compare, "builds", lambda *_: PAGE)
        monkeypatch.setattr(fleet_compare, "Comparisons", lambda *_: source)
        query, tables = GroupQuery(workload="rsa", level="all"), Any
        offset = matching - len(PAGE)
        nothing = Library((), {}, ())
        return compare_page(
            tables, lambda: nothing, query, "s1/fbdimm-4", EFFICIENCY, offset, 50, any_version=False  # type: ignore[arg-type]
        )  # fmt: skip

    return shown


def test_the_best_of_a_page_is_not_called_the_best_of_the_fleet(page: Any) -> None:
    shown = page(8)
    assert (shown.best, shown.against_best, shown.first_place, shown.best_settings) == (None, [], [], [])
    assert {(group.rank_low, group.rank_high) for group in shown.groups} == {(None, None)}
    assert shown.statement.startswith("On this page alone: “2 FB-DIMMs” does the most work per joule of 3")
    assert "settings" not in shown.statement
    assert {pair.key for pair in shown.pairs} == {"s1/fbdimm-2", "s1/fbdimm-5"}


def test_where_all_are_on_the_page_its_best_is_the_best(page: Any) -> None:
    shown = page(3)
    assert shown.best == "s1/fbdimm-2"
    assert {pair.baseline for pair in shown.against_best} == {"s1/fbdimm-2"}
    assert shown.first_place == ["s1/fbdimm-2"]
    assert shown.statement.startswith("“2 FB-DIMMs” does the most work per joule of 3")
