"""Tables of runs to compute with: every figure has its ± or a reason, also in the row of an older build."""

from __future__ import annotations

import pytest
from wattmark.core.quantity import Quantity
from wattmark.results.pages.row import RunRow
from wattmark.results.plus_minus import NOT_KNOWN, NOT_TRACEABLE
from wattmark.results.state import RunState
from wattmark.results.tables.run_rows import run_results_table
from wattmark.runs.record import RunStatus

KNOWN = Quantity(value=200.0, unit="W", u=0.5, k95=2.0)
BARE = Quantity(value=200.0, unit="W")


def row(**fields) -> RunRow:
    made = {
        "run_id": "r", "campaign_id": None, "server": "s", "configuration": "c", "configuration_title": "C",
        "dimm_count": None, "workload": "w", "level": "all", "repeat": 1, "status": RunStatus.COMPLETE, "reason": None,
        "created": "2026-01-01T00:00:00.000000+00:00", "source": "measured", "simulated": False, "kind": "measured",
        "quality": "sound", "state": RunState(key="sound", words="OK"), "failed_rules": (), "limited_by": None,
        "meter": "wall", "efficiency": None, "power": KNOWN, "throughput": None,
    }  # fmt: skip
    return RunRow(**made | fields)


def cell(name: str, **fields):
    table = run_results_table([row(**fields)])
    return table.rows[0][table.position(name)]


@pytest.mark.parametrize(
    ("fields", "remark"),
    [
        ({}, None),
        (
            {"power": BARE, "remark": "No ±: the meter has no limits of error."},
            "No ±: the meter has no limits of error.",
        ),
        ({"power": BARE}, NOT_KNOWN),
        ({"power": BARE, "traceable": False}, NOT_TRACEABLE),
        ({"power": None, "traceable": False}, None),
    ],
)
def test_a_figure_without_uncertainty_has_its_reason(fields, remark) -> None:
    assert cell("remark", **fields) == remark


def test_value_u_and_u95_stand_side_by_side() -> None:
    assert [cell(name) for name in ("power", "power_u", "power_U95")] == [200.0, 0.5, 1.0]


def test_what_a_run_is_not_ranked_by_is_a_flag_and_its_reason() -> None:
    barred = {"power": "the power drifted"}
    assert [cell(f"{claim}_ranked", not_ranked=barred) for claim in ("efficiency", "power")] == [True, False]
    assert cell("not_ranked", not_ranked=barred) == "by full-load power: the power drifted"
    assert (
        cell("not_ranked", not_ranked=dict.fromkeys(("throughput", "efficiency", "power"), "it failed")) == "it failed"
    )
