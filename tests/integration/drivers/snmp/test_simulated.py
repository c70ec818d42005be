"""What only SNMP devices do, simulated, and read by snmpget, snmpwalk and the engine: versions, restarts."""

from __future__ import annotations

import asyncio
import os
from functools import partial

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.reading import Quality
from wattmark_drivers.snmp.meter import UPTIME
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.snmp.objects import parse

from tests.open_meter import open_meter

from ..faults import FAULT

MODEL = "apc.rpdu2outlet"
POWER = "1.3.6.1.4.1.318.1.1.26.9.4.3.1.7.1"


async def net_snmp(state: str, program: str, *arguments: str) -> list[str]:
    options = ("-On", "-Oq", "-r", "1", "-t", "3", *arguments)
    environment = {**os.environ, "MIBS": "", "SNMP_PERSISTENT_DIR": state}
    process = await asyncio.create_subprocess_exec(program, *options, stdout=asyncio.subprocess.PIPE, env=environment)
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode().splitlines()


async def test_snmpget_and_snmpwalk_read_what_the_meter_reads(simulated, tmp_path):
    run = partial(net_snmp, str(tmp_path / "state"))
    async with simulated(MODEL) as running:
        secret, place = running.password, running.entry["url"].removeprefix("snmp://").rpartition("/")[0]
        user = ("-v3", "-u", "wattmark", "-l", "authPriv", "-a", "SHA", "-A", secret, "-x", "AES", "-X", secret)
        by_community = await run("snmpget", "-v2c", "-c", secret, place, POWER)
        by_user = await run("snmpget", *user, place, POWER)
        walked = await run("snmpwalk", "-v2c", "-c", secret, place, "1.3.6.1.4.1.318")
        absent = await run("snmpget", "-v2c", "-c", secret, place, f"{POWER[:-1]}9")
        async with open_meter(running.meter()) as meter:
            (power, *_) = await meter.read()
    assert by_community == by_user == [f".{POWER} {power.value:.0f}"]
    assert len(walked) == 8
    assert "No more variables left" in walked.pop()
    assert '"SIMULATED-7"' in "".join(walked)
    assert "No Such Instance" in absent[0]
    assert power.value > 200


async def test_the_engine_reads_it_by_version_3_too(simulated):
    async with simulated(MODEL) as running, open_meter(running.meter("?version=3")) as meter:
        assert (await meter.read())[0].quality is Quality.GOOD


async def test_a_late_answer_is_taken_for_nothing(simulated):
    async with simulated(MODEL) as running:
        running.speaker.show(Indication((), {"power": 100.0}, 0.0))
        async with open_meter(running.meter(timeout_s=0.5)) as meter:
            # Two answers come late: the one of the first poll after the second was asked, with another load by then.
            running.speaker.inject(FAULT.validate_python({"kind": "delay", "seconds": 1.2, "count": 2}))
            with pytest.raises(ConnectionFailed):
                await meter.read()
            running.speaker.show(Indication((), {"power": 200.0}, 0.0))
            values = [(await meter.read())[0].value]
            await asyncio.sleep(0.8)
            values.append((await meter.read())[0].value)
            assert values == [200.0, 200.0]


async def test_an_agent_that_started_anew_is_asked_for_its_digits_again(simulated):
    """With other firmware a sensor of Raritan may have other digits: 300 W would be read as 3000 W."""
    table = load_catalogue()["raritan.pxoutlet"].protocol
    power = next(value for value in table.values if value.channel == "power")
    async with simulated("raritan.pxoutlet") as running:
        objects = running.speaker._objects
        objects |= {parse(UPTIME): 500_000, parse(power.oid): 300, parse(power.digits.oid): 0}
        async with open_meter(running.meter()) as meter:
            assert (await meter.read())[0].value == 300
            objects |= {parse(UPTIME): 1_200, parse(power.oid): 3000, parse(power.digits.oid): 1}
            with pytest.raises(ConnectionFailed, match="has restarted"):
                await meter.read()
            await meter.open()
            assert (await meter.read())[0].value == 300
            objects |= {parse(UPTIME): 2**32 - 100}
            await meter.open()
            objects |= {parse(UPTIME): 100}
            assert (await meter.read())[0].value == 300, "the uptime begins again at 0 after 497 days"
