"""Every declared plug is simulated, read by curl and by the engine to the value put in, with every fault."""

from __future__ import annotations

import asyncio
import json
import math

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.indication import Indication

from ..faults import FAULT, leaves

pytestmark = pytest.mark.anyio
TABLES = {name: item.protocol for name, item in load_catalogue().items() if isinstance(item.protocol, HttpMap)}
MODELS = sorted(TABLES)
LOCKED = [name for name in MODELS if TABLES[name].login != "none"]


async def curl(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "*", *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode()


def phase(n: int) -> dict[str, float]:
    """Make values that no two phases share; sums are those of the mains."""
    power_w, reactive_var, voltage_v = 100.0 + 11 * n, 30.0 + n, 229.0 + n
    apparent_va = math.hypot(power_w, reactive_var)
    return {
        "power": power_w, "reactive_power": reactive_var, "voltage": voltage_v, "apparent_power": round(apparent_va, 3),
        "current": round(apparent_va / voltage_v, 3), "power_factor": round(power_w / apparent_va, 3),
        "frequency": 50.02,
    }  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
async def test_every_channel_is_read_back_to_the_value_put_in(simulated, model):
    declaration = load_catalogue()[model]
    phases = (phase(1), phase(2), phase(3))
    total = {**phase(4), "power": 333.0}
    async with simulated(model) as running:
        running.speaker.show(Indication(phases, total, 123456.0, 789.0))
        meter = running.meter(model)
        await meter.open()
        readings = await meter.read()
        await meter.close()
    expected = {}
    for item in declaration.protocol.measured:
        source = phases[item.phase - 1] if item.phase else total
        expected[item.channel] = source.get(item.quantity)
        if item.quantity == "energy":
            expected[item.channel] = 789.0 if "export" in item.channel else 123456.0
        if item.quantity == "temperature":
            expected[item.channel] = 23.0
    assert {item.channel: item.value for item in readings} == pytest.approx(expected)
    assert {item.quality for item in readings} == {Quality.GOOD}
    assert meter.identity.simulated


@pytest.mark.parametrize(
    ("model", "target", "login", "pointer"),
    [
        ("shelly.plusplugs", "/rpc/Switch.GetStatus?id=0", "--digest", ("apower",)),
        ("shelly.plugs", "/status", "--basic", ("meters", 0, "power")),
        ("tasmota.plug", "/cm?cmnd=Status%208", "", ("StatusSNS", "ENERGY", "Power")),
    ],
)
async def test_curl_logs_in_and_reads_what_the_meter_reads(simulated, model, target, login, pointer):
    async with simulated(model) as running:
        base = running.entry["url"].rstrip("01").rstrip("/")
        user = ("--user", f"admin:{running.password}", login) if login else ()
        more = "" if login else f"&user=admin&password={running.password}"
        answer = json.loads(await curl(*user, base + target + more))
        refused = await curl("--include", base + target)
        meter = running.meter(model)
        await meter.open()
        (power, *_) = await meter.read()
        await meter.close()
    for key in pointer:
        answer = answer[key]
    assert answer == power.value
    assert answer > 100
    assert refused.startswith("HTTP/1.1 401") if login else "WARNING" in refused


@pytest.mark.parametrize("model", LOCKED)
async def test_a_wrong_password_is_refused(simulated, model):
    async with simulated(model) as running:
        with pytest.raises(AuthenticationFailed, match="rejects"):
            await running.meter(model, password="wrong").open()


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ({"kind": "delay", "seconds": 1.2}, Quality.RETRIED),
        ({"kind": "drop"}, Quality.RETRIED),
        ({"kind": "disconnect"}, Quality.RETRIED),
        ({"kind": "garbage"}, Quality.RETRIED),
        ({"kind": "http-status", "code": 500}, BadReply),
        ({"kind": "http-status", "code": 401}, AuthenticationFailed),
        ({"kind": "drop", "count": 2}, ConnectionFailed),
        ({"kind": "wrong-value", "channel": "power", "value": 99999}, Quality.IMPLAUSIBLE),
        ({"kind": "wrong-value", "channel": "power"}, Quality.INVALID),
    ],
)
async def test_a_fault_is_a_flag_or_a_gap(simulated, fault, outcome):
    async with simulated("shelly.plus1pm") as running:
        await leaves(running.meter("shelly.plus1pm", timeout_s=0.6), running.speaker, fault, outcome)


async def test_a_late_answer_is_taken_for_nothing(simulated):
    async with simulated("shelly.plus1pm") as running:
        meter = running.meter("shelly.plus1pm", timeout_s=0.5)
        await meter.open()
        # The answer of now comes after the load has changed and the question was asked again.
        running.speaker.inject(FAULT.validate_python({"kind": "delay", "seconds": 0.8}))
        waiting = asyncio.create_task(meter.read())
        await asyncio.sleep(0.1)
        running.speaker.show(Indication((), phase(5), 1.0))
        (power, *_) = await waiting
        assert (power.value, power.quality) == (155.0, Quality.RETRIED)
        (power, *_) = await meter.read()
        assert (power.value, power.quality) == (155.0, Quality.GOOD)
        await meter.close()


async def test_only_declared_channels_can_be_falsified(simulated):
    async with simulated("shelly.plugs") as running:
        with pytest.raises(ConfigurationError, match="It has: energy, power"):
            running.speaker.inject(FAULT.validate_python({"kind": "wrong-value", "channel": "voltage", "value": 1}))
