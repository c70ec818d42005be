"""An in-house calibration in a browser: a refused comparison, a good one, and the certificate in the register."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.results.data_folder import open_storage

from tests.integration.two_meters import BEGIN_NS, S, store_run

from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """Serve four steps of a load that a plug measured beside an analyser, and a campaign of one step."""
    storage = open_storage(tmp_path / "data")
    for k, load_w in enumerate((120.0, 180.0, 240.0, 300.0)):
        store_run(storage, f"r{k}", load_w, begin_ns=BEGIN_NS + k * 400 * S, gain=1.03, offset_w=1.5, seed=k)
    store_run(storage, "one", 300.0, begin_ns=BEGIN_NS + 4000 * S, gain=1.03, offset_w=1.5, campaign_id="short")
    storage.close()
    with serving(tmp_path / "data") as address:
        yield address


def test_a_cheap_meter_is_calibrated_by_a_good_one(url: str, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    seen = browse("in_house.mjs", url, str(pictures))
    job, looks = seen["job"], seen["looks"]
    assert_well(job)
    assert "2 distinct powers; at least 5 are needed" in job["refused"]
    assert "Not traceable: no certificate served the reference" in job["preview"]
    assert "Yokogawa WT310E (analyser), maker's specification" in job["preview"].replace("\u2019", "'")
    assert "not traceable" in job["issued"]
    assert "In house: Example Lab" in job["certificate"]
    assert looks["violations"] == {}
    assert looks["overflow"] == []
    assert len(list(pictures.glob("*.png"))) == 3
