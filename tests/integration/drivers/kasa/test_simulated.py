"""Every declared TP-Link plug is simulated and read through python-kasa to the value put in, with every fault."""

from __future__ import annotations

import asyncio

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.discovery.hosts import Host, scan_host
from wattmark_drivers.errors import AuthenticationFailed, BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.kasa.plug import KlapPlug

from ..faults import FAULT, leaves

pytestmark = pytest.mark.anyio
MODELS = sorted(name for name, item in load_catalogue().items() if isinstance(item.protocol, KasaMap))
TOTAL = {"power": 333.125, "voltage": 231.5, "current": 1.5}


def shows(power_w: float = TOTAL["power"]) -> Indication:
    return Indication((), {**TOTAL, "power": power_w}, 123_456.0)


@pytest.mark.parametrize("model", MODELS)
async def test_every_channel_is_read_back_to_the_value_put_in(simulated, model):
    async with simulated(model) as running:
        running.speaker.show(shows())
        meter = running.meter(model)
        await meter.open()
        readings = await meter.read()
        await meter.close()
    names = {item.channel for item in load_catalogue()[model].protocol.measured}
    expected = {name: value for name, value in (TOTAL | {"energy": 123_456.0}).items() if name in names}
    assert {item.channel: item.value for item in readings} == pytest.approx(expected)
    assert {item.quality for item in readings} == {Quality.GOOD}
    assert meter.identity.simulated


async def test_each_outlet_of_a_strip_is_read_by_itself(simulated):
    async with simulated("tplink.hs300") as running:
        running.speaker.show(shows())
        values = []
        for outlet in (1, 2, 6):
            meter = running.meter("tplink.hs300", outlet=outlet)
            await meter.open()
            values.append((await meter.read())[0].value)
            await meter.close()
        with pytest.raises(ConfigurationError, match="Write 1 to 6"):
            running.meter("tplink.hs300", outlet=7)
    assert values == [333.125, 0.0, 0.0]


@pytest.mark.parametrize("cipher", ["klap1", "klap2"])
async def test_both_versions_of_klap_are_spoken(tmp_path, cipher):
    model = "tplink.kasa" if cipher == "klap1" else "tplink.tapo"
    wire = KlapPlug(load_catalogue()[model].protocol, tmp_path / "plug", cipher=cipher)
    entry = await wire.start()
    wire.show(shows())
    secret = (tmp_path / "plug" / "password").read_text("utf-8")
    settings = MeterSettings("plug", model, entry["url"], username=entry["username"], password=lambda: secret)
    meter = create_meter(settings)
    await meter.open()
    assert (await meter.read())[0].value == 333.125
    await meter.close()
    await wire.stop()


async def test_a_wrong_password_is_refused(simulated):
    async with simulated("tplink.tapo") as running:
        with pytest.raises(AuthenticationFailed, match="rejects the login"):
            await running.meter("tplink.tapo", password="wrong").open()


@pytest.mark.parametrize("model", ["tplink.kasa", "tplink.hs300", "tplink.tapo"])
@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ({"kind": "delay", "seconds": 1.2}, Quality.RETRIED),
        ({"kind": "drop"}, Quality.RETRIED),
        ({"kind": "disconnect"}, Quality.RETRIED),
        ({"kind": "garbage"}, Quality.RETRIED),
        ({"kind": "drop", "count": 2}, ConnectionFailed),
        ({"kind": "wrong-value", "channel": "power", "value": 99999}, Quality.IMPLAUSIBLE),
        ({"kind": "wrong-value", "channel": "power"}, Quality.INVALID),
    ],
)
async def test_a_fault_is_a_flag_or_a_gap(simulated, model, fault, outcome):
    async with simulated(model) as running:
        running.speaker.show(shows())
        await leaves(running.meter(model, timeout_s=0.6), running.speaker, fault, outcome)


async def test_a_status_without_an_answer_is_a_gap(simulated):
    async with simulated("tplink.tapo") as running:
        running.speaker.show(shows())
        fault = {"kind": "http-status", "code": 500, "count": 2}
        await leaves(running.meter("tplink.tapo", timeout_s=2.0), running.speaker, fault, BadReply)


async def test_a_session_that_the_plug_forgot_is_opened_anew(simulated):
    async with simulated("tplink.tapo") as running:
        running.speaker.show(shows())
        meter = running.meter("tplink.tapo")
        await meter.open()
        running.speaker._sessions.clear()
        (power, *_) = await meter.read()
        assert (power.value, power.quality) == (333.125, Quality.RETRIED)
        await meter.close()


@pytest.mark.parametrize("model", ["tplink.kasa", "tplink.tapo"])
async def test_a_late_answer_is_taken_for_nothing(simulated, model):
    async with simulated(model) as running:
        running.speaker.show(shows(100.0))
        meter = running.meter(model, timeout_s=0.5)
        await meter.open()
        running.speaker.inject(FAULT.validate_python({"kind": "delay", "seconds": 0.8}))
        waiting = asyncio.create_task(meter.read())
        await asyncio.sleep(0.1)
        running.speaker.show(shows(200.0))
        (power, *_) = await waiting
        assert (power.value, power.quality) == (200.0, Quality.RETRIED)
        await asyncio.sleep(0.6)
        assert (await meter.read())[0].value == 200.0
        await meter.close()


async def test_only_declared_channels_can_be_falsified(simulated):
    async with simulated("tplink.kasa") as running:
        with pytest.raises(ConfigurationError, match="It has: current, energy, power, voltage"):
            running.speaker.inject(FAULT.validate_python({"kind": "wrong-value", "channel": "frequency", "value": 1}))


@pytest.mark.parametrize(("model", "words"), [("tplink.kasa", "HS110"), ("tplink.tapo", "KLAP")])
async def test_a_scan_of_a_named_host_finds_it(simulated, model, words):
    async with simulated(model) as running:
        place = running.entry["url"].split("/")[2]
        found = await scan_host(Host("127.0.0.1", int(place.rpartition(":")[2])), timeout_s=1.0)
    (device,) = [item for item in found if words in item.what]
    assert device.where == f"kasa://{place}"
    assert model in device.models
