"""A PTDaemon log and a stored run become a log that the replay driver plays: the same numbers come out."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from wattmark.cli.main import main
from wattmark.core.errors import InputError
from wattmark.exchange.importers.replay_log import from_ptdaemon, from_run, write_log
from wattmark.results.data_folder import open_storage
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings

# Two lines as PTDaemon writes them with -l (MLPerf Power v1.0), and one with the sentinel of a failed sample.
SPL = """Time,03-16-2021 09:05:14.265,Watts,431.000000,Volts,206.730000,Amps,2.177000,PF,0.957600,Mark,testing
Time,03-16-2021 09:05:14.281,Watts,460.400000,Volts,206.690000,Amps,2.316000,PF,0.961800,Mark,testing
Time,03-16-2021 09:05:14.290,Watts,-1.000000,Volts,206.650000,Amps,2.410000,PF,0.966000,Mark,testing
"""
NS = 1_000_000_000


async def play(path, moments: int) -> list:
    meter = create_meter(MeterSettings("old", "replay.log", f"replay://{path}"))
    await meter.open()
    readings = [reading for _ in range(moments) for reading in await meter.read()]
    await meter.close()
    return readings


async def test_a_ptdaemon_log_plays_its_own_numbers(tmp_path):
    (tmp_path / "spl.txt").write_text(SPL)
    assert write_log(from_ptdaemon(tmp_path / "spl.txt"), tmp_path / "log.csv") == 12
    readings = await play(tmp_path / "log.csv", 3)
    power = [reading for reading in readings if reading.channel == "power"]
    assert [reading.value for reading in power[:2]] == [431.0, 460.4]
    assert power[2].quality == Quality.INVALID | Quality.SIMULATED
    assert power[1].t_ns - power[0].t_ns == 16_000_000
    # 2021-03-16 09:05:14.265, read as UTC
    assert power[0].device_time_ns == 1_615_885_514_265_000_000
    assert [reading.value for reading in readings if reading.channel == "power_factor"] == [0.9576, 0.9618, 0.966]


def test_a_log_is_never_overwritten(tmp_path):
    (tmp_path / "spl.txt").write_text(SPL)
    with pytest.raises(InputError, match="exists already"):
        write_log(from_ptdaemon(tmp_path / "spl.txt"), tmp_path / "spl.txt")
    with pytest.raises(InputError, match="cannot be written"):
        write_log(from_ptdaemon(tmp_path / "spl.txt"), tmp_path / "nowhere" / "log.csv")


@pytest.fixture
def storage(tmp_path):
    opened = open_storage(tmp_path / "data")
    t_ns = np.arange(1, 4, dtype=np.int64) * NS // 100
    samples = Samples(t_ns, np.array([1.5, np.nan, 3.25]), np.array([0, 1, 16], np.uint16), np.zeros(3, np.float32))
    for source, channel, unit, kind in [
        ("wall", "power", "W", "averaged"), ("wall", "energy", "Wh", "counter"), ("bmc", "power", "W", "instantaneous"),
    ]:  # fmt: skip
        series = opened.samples.series(SeriesKey("r1", "sut", source, channel, channel, unit, kind))
        opened.samples.append([(series.id, samples)])
    yield opened
    opened.close()


async def test_a_run_plays_its_raw_series(storage, tmp_path):
    assert write_log(from_run(storage.samples, "r1", "wall"), tmp_path / "log.csv") == 6
    readings = await play(tmp_path / "log.csv", 3)
    assert [(reading.channel, reading.unit, reading.kind.value) for reading in readings[:2]] == [
        ("power", "W", "averaged"), ("energy", "Wh", "counter"),
    ]  # fmt: skip
    power = [reading for reading in readings if reading.channel == "power"]
    assert (power[0].value, power[2].value) == (1.5, 3.25)
    assert power[2].quality == Quality.OVER_RANGE | Quality.SIMULATED
    assert [reading.device_time_ns for reading in power] == [NS // 100, 2 * NS // 100, 3 * NS // 100]


@pytest.mark.parametrize(("meter", "words"), [(None, "several meters: bmc, wall"), ("x", "no meter x: bmc, wall")])
def test_the_meters_of_a_run_are_named(storage, meter, words):
    with pytest.raises(InputError, match=words):
        from_run(storage.samples, "r1", meter)
    with pytest.raises(InputError, match="no run 'r2'"):
        from_run(storage.samples, "r2", meter)


def run(monkeypatch, *arguments) -> int:
    monkeypatch.setattr(sys, "argv", ["wattmark", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "spl.txt").write_text(SPL)
    assert run(monkeypatch, "meter", "log", tmp_path / "spl.txt", "-o", tmp_path / "log.csv") == 0
    assert "12 values" in capsys.readouterr().out
    assert (tmp_path / "log.csv").read_text().startswith("# wattmark log 1\n")
    assert run(monkeypatch, "meter", "log", "nothing", "-o", tmp_path / "x", "--data", tmp_path) == 2
    assert "nothing is not a file" in capsys.readouterr().err
