"""Raw samples from one format into another: the same numbers come out, by our reader and by others."""

from __future__ import annotations

import contextlib
import random
import sys
from itertools import pairwise
from pathlib import Path

import arro3.io as pq
import numpy as np
import pytest
from wattmark.cli.main import main
from wattmark.core.errors import InputError
from wattmark.importers.recordings.parquet_log import read_parquet, write_parquet
from wattmark.importers.recordings.ptdaemon_log import read_ptdaemon
from wattmark.importers.recordings.stored import from_run
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
TORN_LOG = b"# wattmark log 1\n# channel,p,power,W,averaged,,\nt_ns,channel,quantity,unit,value,quality\n1,p,"
NS = 1_000_000_000
LOGS = Path(__file__).parents[5] / "shared/data/mlperf-power-v1.0"


async def play(path, moments: int) -> list:
    meter = create_meter(MeterSettings("old", "replay.log", f"replay://{path}"))
    await meter.open()
    readings = [reading for _ in range(moments) for reading in await meter.read()]
    await meter.close()
    return readings


def run(monkeypatch, *arguments) -> int:
    monkeypatch.setattr(sys, "argv", ["wattmark", *map(str, arguments)])
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


async def test_a_ptdaemon_log_plays_its_own_numbers(tmp_path, monkeypatch, capsys):
    (tmp_path / "spl.txt").write_text(SPL)
    assert run(monkeypatch, "convert", tmp_path / "spl.txt", "-o", tmp_path / "log.csv") == 0
    assert "12 values of 4 channels" in capsys.readouterr().out
    readings = await play(tmp_path / "log.csv", 3)
    power = [reading for reading in readings if reading.channel == "power"]
    assert [reading.value for reading in power[:2]] == [431.0, 460.4]
    assert power[2].quality == Quality.INVALID | Quality.SIMULATED
    assert power[1].t_ns - power[0].t_ns == 16_000_000
    # 2021-03-16 09:05:14.265, read as UTC
    assert power[0].device_time_ns == 1_615_885_514_265_000_000
    assert [reading.value for reading in readings if reading.channel == "power_factor"] == [0.9576, 0.9618, 0.966]


@pytest.mark.parametrize("between", [[".csv"], [".parquet"], [".parquet", ".csv", ".parquet"]])
def test_a_ptdaemon_log_comes_back_line_by_line(tmp_path, monkeypatch, between):
    files = [tmp_path / "spl.txt", *(tmp_path / f"{n}{end}" for n, end in enumerate(between)), tmp_path / "back.txt"]
    files[0].write_text(SPL)
    for before, after in pairwise(files):
        assert run(monkeypatch, "convert", before, "-o", after) == 0
    assert files[-1].read_text() == SPL.replace("Mark,testing", "Mark,notset")


def test_a_log_of_another_kind_is_converted_in_the_zone_that_was_said(tmp_path, monkeypatch, capsys):
    """Three lines of isaaclino/wattsup, log0.out."""
    source = tmp_path / "log0.out"
    source.write_text(
        "2016-12-02 14:19:19.414022 11 0.5 117.2 0.000\n"
        "2016-12-02 14:19:20.411078 12 5.6 117.1 0.000\n"
        "2016-12-02 14:19:21.412110 13 5.5 117.1 0.000\n"
    )
    assert run(monkeypatch, "convert", source, "-o", tmp_path / "none.csv") == 2
    assert "Say it with --zone" in capsys.readouterr().err
    assert run(monkeypatch, "convert", source, "--zone", "America/Denver", "-o", tmp_path / "log.csv") == 0
    assert "9 values of 3 channels" in capsys.readouterr().out
    rows = (tmp_path / "log.csv").read_text().splitlines()
    # 2016-12-02 21:19:19.414022 UTC
    assert "1480713559414022000,power,power,W,0.5,0" in rows
    assert run(monkeypatch, "convert", tmp_path / "log.csv", "-o", tmp_path / "spl.txt") == 0
    assert (tmp_path / "spl.txt").read_text().startswith("Time,12-02-2016 21:19:19.414,Watts,0.500000,Volts,117.200000")


