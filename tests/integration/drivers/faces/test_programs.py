"""Programs that know a BMC, a PDU, a plug or an analyser read the watts of the meter behind, to their last digit."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from hatasmota.discovery import TasmotaDiscovery
from hatasmota.mqtt import ReceiveMessage, TasmotaMQTTClient
from hatasmota.sensor import TasmotaSensor, TasmotaSensorConfig
from wattmark_drivers.speakers.face import Credentials, Doorway

from tests.web_peer import self_signed, server_tls

from .conftest import FACE, SECRET, TOTAL, run, shows

POWER_W = TOTAL["power"]
ENT_VALUE = "1.3.6.1.2.1.99.1.1.1.4"
RARITAN = "1.3.6.1.4.1.13742.6"


def ipmitool(port: int, password_file: Path, *command: str) -> list[str]:
    session = ["-I", "lanplus", "-C", "3", "-L", "ADMINISTRATOR", "-H", "127.0.0.1", "-p", str(port), "-U", "lab"]
    return ["ipmitool", *session, "-f", str(password_file), "-N", "1", "-R", "3", *command]


@pytest.fixture
def password_file(tmp_path: Path) -> Path:
    path = tmp_path / "lab-password"
    path.write_text(SECRET)
    return path


async def test_ipmitool_reads_dcmi_sensors_and_inventory(speaking, password_file):
    async with speaking("ipmi") as running:
        reading = await run(*ipmitool(running.port, password_file, "dcmi", "power", "reading"))
        sensors = await run(*ipmitool(running.port, password_file, "sdr", "elist", "full"))
        inventory = await run(*ipmitool(running.port, password_file, "fru", "print"))
        tag = await run(*ipmitool(running.port, password_file, "dcmi", "asset_tag"))
        peers = running.speaker.askers.view()
    assert re.search(r"Instantaneous power reading: +237 Watts", reading)
    assert re.search(r"Pwr Consumption +\| 01h \| ok +\| +7\.1 \| 237 Watts", sensors)
    assert re.search(r"Input Voltage +\| 02h \| ok +\| +7\.1 \| 230 Volts", sensors)
    for field, text in (("Product Manufacturer", "wattmark"), ("Product Serial", "91N123456")):
        assert re.search(rf"{field} +: {text}", inventory)
    assert "gateway to Yokogawa WT310E" in inventory
    assert "gateway to Yokogawa WT310E" in tag
    assert "SIMULATED" not in inventory + tag + sensors
    assert [(item.peer, item.refused) for item in peers] == [("127.0.0.1", 0)]
    assert peers[0].requests > 20


async def test_ipmi_dcmi_of_freeipmi_reads_the_power(speaking):
    program = shutil.which("ipmi-dcmi", path="/usr/sbin:/usr/bin:/sbin") or "ipmi-dcmi"
    async with speaking("ipmi") as running:
        session = ["-D", "LAN_2_0", "-h", f"127.0.0.1:{running.port}", "-u", "lab", "-p", SECRET, "-l", "ADMIN"]
        text = await run(program, *session, "-I", "3", "--get-system-power-statistics")
    assert re.search(r"Current Power +: 237 Watts", text)


async def test_curl_reads_redfish_over_tls_with_its_ca(speaking, tmp_path):
    certificate, key = self_signed(tmp_path / "tls")
    async with speaking("redfish", door=Doorway(tls=server_tls(certificate, key))) as running:

        async def get(path: str, *more: str, status: int | None = 0) -> str:
            return await run(
                *("curl", "--silent", "--show-error", "--noproxy", "*", "--cacert", str(certificate)),
                *(*more, f"https://127.0.0.1:{running.port}{path}"),
                status=status,
            )

        login = ("--user", f"lab:{SECRET}")
        chassis = "/redfish/v1/Chassis/1"
        sensor = json.loads(await get(f"{chassis}/Sensors/TotalPower", *login))
        power = json.loads(await get(f"{chassis}/Power", *login))
        environment = json.loads(await get(f"{chassis}/EnvironmentMetrics", *login))
        whole = json.loads(await get(chassis, *login))
        refused = json.loads(await get(chassis, "--user", "lab:wrong"))
        untrusted = await run("curl", "--silent", f"https://127.0.0.1:{running.port}/redfish/v1/", status=60)
    assert sensor["Reading"] == power["PowerControl"][0]["PowerConsumedWatts"] == POWER_W
    assert environment["PowerWatts"]["Reading"] == POWER_W
    assert (sensor["ReadingUnits"], sensor["Status"]) == ("W", {"State": "Enabled", "Health": "OK"})
    assert (whole["Manufacturer"], whole["Model"], whole["SerialNumber"]) == (FACE.maker, FACE.model, FACE.serial)
    assert "SIMULATED" not in json.dumps([sensor, power, environment, whole])
    assert refused["error"]["message"] == "Authentication is required."
    assert untrusted == ""


async def test_redfishtool_of_the_dmtf_reads_the_power_and_its_absence(speaking, tmp_path):
    certificate, key = self_signed(tmp_path / "tls")
    async with speaking("redfish", door=Doorway(tls=server_tls(certificate, key))) as running:

        async def ask(*command: str) -> dict[str, Any]:
            place = ("-r", f"127.0.0.1:{running.port}", "-S", "Always", "-u", "lab", "-p", SECRET)
            return json.loads(await run(str(Path(sys.executable).with_name("redfishtool")), *place, *command))

        power = await ask("Chassis", "-1", "getPowerReading", "consumed")
        by_system = await ask("Systems", "-1", "get")
        by_session = await ask("-A", "Session", "Chassis", "-1", "getPowerReading", "consumed")
        running.speaker.show(None, "lost")
        lost = await ask("Chassis", "-1", "getPowerReading")
    assert power == by_session == {"PowerConsumedWatts": POWER_W}
    assert by_system["Links"]["Chassis"] == [{"@odata.id": "/redfish/v1/Chassis/1"}]
    assert (lost["PowerConsumedWatts"], lost["Status"]["State"]) == (None, "UnavailableOffline")


async def test_net_snmp_reads_the_outlet_and_the_sensors(speaking, tmp_path):
    async with speaking("snmp") as running:
        place, state = f"127.0.0.1:{running.port}", {"SNMP_PERSISTENT_DIR": str(tmp_path / "state")}
        by_community = ("-v2c", "-c", SECRET, "-On", "-Oqv", place)
        by_user = ("-v3", "-u", "lab", "-l", "authPriv", "-a", "SHA", "-A", SECRET, "-x", "AES", "-X", SECRET)
        outlet = (f"{RARITAN}.5.4.3.1.4.1.1.5", f"{RARITAN}.3.5.4.1.7.1.1.5", f"{RARITAN}.5.4.3.1.3.1.1.5")
        power, digits, sensor_state = (await run("snmpget", *by_community, *outlet, **state)).split()
        protected = await run("snmpget", *by_user, "-Oqv", place, f"{ENT_VALUE}.2", **state)
        values = (await run("snmpwalk", *by_community, ENT_VALUE, **state)).split()
        bulk = (await run("snmpbulkwalk", *by_community, ENT_VALUE, **state)).split()
        names = await run("snmpwalk", *by_community, "1.3.6.1.2.1.47.1.1.1.1.7", **state)
        statuses = set((await run("snmpwalk", *by_community, "1.3.6.1.2.1.99.1.1.1.5", **state)).split())
        described = await run("snmpget", *by_community, "1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.5.0", **state)
        everything = await run("snmpwalk", *by_user, "-On", place, "1.3", **state)
        written = await run("snmpset", *by_community, f"{ENT_VALUE}.2", "i", "1", status=2, **state)
        strangers = ("-t", "0.3", "-r", "0")
        for user in ("-v2c -c public", "-v1 -c correct-horse-9", "-v3 -u lab -l noAuthNoPriv", "-v3 -l noAuthNoPriv"):
            name = ["-u", ""] if user == "-v3 -l noAuthNoPriv" else []
            answer = await run(
                "snmpget", *user.split(), *name, *strangers, place, f"{ENT_VALUE}.2", status=None, **state
            )
            assert "236810" not in answer
    assert (int(power) / 10 ** int(digits), sensor_state) == (POWER_W, "4")
    assert protected.strip() == "236810"
    assert values == bulk == ["236810", "230120", "1073", "49980", "246940", "70020", "9590"]
    assert statuses == {"1"}
    assert '"Active power"' in names
    assert '"gateway to Yokogawa WT310E"' in names
    assert "wattmark 0.1.0, gateway to Yokogawa WT310E, serial number 91N123456" in described
    assert "SIMULATED" not in everything
    assert "236810" in everything
    assert "notWritable" in written


async def test_mbpoll_reads_the_registers(speaking):
    async with speaking("modbus") as running:
        options = ("-m", "tcp", "-p", str(running.port), "-0", "-1", "-a", "1")
        power = await run("mbpoll", *options, "-t", "3:float", "-B", "-r", "52", "-c", "1", "127.0.0.1")
        serial = await run("mbpoll", *options, "-t", "4:hex", "-r", str(0xFFD0), "-c", "4", "127.0.0.1", status=1)
        written = await run("mbpoll", *options, "-t", "4", "-r", "0", "127.0.0.1", "7", status=1)
    assert re.search(r"\[52\]:\s+236\.81", power)
    assert "Illegal data address" in serial
    assert "Illegal function" in written


async def test_mosquitto_sub_hears_the_plug_at_somebody_elses_broker(speaking, broker):
    login = Credentials(broker.login.username, broker.login.password)
    door = Doorway(credentials=login)
    client = ("-h", "127.0.0.1", "-p", str(broker.port), "-u", login.username, "-P", login.password())
    async with speaking("mqtt", door=door, port=broker.port) as running:
        heard = await run("mosquitto_sub", *client, "-t", "tele/wall/SENSOR", "-C", "1", "-W", "5")
        there = await run("mosquitto_sub", *client, "-t", "tele/wall/LWT", "-C", "1", "-W", "5")
        running.speaker.show(None, "lost")
        await asyncio.sleep(1.5)
        gone = await run("mosquitto_sub", *client, "-t", "tele/wall/LWT", "-C", "1", "-W", "5")
        silence = await run("mosquitto_sub", *client, "-t", "tele/wall/SENSOR", "-C", "1", "-W", "3", status=27)
        running.speaker.show(shows(99.5))
        back = await run("mosquitto_sub", *client, "-t", "tele/wall/SENSOR", "-C", "1", "-W", "5")
    after = await run("mosquitto_sub", *client, "-t", "tele/wall/LWT", "-C", "1", "-W", "5")
    assert json.loads(heard)["ENERGY"]["Power"] == POWER_W
    assert json.loads(back)["ENERGY"]["Power"] == 99.5
    assert (there.strip(), gone.strip(), after.strip()) == ("Online", "Offline", "Offline")
    assert "{" not in silence


PLUG = {
    "ip": "192.168.0.114", "dn": "Tasmota", "fn": ["Tasmota"], "hn": "tasmota-1234", "mac": "0015BC009A11",
    "md": "Sonoff POW", "ty": 0, "if": 0, "ofln": "Offline", "onln": "Online",
    "state": ["OFF", "ON", "TOGGLE", "HOLD"], "sw": "13.2.0", "t": "wall", "ft": "%prefix%/%topic%/",
    "tp": ["cmnd", "stat", "tele"], "rl": [0], "swc": [-1], "swn": [None], "btn": [0], "lk": 0, "lt_st": 0,
    "so": {"4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0, "117": 0},
    "ver": 1,
}  # fmt: skip
"""What a plug tells Home Assistant of itself (Tasmota, discovery topic tasmota/discovery/MAC/config)."""


class HomeAssistant:
    """What Home Assistant does for its parser of Tasmota: bring it messages of the broker, and send its own."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self._client = client
        self._callbacks: list[tuple[str, Callable[[ReceiveMessage], Awaitable[None] | None]]] = []

    async def publish(self, topic: str, payload: Any, qos: int | None, retain: bool | None) -> None:
        await self._client.publish(topic, payload, qos or 0, bool(retain))

    async def subscribe(self, _before: dict | None, topics: dict) -> dict:
        for item in topics.values():
            self._callbacks.append((item["topic"], item["msg_callback"]))
            await self._client.subscribe(item["topic"])
        return topics

    async def unsubscribe(self, _before: dict | None) -> dict:
        return {}

    async def run(self) -> None:
        async for message in self._client.messages:
            payload = message.payload.decode()
            received = ReceiveMessage(message.topic.value, payload, message.qos, message.retain)
            for topic, callback in list(self._callbacks):
                if message.topic.matches(topic) and (ending := callback(received)) is not None:
                    await ending


