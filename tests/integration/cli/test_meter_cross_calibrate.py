"""`wattmark meter cross-calibrate` on stored runs: the fit is kept, listed, and gives later runs of the BMC their ±."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import MeterRecord

from tests.integration.command import Command
from tests.stored_run import BEGIN_NS, S, make_run, store_readings

GAIN, OFFSET_W, LAG_S = 0.95, 6.0, 2.0
WALL = MeterRecord(name="wall", model="wattsup.pro", title="W", reading_pct=1.5, fixed_w=0.3, resolution_w=0.1)
BMC = MeterRecord(name="bmc", model="ipmi.bmc", title="B", role="bmc", indicative=True, resolution_w=1.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep a run with both meters under changing load, and one with the BMC alone at 300 W of the wall."""
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    rng = np.random.default_rng(7)
    t_s = np.arange(400.0)

    def load(t_s: Any) -> Any:
        return np.interp(
            t_s, [0, 80, 90, 170, 180, 260, 270, 330, 340, 400], [120, 120, 300, 300, 200, 200, 330, 330, 150, 150]
        )

    def store(run_id: str, created_ns: int, meters: tuple[MeterRecord, ...], wall: Any, bmc: Any) -> None:
        run = make_run(
            run_id, begin_ns=BEGIN_NS + 10 * S, window_s=380, amount=380, every_s=380, created_ns=created_ns,
            workload="rsa", meters=meters,
        )  # fmt: skip
        storage.runs.put(run)
        for meter, values in ((WALL, wall), (BMC, bmc)):
            if meter in meters:
                store_readings(storage, run, t_s - 10, values, meter=meter)

    noise = rng.normal(0, 0.3, len(t_s)), rng.normal(0, 1.0, len(t_s))
    seen = np.round((load(t_s - LAG_S) - OFFSET_W) / GAIN + noise[1])
    store("both", BEGIN_NS, (WALL, BMC), load(t_s) + noise[0], seen)
    alone = np.round((300.0 - OFFSET_W) / GAIN + noise[1])
    store("alone", BEGIN_NS + 1000 * S, (BMC,), None, alone)
    flat = np.full(len(t_s), 300.0) + noise[0]
    store("flat", BEGIN_NS + 2000 * S, (WALL, BMC), flat, alone)
    storage.close()
    return folder


def result_of(data: Path, wattmark: Command) -> dict[str, Any]:
    _, out, _ = wattmark("results", "--data", data, "--format", "json")
    return next(result for result in json.loads(out)["results"] if result["run_id"] == "alone")


def test_a_bmc_is_held_against_the_wall_meter_and_later_runs_get_their_uncertainty(
    data: Path, wattmark: Command
) -> None:
    before = result_of(data, wattmark)
    assert before["power"]["U95"] is None
    cross_calibrate = ("meter", "cross-calibrate", "bmc", "wall", "--run", "both", "--data", data)
    code, out, err = wattmark(*cross_calibrate, "--json")
    assert code == 0, err
    document = json.loads(out)
    assert abs(document["gain"] - GAIN) <= 1.5 * document["gain_U95"]
    assert abs(document["offset_w"] - OFFSET_W) <= 1.5 * document["offset_U95_w"]
    assert abs(document["lag_s"] - LAG_S) <= 1.5 * document["lag_U95_s"]
    code, out, _ = wattmark("meter", "cross-calibrate", "--list", "--data", data)
    assert code == 0
    assert b"good" in out
    assert b"run both" in out
    after = result_of(data, wattmark)
    assert after["power"]["value"] == pytest.approx(300, abs=1.5)
    limit_w, drift_w = 0.015 * 300 + 0.3, 0.01 * 300  # of the wall meter, and 1 % assumed of the BMC; both rectangular
    assert after["power"]["U95"] == pytest.approx(1.65 * math.hypot(limit_w, drift_w) / 3**0.5, rel=0.15)
    assert any("Cross-calibrated against wall meter wall on 2023-11-14" in note for note in after["notes"])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "and a common recording"),
        (("bmc", "wall"), 2, "--run RUN_ID or --seconds N"),
        (("bmc", "wall", "--run", "none"), 2, "no run 'none'"),
        (("bmx", "wall", "--run", "both"), 2, "has no meter 'bmx'"),
        (("bmc", "wall", "--run", "flat"), 1, "are not correlated"),
        (("bmc", "wall", "--seconds", "60"), 2, "no bench file was given"),
    ],
)
def test_what_cannot_be_cross_calibrated_is_refused_with_a_remedy(
    data: Path, monkeypatch: pytest.MonkeyPatch, wattmark: Command, arguments: tuple[str, ...], code: int, words: str
) -> None:
    monkeypatch.delenv("WATTMARK_BENCH", raising=False)
    status, _, err = wattmark("meter", "cross-calibrate", *arguments, "--data", data)
    assert status == code
    assert words in err
    assert "Traceback" not in err
