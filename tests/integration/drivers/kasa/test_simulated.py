"""What only TP-Link's plugs do, simulated and read through python-kasa: outlets, KLAP, sessions, scans."""

from __future__ import annotations

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.discovery.hosts import Host, scan_host
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.kasa.plug import KlapPlug

from tests.open_meter import open_meter

from ..faults import leaves

TOTAL = {"power": 333.125, "voltage": 231.5, "current": 1.5}


def shows(power_w: float = TOTAL["power"]) -> Indication:
    return Indication((), {**TOTAL, "power": power_w}, 123_456.0)


async def test_each_outlet_of_a_strip_is_read_by_itself(simulated):
    async with simulated("tplink.hs300") as running:
        running.speaker.show(shows())
        values = []
        for outlet in (1, 2, 6):
            async with open_meter(running.meter(output=outlet)) as meter:
                values.append((await meter.read())[0].value)
        with pytest.raises(ConfigurationError, match="Write 1 to 6"):
            running.meter(output=7)
    assert values == [333.125, 0.0, 0.0]


@pytest.mark.parametrize("cipher", ["klap1", "klap2"])
async def test_both_versions_of_klap_are_spoken(tmp_path, cipher):
    model = "tplink.kasa" if cipher == "klap1" else "tplink.tapo"
    wire = KlapPlug(load_catalogue()[model].protocol, tmp_path / "plug", cipher=cipher)
    entry = await wire.start()
    wire.show(shows())
    secret = (tmp_path / "plug" / "password").read_text("utf-8")
    settings = MeterSettings("plug", model, entry["url"], username=entry["username"], password=lambda: secret)
    async with open_meter(create_meter(settings)) as meter:
        assert (await meter.read())[0].value == 333.125
    await wire.stop()


async def test_a_status_without_an_answer_is_a_gap(simulated):
    async with simulated("tplink.tapo") as running:
        running.speaker.show(shows())
        fault = {"kind": "http-status", "code": 500, "count": 2}
        await leaves(running.meter(timeout_s=2.0), running.speaker, fault, BadReply)


async def test_a_session_that_the_plug_forgot_is_opened_anew(simulated):
    async with simulated("tplink.tapo") as running:
        running.speaker.show(shows())
        async with open_meter(running.meter()) as meter:
            running.speaker._sessions.clear()
            (power, *_) = await meter.read()
            assert (power.value, power.quality) == (333.125, Quality.RETRIED)


@pytest.mark.parametrize(("model", "words"), [("tplink.kasa", "HS110"), ("tplink.tapo", "KLAP")])
async def test_a_scan_of_a_named_host_finds_it(simulated, model, words):
    async with simulated(model) as running:
        place = running.entry["url"].split("/")[2]
        devices = await scan_host(Host("127.0.0.1", int(place.rpartition(":")[2])), timeout_s=1.0)
    (device,) = [item for item in devices if words in item.what]
    assert device.where == f"kasa://{place}"
    assert model in device.models