async def test_the_parser_of_home_assistant_reads_the_plug(speaking, broker):
    """HATasmota is what Home Assistant's integration Tasmota consists of; it polls, listens and knows the last will."""
    login = Credentials(broker.login.username, broker.login.password)
    sensors, states, available = asyncio.Queue(), asyncio.Queue(), asyncio.Queue()

    async def take_sensors(discovered: list[Any], _mac: str) -> None:
        for config, _ in discovered:
            if isinstance(config, TasmotaSensorConfig) and config.quantity == "Power":
                sensors.put_nowait(config)

    async def nothing(*_: Any) -> None:
        pass

    async with (
        speaking("mqtt", door=Doorway(credentials=login), port=broker.port) as running,
        aiomqtt.Client("127.0.0.1", broker.port, username=login.username, password=login.password()) as client,
        asyncio.timeout(30),
    ):
        home = HomeAssistant(client)
        hearing = asyncio.create_task(home.run())
        mqtt = TasmotaMQTTClient(home.publish, home.subscribe, home.unsubscribe)
        await TasmotaDiscovery("tasmota/discovery", mqtt).start_discovery(nothing, take_sensors)
        for what, document in (("config", PLUG), ("sensors", {"sn": {"ENERGY": {"Power": 0}}, "ver": 1})):
            await home.publish(f"tasmota/discovery/{PLUG['mac']}/{what}", json.dumps(document), 0, False)
        sensor = TasmotaSensor(config=await sensors.get(), mqtt_client=mqtt)
        sensor.set_on_state_callback(lambda state: states.put_nowait(state))
        sensor.set_on_availability_callback(available.put)
        await sensor.subscribe_topics()
        assert (await available.get(), await states.get(), sensor.unit) == (True, POWER_W, "W")
        running.speaker.show(None, "lost")
        assert await available.get() is False
        while not states.empty():
            assert states.get_nowait() in (POWER_W, None)
        running.speaker.show(shows(99.5))
        assert await available.get() is True
        while (state := await states.get()) != 99.5:
            assert state is None
        hearing.cancel()


