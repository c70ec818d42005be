"""What clients of a speaker lack is said while they lack it, and a speaker whose task has ended shows that."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable

import aiomqtt
import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.speakers.face import Credentials, Doorway
from wattmark_drivers.speakers.ipmi import folder
from wattmark_drivers.speakers.mqtt.broker import MqttBroker

from .conftest import SECRET, run, shows
from .test_programs import ipmitool

PATIENCE_S = 10.0


async def comes(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.05)


@pytest.fixture
def door(broker: MqttBroker) -> Doorway:
    return Doorway(credentials=Credentials(broker.login.username, broker.login.password))


@pytest.fixture
def availability(broker: MqttBroker) -> list[str]:
    login = broker.login
    client = ["-h", "127.0.0.1", "-p", str(broker.port), "-u", login.username, "-P", login.password()]
    return ["mosquitto_sub", *client, "-t", "tele/wall/LWT", "-C", "1", "-W", "5"]


async def test_a_plug_that_cannot_publish_is_offline_says_so_and_comes_back(
    speaking, broker, door, availability, monkeypatch
):
    async with speaking("mqtt", door=door, port=broker.port) as running:
        assert running.speaker.note is None
        measured, breaks = running.speaker.documents.measured, True

        def fail(*arguments):
            if breaks:
                raise aiomqtt.MqttError("no room for it")
            return measured(*arguments)

        monkeypatch.setattr(running.speaker.documents, "measured", fail)
        await comes(lambda: "no room for it" in (running.speaker.note or ""))
        gone = await run(*availability)
        breaks = False
        await comes(lambda: running.speaker.note is None)
        await asyncio.sleep(0.5)
        back = await run(*availability)
    assert (gone.strip(), back.strip()) == ("Offline", "Online")


async def test_a_broker_that_is_gone_is_named_until_it_is_back(speaking, broker, door):
    async with speaking("mqtt", door=door, port=broker.port) as running:
        await broker.stop()
        await comes(lambda: f"127.0.0.1:{broker.port}" in (running.speaker.note or ""))
        await broker.start()
        await comes(lambda: running.speaker.note is None)


async def test_a_plug_that_breaks_shows_its_ended_task(speaking, broker, door, availability, monkeypatch):
    async with speaking("mqtt", door=door, port=broker.port) as running:
        (task,) = running.speaker.upkeep
        assert not task.done()
        monkeypatch.setattr(running.speaker.documents, "measured", lambda *_: 1 / 0)
        await comes(task.done)
        assert isinstance(task.exception(), ZeroDivisionError)
        gone = await run(*availability)
    assert gone.strip() == "Offline"


@pytest.mark.parametrize("model", ["eastron.sdm630", "redfish.bmc", "wattmark.gateway", "spec.ptdaemon"])
async def test_a_port_that_accepts_nobody_more_shows_its_ended_task(speaking, model):
    async with speaking(load_catalogue()[model].protocol.engine, model=model) as running:
        accepting = running.speaker.upkeep[0]
        assert not any(task.done() for task in running.speaker.upkeep)
        accepting.cancel()
        await comes(accepting.done)


@pytest.mark.parametrize(
    ("largest_w", "power_w", "sensor", "note"),
    [
        (None, 236.81, "240 Watts", "steps of 15 W up to 3825 W"),  # 255 steps reach 3680 W; 236.81/15 = 15.8
        (100.0, 36.81, "36.80 Watts", None),  # 255 steps of 0.4 W reach 100 W
    ],
)
async def test_a_sensor_of_8_bits_shows_the_nearest_step_and_dcmi_every_watt(
    speaking, tmp_path, largest_w, power_w, sensor, note
):
    password = tmp_path / "lab-password"
    password.write_text(SECRET)
    async with speaking("ipmi", largest_w=largest_w, shown=shows(power_w)) as running:
        assert (note is None) if running.speaker.note is None else (note is not None and note in running.speaker.note)
        sensors = await run(*ipmitool(running.port, password, "sdr", "elist", "full"))
        reading = await run(*ipmitool(running.port, password, "dcmi", "power", "reading"))
    assert sensors.splitlines()[0].rpartition("|")[2].strip() == sensor
    assert f"{round(power_w)} Watts" in reading


async def test_a_bmc_without_a_compiler_says_that_it_has_no_dcmi(speaking, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(folder.shutil, "which", lambda name: None if name == "gcc" else which(name))
    async with speaking("ipmi") as running:
        assert running.speaker.note == (
            "It has no DCMI power: gcc is missing. Install it: apt-get install gcc libopenipmi-dev."
        )


async def test_a_bmc_whose_program_has_died_says_so_until_it_answers(speaking):
    async with speaking("ipmi") as running:
        running.speaker._process.kill()
        await comes(lambda: "ipmi_sim has ended" in (running.speaker.note or ""))
        await comes(lambda: running.speaker.note is None)
        assert not running.speaker.upkeep[0].done()
