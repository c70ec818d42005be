"""Analyser, driver, endpoint, ranging pass, testing pass: the mean watts are those of the analyser's own readings."""

from __future__ import annotations

import asyncio
import math
import time
from pathlib import Path
from typing import Any

from wattmark.importers.ptdaemon.ptdaemon_line import parse_line
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.face import Doorway
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.ptdaemon.journal import SampleLog
from wattmark_drivers.speakers.ptdaemon.live import DaemonOptions, LiveDaemon
from wattmark_drivers.speakers.ptdaemon.ranges import FixedRanges
from wattmark_drivers.speakers.speaker import SpeakerSpec, Surroundings, find_speaker

from tests.open_meter import open_meter

MODEL = "yokogawa.wt310e"
INTERVAL_S = 1.0
PASS_S = 6.0


async def test_the_mean_watts_of_the_testing_pass_are_those_of_the_analyser(tmp_path: Path, connect: Any) -> None:
    """Watts, our client's samples and the log hold every reading of the driver, and so exactly its mean."""
    spec = SpeakerSpec("wt", load_catalogue()[MODEL], 7, Surroundings(tmp_path, time.time), transport="serial")
    analyser = find_speaker("scpi")(spec)
    entry = await analyser.start()

    async def load() -> None:
        for number in range(10_000):
            power_w = round(400 + 40 * math.sin(number / 7), 1)
            volt_amperes = power_w / 0.95
            values = {"power": power_w, "voltage": 230.0, "current": volt_amperes / 230.0, "power_factor": 0.95}
            values |= {"apparent_power": volt_amperes}
            analyser.show(Indication((values,), values))
            await asyncio.sleep(0.1)

    settings = MeterSettings("wt", MODEL, entry["url"], period_s=INTERVAL_S, options={"update_period_s": INTERVAL_S})
    options = DaemonOptions("0-00000000-20261130", "Linux", Doorway(), 0, period_s=INTERVAL_S)
    log, console = tmp_path / "ptd.log", list[str]()
    live = LiveDaemon(create_meter(settings), options, FixedRanges(), SystemClock(), console.append, SampleLog(log))
    readings: list[tuple[int, float]] = []
    take = live._take

    def note(meter: Any, batch: Any) -> None:
        readings.extend((item.t_ns, item.value) for item in batch if item.channel == "power")
        take(meter, batch)

    live._take = note  # type: ignore[method-assign]
    end = asyncio.Event()
    loading, running = asyncio.create_task(load()), asyncio.create_task(live.run(end))
    async with asyncio.timeout(20):
        while not any("Establishing the listener" in line for line in console):
            await asyncio.sleep(0.05)
    words = next(line for line in console if "Establishing the listener on port" in line)
    port = int(words.rpartition(" ")[2].rstrip("."))
    async with connect(port) as line:
        for command in ("SR,V,Auto", "SR,A,Auto", "Go,0,0,x_ranging"):
            assert "Error" not in await line.ask(command)
        await asyncio.sleep(PASS_S)
        assert await line.ask("Stop") == "Stopping untimed measurement"
        header = await line.ask("RL")
        ranging = [await line.line() for _ in range(int(header.split()[1]))]
        assert len(ranging) >= 5
        for command in ("SR,V,230.0", "SR,A,2.09"):
            assert "Error" not in await line.ask(command)
        assert await line.ask("RR") == "Ranges,0,5.000000,0,300.000000"
        driver = create_meter(MeterSettings("d", "spec.ptdaemon", f"ptd://127.0.0.1:{port}", period_s=INTERVAL_S))
        async with open_meter(driver):
            first = len(readings)
            taken = [
                next(item for item in await driver.read() if item.channel == "power")
                for _ in range(round(PASS_S / INTERVAL_S))
            ]
            watts = (await line.ask("Watts")).split(",")
    end.set()
    await running
    loading.cancel()
    await asyncio.gather(loading, return_exceptions=True)
    await analyser.stop()
    assert first > 5
    assert sum(not item.quality.usable for item in taken) <= 1, "the analyser was not read once a second"
    values = [item.value for item in taken if item.quality.usable]
    begin = next(n for n, (_, value) in enumerate(readings) if [w for _, w in readings[n : n + len(values)]] == values)
    of_meter = [value for _, value in readings[begin : begin + len(values)]]
    assert math.fsum(values) / len(values) == math.fsum(of_meter) / len(of_meter)
    valid = int(watts[6])
    assert float(watts[1]) == round(math.fsum(w for _, w in readings[begin : begin + valid]) / valid, 6)
    assert int(watts[4]) == valid + int(watts[5])
    stamps = [item.t_ns for item in taken if item.quality.usable]
    assert max(abs(stamp - t_ns) for stamp, (t_ns, _) in zip(stamps, readings[begin:], strict=False)) < 60_000_000
    lines = [text for text in log.read_text("ascii").splitlines() if text.endswith("Mark,wattmark")]
    logged = [watts for text in lines if (watts := parse_line(text).total["Watts"]) >= 0]
    assert logged[: len(values)] == values