async def test_a_plug_that_publishes_each_minute_is_offline_at_once(speaking, broker):
    """A subscriber must not see the last watt of a meter that is lost until the next message would be due."""
    login = Credentials(broker.login.username, broker.login.password)
    client = ("-h", "127.0.0.1", "-p", str(broker.port), "-u", login.username, "-P", login.password())
    availability = ("mosquitto_sub", *client, "-t", "tele/wall/LWT", "-C", "1", "-W", "5")
    async with speaking("mqtt", door=Doorway(credentials=login), port=broker.port, publish_s=60.0) as running:
        await asyncio.sleep(0.5)
        there = await run(*availability)
        running.speaker.show(None, "over-range")
        await asyncio.sleep(0.5)
        gone = await run(*availability)
        running.speaker.show(shows(99.5))
        await asyncio.sleep(0.5)
        back = await run(*availability)
    assert (there.strip(), gone.strip(), back.strip()) == ("Online", "Offline", "Online")


async def test_pyvisa_asks_the_analyser(speaking):
    pyvisa = pytest.importorskip("pyvisa")

    def ask(port: int) -> list[str]:
        manager = pyvisa.ResourceManager("@py")
        device = manager.open_resource(
            f"TCPIP::127.0.0.1::{port}::SOCKET", read_termination="\n", write_termination="\n", timeout=3000
        )
        try:
            return [device.query(text) for text in ("*IDN?", ":MEAS:ALL?", ":SYST:ERR?")]
        finally:
            device.close()
            manager.close()

    async with speaking("scpi") as running:
        who, values, error = await asyncio.to_thread(ask, running.port)
    assert who.strip() == "wattmark,gateway to Yokogawa WT310E,91N123456,0.1.0"
    numbers = [float(text) for text in values.split(",")]
    assert numbers == [236.81, 230.12, 1.0731, 246.94, 70.02, 0.95898, 49.98]
    assert error.startswith("0,")