@pytest.mark.skipif(not LOGS.is_dir(), reason="../shared/data is not there")
def test_published_logs_come_back_line_by_line(tmp_path, monkeypatch):
    """Logs of two submitters of MLPerf Power v1.0, as PTDaemon wrote them."""
    logs = sorted(LOGS.rglob("run_1/spl.txt"))
    assert logs
    for number, log in enumerate(logs):
        csv_file, back = tmp_path / f"{number}.csv", tmp_path / f"{number}.txt"
        assert run(monkeypatch, "convert", log, "-o", csv_file) == 0
        assert run(monkeypatch, "convert", csv_file, "-o", back) == 0
        assert [line.partition(",Mark,")[0] for line in back.read_text().splitlines()] == [
            line.partition(",Mark,")[0] for line in log.read_text().splitlines()
        ]


def test_parquet_holds_instants_values_and_units(tmp_path, monkeypatch):
    (tmp_path / "spl.txt").write_text(SPL)
    assert run(monkeypatch, "convert", tmp_path / "spl.txt", "-o", tmp_path / "log.parquet") == 0
    table = pq.read_parquet(str(tmp_path / "log.parquet")).read_all()
    assert 'Timestamp(ns, "UTC")' in str(table.schema.field("t").type)
    of_power = [channel == "power" for channel in table["channel"].to_pylist()]
    watts = [value for value, wanted in zip(table["value"].to_pylist(), of_power, strict=True) if wanted]
    assert watts[:2] == [431.0, 460.4]
    assert set(table["unit"].to_pylist()) == {"W", "V", "A", "1"}


def test_damaged_parquet_files_are_refused_and_end_no_process(tmp_path):
    """The library aborts at some of these; either the damage is noticed, or it lies where no value is."""
    path, rng = tmp_path / "log.parquet", random.Random(5)
    (tmp_path / "spl.txt").write_text(SPL)
    with path.open("wb") as file:
        write_parquet(read_ptdaemon(tmp_path / "spl.txt"), file)
    whole, refused = path.read_bytes(), 0
    for _ in range(12):
        content = bytearray(whole)
        for _ in range(4):
            content[rng.randrange(4, len(content) - 8)] = rng.randrange(256)
        path.write_bytes(content)
        with contextlib.suppress(InputError):
            read_parquet(path)
            continue
        refused += 1
    assert refused > 3
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="not a whole Parquet file"):
        read_parquet(path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.parquet", b"PAR1 no", "cannot be read as Parquet"),
        ("x.csv", b"t,w\n1,2\n", "wattmark log 1"),
        ("x.csv", TORN_LOG, "Line 4"),
        ("x.txt", b"Time,yesterday,Watts,1\n", "x.txt"),
        ("x.doc", b"", "End the file name with one of"),
        ("x.zip", b"PK", "it is not a complete zip file"),
    ],
)  # fmt: skip
def test_a_broken_source_ends_in_one_line_and_leaves_no_file(tmp_path, monkeypatch, capsys, name, content, words):
    (tmp_path / name).write_bytes(content)
    assert run(monkeypatch, "convert", tmp_path / name, "-o", tmp_path / "out.csv") == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out.csv").exists()


def test_a_file_is_never_overwritten(tmp_path, monkeypatch, capsys):
    (tmp_path / "spl.txt").write_text(SPL)
    assert run(monkeypatch, "convert", tmp_path / "spl.txt", "-o", tmp_path / "spl.txt") == 2
    assert "exists already" in capsys.readouterr().err
    assert run(monkeypatch, "convert", tmp_path / "spl.txt", "-o", tmp_path / "nowhere" / "log.csv") == 1
    assert "cannot be written" in capsys.readouterr().err


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


async def test_a_run_plays_its_raw_series(storage, tmp_path, monkeypatch, capsys):
    assert (
        run(monkeypatch, "convert", "r1", "-o", tmp_path / "log.csv", "--meter", "wall", "--data", tmp_path / "data")
        == 0
    )
    assert "6 values of 2 channels" in capsys.readouterr().out
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


def test_neither_a_file_nor_a_run(tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, "convert", "nothing", "-o", tmp_path / "x.csv", "--data", tmp_path) == 2
    assert "nothing is not a file" in capsys.readouterr().err
