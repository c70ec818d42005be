"""The cross-check of a run in a browser: every source in the figure and in the table, in light, dark and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import MeterRecord

from tests.integration.two_meters import store_run

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
BMC = MeterRecord(name="bmc", model="redfish.bmc", title="BMC", role="bmc", indicative=True)
RAPL = MeterRecord(name="rapl", model="linux.rapl", title="RAPL", role="secondary", indicative=True)
BESIDE = (
    (BMC, "power", 1.08),
    (BMC, "psu_1_input_power", 0.5),
    (BMC, "psu_2_input_power", 0.498),
    (BMC, "psu_1_output_power", 0.46),
    (BMC, "psu_2_output_power", 0.45),
    (RAPL, "power", 0.4),
)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve a run with a plug that agrees, a BMC that does not, its supplies, and processor packages."""
    storage = open_storage(tmp_path / "data")
    store_run(storage, "ladder", 300.0, gain=1.004, beside=BESIDE)
    storage.close()
    with serving(tmp_path / "data") as address:
        yield address


def test_the_page_of_a_run_shows_every_source_against_the_wall_meter(url: str, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    seen = browse("cross_check.mjs", url, str(pictures), "ladder")
    job, looks = seen["job"], seen["looks"]
    assert_well(job)
    assert job["label"] == "5 sources against the wall meter; 1 beyond the limit."
    assert "plug+0.39" in job["figure"]
    assert "supply output90.99" in job["figure"]
    lines = job["table"].replace("\xa0", " ")
    assert "bmc reads 8 % high against analyser, beyond 5 %" in lines
    assert "processor packages only" in lines
    assert_well(looks)
    assert len(list(pictures.glob("*.png"))) == 4