async def test_the_dialogue_of_another_analyser_shapes_answers_and_sets_nothing(speaking):
    """Two clients of one WT310E each choose their items; neither sets the meter behind (IM WT310E-17EN, 5 and 6)."""
    async with speaking("scpi", model="yokogawa.wt310e") as running:

        def ask(*lines: str) -> list[str]:
            with socket.create_connection(("127.0.0.1", running.port), 3) as connection:
                stream = connection.makefile("rw", newline="\n")
                answers = []
                for line in lines:
                    stream.write(line + "\n")
                    stream.flush()
                    if "?" in line:
                        answers.append(stream.readline().strip())
                return answers

        chosen = (":COMM:HEAD OFF", ":NUM:NUM 2", ":NUM:ITEM1 P,1", ":NUM:ITEM2 UPP,1", ":NUM:VAL?")
        first = asyncio.to_thread(ask, *chosen, ":STAT:ERR?")
        other = asyncio.to_thread(ask, ":COMM:HEAD OFF", ":NUM:NUM 1", ":NUM:ITEM1 U,1", ":NUM:VAL?")
        set_ = asyncio.to_thread(ask, ":COMM:HEAD OFF", ":INP:CURR:RANG 1", ":STAT:ERR?", ":INP:CURR:RANG?")
        answers = await asyncio.gather(first, other, set_)
    assert answers[0][0] == "236.81E+00,9.91E+37"
    assert answers[0][1].startswith("0,")
    assert answers[1] == ["230.12E+00"]
    assert answers[2][0] == '-203,"Command protected"'
    assert float(answers[2][1]) == 5.0
