"""What every simulated device must do: show what is put in, refuse a wrong login, and go wrong as it is told."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality
from wattmark_drivers.speakers.indication import Indication

from tests.open_meter import open_meter

from .faults import FAULT, leaves

ENGINES = ("http", "kasa", "mqtt", "snmp")
MODELS = {
    engine: sorted(name for name, item in load_catalogue().items() if item.protocol.engine == engine)
    for engine in ENGINES
}


def mains(n: int) -> dict[str, float]:
    """Make values that no two phases share; sums are those of the mains."""
    power_w, reactive_var, voltage_v = 100.0 + 11 * n, 30.0 + n, 229.0 + n
    apparent_va = math.hypot(power_w, reactive_var)
    return {
        "power": power_w, "reactive_power": reactive_var, "voltage": voltage_v, "apparent_power": round(apparent_va, 3),
        "current": round(apparent_va / voltage_v, 3), "power_factor": round(power_w / apparent_va, 3),
        "frequency": 50.02,
    }  # fmt: skip


def coarse(n: int) -> dict[str, float]:
    """Make values that every step of a PDU can show, and that no two phases share."""
    return {
        "power": 100.0 * n, "apparent_power": 110.0 * n, "reactive_power": 40.0 + n, "voltage": 228.0 + n,
        "current": 0.5 * n, "power_factor": 0.9 + n / 100, "frequency": 50.1,
    }  # fmt: skip


MQTT_TOTAL = {"power": 333.0, "voltage": 231.0, "current": 1.5, "power_factor": 0.96, "frequency": 50.0}
MQTT_TOTAL |= {"apparent_power": 346.0, "reactive_power": 94.0}
SHOWN = {
    "http": Indication((mains(1), mains(2), mains(3)), {**mains(4), "power": 333.0}, 123_456.0, 789.0),
    "kasa": Indication((), {"power": 333.125, "voltage": 231.5, "current": 1.5}, 123_456.0),
    "mqtt": Indication((), MQTT_TOTAL, 123_456.0, 789.0),
    "snmp": Indication((coarse(1), coarse(2), coarse(3)), coarse(4), 123_400.0),
}
"""The phases, their total, imported and exported energy [Wh], by protocol."""


VERSIONS = {"mqtt": ("?mqtt=3.1.1", "?mqtt=5")}
WITHOUT_SERIAL = ("gude.epc8226", "gude.epc8226port")
LOCKED = [name for name in MODELS["http"] if load_catalogue()[name].protocol.login != "none"]


@pytest.mark.parametrize(
    ("engine", "model", "query"),
    [
        pytest.param(engine, model, query, id=f"{engine} {model}{query}")
        for engine in ENGINES
        for model in MODELS[engine]
        for query in VERSIONS.get(engine, ("",))
    ],
)
async def test_every_channel_is_read_back_to_the_value_put_in(simulated, engine, model, query):
    shown = SHOWN[engine]
    async with simulated(model) as running:
        running.speaker.show(shown)
        async with open_meter(running.meter(query)) as meter:
            readings = await meter.read()
    expected = {}
    for item in load_catalogue()[model].protocol.measured:
        values = shown.phases[item.phase - 1] if item.phase else shown.total
        energy_wh = shown.energy_export_wh if "export" in item.channel else shown.energy_wh
        expected[item.channel] = {"energy": energy_wh, "temperature": 23.0, **values}[item.quantity]
    assert {item.channel: item.value for item in readings} == pytest.approx(expected)
    assert {item.quality for item in readings} == {Quality.GOOD}
    assert meter.identity.simulated
    assert meter.identity.serial == (None if model in WITHOUT_SERIAL else "SIMULATED-7")
    assert not meter.pushes


@pytest.mark.parametrize("model", [*LOCKED, "tplink.tapo", "tasmota.mqtt"])
async def test_a_wrong_password_is_refused(simulated, model):
    async with simulated(model) as running:
        with pytest.raises(AuthenticationFailed, match=r"rejects the (login|user or the password)"):
            await running.meter(password="wrong").open()


def broken(code: int) -> dict[str, Any]:
    return {"kind": "http-status", "code": code}


FAULTS = [
    ({"kind": "delay", "seconds": 1.2}, Quality.RETRIED),
    ({"kind": "drop"}, Quality.RETRIED),
    ({"kind": "drop", "count": 2}, ConnectionFailed),
    ({"kind": "wrong-value", "channel": "power"}, Quality.INVALID),
]
GARBAGE = ({"kind": "garbage"}, Quality.RETRIED)
DISCONNECT = ({"kind": "disconnect"}, Quality.RETRIED)
HUGE = ({"kind": "wrong-value", "channel": "power", "value": 99999}, Quality.IMPLAUSIBLE)
NEGATIVE = ({"kind": "wrong-value", "channel": "power", "value": -1}, Quality.IMPLAUSIBLE)
HTTP = [*FAULTS, GARBAGE, DISCONNECT, HUGE, (broken(500), BadReply), (broken(401), AuthenticationFailed)]
KASA = [*FAULTS, GARBAGE, DISCONNECT, HUGE]
MQTT = [*FAULTS, GARBAGE, HUGE, ({"kind": "garbage", "count": 2}, BadReply)]
REDFISH = [*FAULTS, GARBAGE, DISCONNECT, NEGATIVE, *((broken(code), BadReply) for code in (500, 404, 503))]
# What is no SNMP is passed over, and the right answer is waited for.
SNMP = [*FAULTS[1:], ({"kind": "delay", "seconds": 0.9}, Quality.RETRIED), ({"kind": "garbage"}, Quality.GOOD), HUGE]
OUTCOMES = {
    "shelly.plus1pm": HTTP,
    **dict.fromkeys(("tplink.kasa", "tplink.hs300", "tplink.tapo"), KASA),
    **dict.fromkeys(MODELS["mqtt"], MQTT),
    "redfish.bmc": REDFISH,
    "apc.rpdu2outlet": SNMP,
}


@pytest.mark.parametrize(
    ("model", "fault", "outcome"),
    [
        pytest.param(model, fault, outcome, id=f"{load_catalogue()[model].protocol.engine} {model} {number}")
        for model, outcomes in OUTCOMES.items()
        for number, (fault, outcome) in enumerate(outcomes)
    ],
)
async def test_a_fault_is_a_flag_or_a_gap(simulated, model, fault, outcome):
    # Until then a late answer may still come, and a device that does not number its answers cannot tell.
    timeout_s, passes_s = (0.8, 0.9) if model in MODELS["mqtt"] else (0.6, 0.0)
    async with simulated(model) as running:
        await leaves(running.meter(timeout_s=timeout_s), running.speaker, fault, outcome, passes_s=passes_s)


@pytest.mark.parametrize("model", ["shelly.plus1pm", "tplink.kasa", "tplink.tapo", "shelly.mqttgen2"])
async def test_a_late_answer_is_taken_for_nothing(simulated, model):
    def shown(power_w: float) -> Indication:
        return Indication((), {**MQTT_TOTAL, "power": power_w}, 123_456.0)

    async with simulated(model) as running:
        running.speaker.show(shown(100.0))
        async with open_meter(running.meter(timeout_s=0.5)) as meter:
            # The answer of now comes after the load has changed and the question was asked again.
            running.speaker.inject(FAULT.validate_python({"kind": "delay", "seconds": 0.8}))
            waiting = asyncio.create_task(meter.read())
            await asyncio.sleep(0.1)
            running.speaker.show(shown(200.0))
            (power, *_) = await waiting
            assert (power.value, power.quality) == (200.0, Quality.RETRIED)
            await asyncio.sleep(0.6)
            (power, *_) = await meter.read()
            assert (power.value, power.quality) == (200.0, Quality.GOOD)


@pytest.mark.parametrize(
    ("model", "channel", "names"),
    [
        ("shelly.plugs", "voltage", "energy, power"),
        ("tplink.kasa", "frequency", "current, energy, power, voltage"),
        ("shelly.mqttgen1", "voltage", "energy, power"),
        ("apc.rpdu2outlet", "voltage", "current, energy, power"),
        ("redfish.bmc", "fan_1", "power"),
    ],
)
async def test_only_declared_channels_can_be_falsified(simulated, model, channel, names):
    async with simulated(model) as running:
        with pytest.raises(ConfigurationError, match=f"It has: {names}"):
            running.speaker.inject(FAULT.validate_python({"kind": "wrong-value", "channel": channel, "value": 1}))
