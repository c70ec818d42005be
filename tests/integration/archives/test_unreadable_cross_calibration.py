"""A cross-calibration that cannot be read is missing to the runs whose power comes from its BMC, and to no others."""

from __future__ import annotations

import io

import pytest
from wattmark.archives.read import Archive
from wattmark.core.errors import StoreError

from ..traceability.conftest import Lab
from .conftest import Open, archives, packed
from .test_round_trip import BMC, bmc_only

UNREADABLE = """UPDATE document SET document = json_set(document, '$.wall.resolution_w', 1e308)
    WHERE kind = 'cross_calibration'"""
NAMED = r"^Cross-calibration s1/bmc/wall/1 cannot be read \(wall\.resolution_w: "


@pytest.fixture
def lab(open_lab: Open) -> Lab:
    lab = open_lab("lab")
    bmc_only(lab, "by its BMC", 10.0)
    run = lab.measure("by a wall meter")
    lab.storage.runs.put(run.model_copy(update={"meters": (*run.meters, run.meters[0].model_copy(update=BMC))}))
    lab.tamper(UNREADABLE)
    return lab


def test_the_run_by_its_bmc_is_refused_by_name(lab: Lab) -> None:
    with pytest.raises(StoreError, match=NAMED):
        packed(lab, "by its BMC")


def test_a_run_that_has_a_wall_meter_too_is_archived(lab: Lab) -> None:
    archive = Archive(io.BytesIO(packed(lab, "by a wall meter")), "runs.zip")
    assert archive.shared.cross_calibrations == ()


def test_all_others_are_archived_where_damaged_ones_are_excluded(lab: Lab) -> None:
    out, room = io.BytesIO(), archives(lab)
    excluded: dict[str, str] = {}
    runs = room.choose((), None, every=True)
    room.write(out, runs, leave_out=lambda run, error: excluded.update({run.run_id: error.cause}))
    assert [run.run_id for run in Archive(out, "runs.zip").manifest.runs] == ["by a wall meter", "wall"]
    assert list(excluded) == ["by its BMC"]
    assert "Cross-calibration s1/bmc/wall/1" in excluded["by its BMC"]
