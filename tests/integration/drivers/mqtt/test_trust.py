"""What counts as a reading of a device at a broker, and whose reading it is."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.plausibility.collect import collect
from wattmark_drivers.plausibility.judge import judge
from wattmark_drivers.reading import Quality
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.mqtt.broker import USERNAME, MqttBroker

from tests.open_meter import open_meter

from .conftest import TOPIC, Place, shows

KEPT = {
    "tasmota.mqtt": ("stat/desk/STATUS10", '{"StatusSNS": {"ENERGY": {"Power": 1}}}'),
    "zigbee2mqtt.plug": ("zigbee2mqtt/desk", '{"power": 1}'),
    "shelly.mqttgen1": ("shellies/desk/relay/0/power", "1"),
}
LISTENED = {
    "tasmota.mqtt": ("tele/desk/SENSOR", '{"ENERGY": {"Power": 1}}'),
    "zigbee2mqtt.plug": ("zigbee2mqtt/desk", '{"power": 1}'),
    "shelly.mqttgen1": ("shellies/desk/relay/0/power", "1"),
    "shelly.mqttgen2": ("desk/status/switch:0", '{"apower": 1}'),
}


@pytest.mark.parametrize("model", KEPT)
async def test_a_kept_message_is_no_answer(place, running, model):
    topic, payload = KEPT[model]
    await place.publish(topic, payload, retain=True)
    async with running(model), open_meter(place.meter(model)) as meter:
        assert (await meter.read())[0].value == 333.0


@pytest.mark.parametrize("model", LISTENED)
async def test_a_kept_message_is_no_reading(place, running, model):
    topic, payload = LISTENED[model]
    await place.publish(topic, payload, retain=True)
    async with running(model), open_meter(place.meter(model, listen=True)) as meter:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await meter.read()
        await place.publish(topic, payload.replace("1", "2"))
        assert (await meter.read())[0].value == 2.0


@pytest.mark.parametrize("version", ["3.1.1", "5"])
async def test_a_broker_that_is_gone_is_named_and_found_again(place, running, version):
    async with running("tasmota.mqtt"):
        states, powers = [], []
        sampler = Sampler(
            place.meter("tasmota.mqtt", timeout_s=1.0, query=f"mqtt={version}"),
            period_s=0.1,
            on_readings=lambda _, readings: powers.append(readings[0]),
            on_state=states.append,
        )
        running_sampler = asyncio.create_task(sampler.run())
        await until(lambda: powers)
        await place.broker.stop()
        await until(lambda: any(state.state == "lost" for state in states))
        seen = len(powers)
        await place.broker.start()
        await until(lambda: len(powers) > seen + 2)
        running_sampler.cancel()
        await asyncio.gather(running_sampler, return_exceptions=True)
    assert {reading.value for reading in powers} == {333.0}
    assert any("broker 127.0.0.1" in (state.problem or "") for state in states)


async def until(condition, seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


async def test_an_absent_broker_is_named(place):
    await place.broker.stop()
    with pytest.raises(ConnectionFailed, match="No connection to the broker 127"):
        await place.meter("tasmota.mqtt", timeout_s=1.0).open()


async def test_an_absent_device_is_named(place):
    with pytest.raises(ConnectionFailed, match=r"desk at 127.* does not answer within 0.4 s"):
        await place.meter("tasmota.mqtt", timeout_s=0.4).open()


# paho-mqtt leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_tls_is_verified(tmp_path, certificate):
    broker = MqttBroker(tmp_path / "broker", tls=certificate)
    await broker.acquire()
    try:
        known = Place(broker, ca=certificate[0])
        with pytest.raises(ConnectionFailed, match=r"desk at .* does not answer"):
            await known.meter("tasmota.mqtt", timeout_s=0.5).open()
        stranger = f"mqtts://127.0.0.1:{broker.port}/{TOPIC}"
        with pytest.raises(ConnectionFailed, match="is not trusted"):
            await known.meter("tasmota.mqtt", url=stranger).open()
        with pytest.raises(ConnectionFailed, match="does not answer within"):
            await known.meter("tasmota.mqtt", url=f"{stranger}?tls=insecure", timeout_s=0.5).open()
        with pytest.raises(ConnectionFailed, match="broker"):
            await known.meter("tasmota.mqtt", url=stranger.replace("mqtts", "mqtt"), timeout_s=0.5).open()
    finally:
        await broker.stop()


@pytest.mark.parametrize(
    "payload", [b"\xff\xfe\xfd", b"", b"[" * 60_000, b'{"ENERGY": ', b"null", b'{"ENERGY": {"Voltage": "x"}}']
)
async def test_nonsense_that_a_device_publishes_is_a_gap_or_nothing(place, running, payload):
    async with running("tasmota.mqtt"), open_meter(place.meter("tasmota.mqtt", listen=True)) as meter:
        await place.publish("tele/desk/SENSOR", payload)
        await place.publish("tele/desk/SENSOR", '{"ENERGY": {"Power": 5}}')
        try:
            readings = await meter.read()
        except BadReply:
            readings = await meter.read()
        if not any(item.channel == "power" for item in readings):
            assert all(item.quality is Quality.INVALID for item in readings)
            readings = await meter.read()
        assert [(item.channel, item.value) for item in readings] == [("power", 5.0)]


async def test_a_huge_message_is_dropped(place, running):
    async with running("tasmota.mqtt"), open_meter(place.meter("tasmota.mqtt", listen=True)) as meter:
        await place.publish("tele/desk/SENSOR", b'{"ENERGY": {"Power": 1}}' + b" " * (1 << 20))
        await place.publish("tele/desk/SENSOR", '{"ENERGY": {"Power": 5}}')
        assert (await meter.read())[0].value == 5.0


def connect_with_will(place: Place, topic: str, payload: str) -> socket.socket:
    """Join as a device with a last will, by MQTT 3.1.1 written out (3.1, CONNECT)."""

    def text(words: str) -> bytes:
        return len(words.encode()).to_bytes(2, "big") + words.encode()

    flags = 0x80 | 0x40 | 0x20 | 0x04 | 0x02
    head = text("MQTT") + bytes([4, flags]) + (60).to_bytes(2, "big")
    body = head + b"".join(map(text, ("device", topic, payload, USERNAME, place.broker.password)))
    assert len(body) < 128
    device = socket.create_connection(("127.0.0.1", place.broker.port), 5)
    device.sendall(bytes([0x10, len(body)]) + body)
    assert device.recv(4) == bytes([0x20, 2, 0, 0])
    return device


@pytest.mark.parametrize(
    ("model", "topic", "word"),
    [
        ("tasmota.mqtt", "tele/desk/LWT", "Offline"),
        ("zigbee2mqtt.plug", "zigbee2mqtt/desk/availability", '{"state":"offline"}'),
        ("zigbee2mqtt.plug", "zigbee2mqtt/bridge/state", "offline"),
        ("shelly.mqttgen1", "shellies/desk/online", "false"),
        ("shelly.mqttgen2", "desk/online", "false"),
    ],
)
async def test_the_last_will_of_a_device_ends_in_an_error_that_names_it(place, running, model, topic, word):
    async with running(model):
        async with open_meter(place.meter(model, listen=True)) as meter:
            device = await asyncio.to_thread(connect_with_will, place, topic, word)
            device.close()
            remedy = "Start the bridge" if "/bridge/" in topic else "Check its power supply and its network"
            with pytest.raises(ConnectionFailed, match=rf"desk at .* is offline: the topic {topic} says so\. {remedy}"):
                await meter.read()
        with pytest.raises(ConnectionFailed, match="is offline"):
            await place.meter(model).open()


@pytest.mark.parametrize("model", ["tasmota.mqtt", "shelly.mqttgen1", "shelly.mqttgen2", "zigbee2mqtt.plug"])
async def test_another_device_at_the_same_topic_is_noticed(place, running, model):
    async with running(model):
        meter = place.meter(model)
        await meter.open()
        await meter.read()
    async with running(model, serial=8) as plug:
        plug.show(shows(50.0))
        with pytest.raises(Exchanged, match="answered as serial SIMULATED-8, was SIMULATED-7"):
            await meter.read()
        await meter.close()
        async with open_meter(meter):
            assert meter.identity.serial == "SIMULATED-8"


@pytest.mark.parametrize("model", ["tasmota.mqtt", "shelly.mqttgen1"])
async def test_two_devices_with_one_topic_are_refused(place, running, model):
    """Tasmota documentation, MQTT: the topic is unique to each device; a copied configuration has it twice."""
    async with running(model), running(model, serial=8) as plug:
        plug.show(shows(50.0))
        meter = place.meter(model)
        with pytest.raises(ConfigurationError, match=r"Two devices answer as desk at .*SIMULATED-[78].*of its own"):
            await open_and_read(meter)
        await meter.close()


async def open_and_read(meter, polls: int = 5) -> None:
    """Read a few times: the answer of a second device may come after that of the first was taken."""
    await meter.open()
    for _ in range(polls):
        await meter.read()


async def test_a_second_device_that_takes_the_topic_of_a_first_is_refused(place, running):
    first, second = running("tasmota.mqtt"), running("tasmota.mqtt", serial=8)
    async with first, open_meter(place.meter("tasmota.mqtt")) as meter, asyncio.timeout(20), second:
        with pytest.raises(ConfigurationError, match="Two devices answer as desk"):
            await read_all(meter)


async def test_a_device_exchanged_while_the_broker_was_away_is_reported(place, running):
    states = []
    async with running("tasmota.mqtt") as plug:
        sampler = Sampler(
            place.meter("tasmota.mqtt", timeout_s=1.0),
            period_s=0.1,
            on_readings=lambda *_: None,
            on_state=states.append,
        )
        sampling = asyncio.create_task(sampler.run())
        await until(lambda: any(state.state == "ok" for state in states))
        await place.broker.stop()
        plug.documents.serial = "SIMULATED-9"
        await until(lambda: any(state.state == "lost" for state in states))
        await place.broker.start()
        await until(lambda: any("SIMULATED-9, was SIMULATED-7" in (state.problem or "") for state in states))
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)


async def test_another_model_is_refused_by_name(place, running):
    async with running("shelly.mqttgen1") as plug:
        plug.documents.model = "SHSW-1"
        with pytest.raises(ConfigurationError, match=r"'SHSW-1', and shelly\.mqttgen1 is for SHPLG-1"):
            await place.meter("shelly.mqttgen1").open()


async def test_a_device_without_energy_monitoring_is_refused(place):
    async with place.client() as client:
        await client.subscribe([("cmnd/desk/STATUS", 0)])

        async def answer() -> None:
            answers = {"5": {"StatusNET": {"Mac": "A"}}, "2": {"StatusFWR": {"Version": "1"}}, "10": {"StatusSNS": {}}}
            async for message in client.messages:
                number = message.payload.decode()
                await client.publish(f"stat/desk/STATUS{number}", json.dumps(answers[number]))

        answering = asyncio.create_task(answer())
        with pytest.raises(ConfigurationError, match=r"reports no power where tasmota\.mqtt has it"):
            await place.meter("tasmota.mqtt", timeout_s=0.5).open()
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)


async def test_a_plug_that_cannot_be_asked_is_listened_to(place, running):
    plug = place.plug("zigbee2mqtt.plug")
    plug.documents.asked_for_power = False
    await plug.start()
    async with open_meter(place.meter("zigbee2mqtt.plug")) as meter:
        assert meter.pushes
        await place.publish("zigbee2mqtt/desk", '{"power": 12.5, "voltage": 230}')
        power, voltage = await meter.read()
        assert (power.channel, power.value) == ("power", 12.5)
        assert (voltage.channel, voltage.value) == ("voltage", 230)
    await plug.stop()


async def test_a_bridge_that_publishes_each_property_by_itself_is_told_how_to_set_it(place):
    """Zigbee2MQTT, MQTT settings: with output: attribute there is no JSON object, and an answer is one topic each."""
    entry = {
        "friendly_name": "desk", "ieee_address": "0x1",
        "definition": {"model": "SP 120", "exposes": [{"property": "power", "access": 5}]},
    }  # fmt: skip
    await place.publish("zigbee2mqtt/bridge/devices", json.dumps([entry]), retain=True)
    async with place.client() as client:
        await client.subscribe([("zigbee2mqtt/desk/get", 0)])

        async def answer() -> None:
            async for _ in client.messages:
                await client.publish("zigbee2mqtt/desk/state", "ON")
                await client.publish("zigbee2mqtt/desk/power", "33.5")

        answering = asyncio.create_task(answer())
        meter = place.meter("zigbee2mqtt.plug", timeout_s=0.3)
        with pytest.raises(ConnectionFailed, match=r"by itself \(33\.5 on zigbee2mqtt/desk/power\).*Set output: json"):
            await meter.open()
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)


async def test_watts_while_a_relay_of_the_first_generation_is_off_are_not_used(place, running):
    """Shelly API, Gen1, MQTT: shellies/<id>/relay/<n> is on, off or overpower; power is a topic of its own."""
    async with running("shelly.mqttgen1"), open_meter(place.meter("shelly.mqttgen1", listen=True)) as meter:
        off = Quality.RELAY_OFF | Quality.IMPLAUSIBLE
        for state, expected in (("off", off), ("on", Quality.GOOD), ("overpower", off)):
            await place.publish("shellies/desk/relay/0", state)
            await place.publish("shellies/desk/relay/0/power", "29.4")
            (power,) = await meter.read()
            assert (power.channel, power.value, power.quality) == ("power", 29.4, expected)
        await place.publish("shellies/desk/relay/0/power", "0")
        assert [item.quality for item in await meter.read()] == [Quality.GOOD]


async def test_an_unknown_zigbee_device_is_refused_with_the_names_of_the_known(place, running):
    async with running("zigbee2mqtt.plug"):
        meter = place.meter("zigbee2mqtt.plug", url=place.url("lamp"))
        with pytest.raises(ConfigurationError, match=r"no device named lamp.*Coordinator, desk"):
            await meter.open()


async def test_a_zigbee_device_without_power_is_refused_by_its_model(place):
    entry = {"friendly_name": "desk", "ieee_address": "0x1", "definition": {"model": "ZNCZ02LM", "exposes": []}}
    await place.publish("zigbee2mqtt/bridge/devices", json.dumps([entry]), retain=True)
    with pytest.raises(ConfigurationError, match="is a 'ZNCZ02LM' and reports no power"):
        await place.meter("zigbee2mqtt.plug").open()


async def test_a_power_in_kilowatts_is_refused_and_milliamperes_are_left_out(place):
    """Koenkk/zigbee2mqtt 32456: release 2.12.1 reports the power of a ZHEMI101 in kW, and its exposes say so."""
    exposes = [
        {"type": "switch", "features": [{"property": "state", "access": 7}]},
        {"property": "power", "access": 1, "unit": "kW"}, {"property": "current", "access": 1, "unit": "mA"},
        {"property": "voltage", "access": 1, "unit": "V"},
    ]  # fmt: skip
    entry = {"friendly_name": "desk", "ieee_address": "0x1", "definition": {"model": "ZHEMI101", "exposes": exposes}}
    await place.publish("zigbee2mqtt/bridge/devices", json.dumps([entry]), retain=True)
    with pytest.raises(ConfigurationError, match=r"reports its power in kW, and zigbee2mqtt\.plug is for W"):
        await place.meter("zigbee2mqtt.plug").open()
    exposes[1]["unit"] = "W"
    await place.publish("zigbee2mqtt/bridge/devices", json.dumps([entry]), retain=True)
    async with open_meter(place.meter("zigbee2mqtt.plug")) as meter:
        await place.publish("zigbee2mqtt/desk", '{"power": 345, "voltage": 230, "current": 1500}')
        assert [(item.channel, item.value) for item in await meter.read()] == [("power", 345), ("voltage", 230)]


async def test_a_bridge_that_is_not_there_is_named(place):
    with pytest.raises(ConnectionFailed, match="no message on z2m/bridge/devices"):
        await place.meter("zigbee2mqtt.plug", query="base=z2m", timeout_s=0.4).open()


async def test_a_switch_without_metering_is_refused_with_its_words(place):
    async with place.client() as client:
        await client.subscribe([("desk/rpc", 0)])

        async def answer() -> None:
            async for message in client.messages:
                frame = json.loads(message.payload)
                info = {"result": {"id": "shelly1-1", "ver": "1.0", "model": "SNSW-001X16EU"}}
                error = {"error": {"code": 404, "message": "No handler for Switch.GetStatus"}}
                body = info if frame["method"] == "Shelly.GetDeviceInfo" else error
                head = {"id": frame["id"], "src": "shelly1-1", "dst": frame["src"]}
                await client.publish(f"{frame['src']}/rpc", json.dumps(head | body))

        answering = asyncio.create_task(answer())
        with pytest.raises(ConfigurationError, match=r"\(SNSW-001X16EU\) refuses to answer: No handler"):
            await place.meter("shelly.mqttgen2", timeout_s=0.5).open()
        answering.cancel()
        await asyncio.gather(answering, return_exceptions=True)


async def test_a_check_of_a_silent_device_ends_in_time(place, running):
    async with running("tasmota.mqtt"):
        settings = MeterSettings(
            "plug",
            "tasmota.mqtt",
            place.url(),
            username=USERNAME,
            password=lambda: place.broker.password,
            options={"listen": "on"},
        )
        async with asyncio.timeout(10):
            recording = await collect(settings, 0.5)
    assert recording.readings == []
    assert {item.rule for item in judge(recording) if item.outcome == "fail"} == {"answers"}


async def read_all(meter) -> None:
    """Read for as long as something comes."""
    while True:
        await meter.read()


async def test_a_device_that_published_nothing_is_a_gap_and_no_old_value(place, running):
    async with running("tasmota.mqtt") as plug:
        plug.publish_s = 0.1
        async with open_meter(place.meter("tasmota.mqtt", listen=True, timeout_s=0.5)) as meter:
            for _ in range(4):
                await meter.read()
            plug.publish_s = None
            await asyncio.sleep(0.2)
            with pytest.raises(BadReply, match=r"published no reading for .*TelePeriod 10"):
                await read_all(meter)
