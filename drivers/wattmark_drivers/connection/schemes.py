"""The fields of every form of address. The engines' parsers judge the values; a test compares both."""

from __future__ import annotations

from dataclasses import replace

from wattmark_drivers.catalogue.declaration import Parity, Transport
from wattmark_drivers.connection.fields import Field
from wattmark_drivers.http_client.origin import TRUSTS
from wattmark_drivers.kasa.address import CIPHERS, MOST_OUTLETS
from wattmark_drivers.mqtt.address import VERSIONS
from wattmark_drivers.ptdaemon.address import MOST_CHANNELS
from wattmark_drivers.redfish.address import LONGEST_WAIT_S
from wattmark_drivers.simulators.on_demand import LIMITS, SCHEME, LoadModel
from wattmark_drivers.snmp.address import AUTHENTICATIONS, LARGEST_NUMBER, PRIVACIES

HOST = Field("host", "Host", "host", "host", required=True, help="Name or address on the network.")
PORT = Field("port", "Port", "integer", "port", low=1, high=65535)
DEVICE = "The meter's address on its line, as set on the meter."
LINE = (
    Field("baud", "Speed of the line", "integer", "query", default=9600, low=300, high=4_000_000, unit="baud"),
    Field("parity", "Parity", "choice", "query", default="N", choices=tuple(Parity), help="N none, E even, O odd."),
    Field("stopbits", "Stop bits", "choice", "query", default=1, choices=(1, 2)),
)
SERIAL = Field(
    "path", "Serial port", "serial-port", "path", required=True, help="Such as /dev/ttyUSB0 or /dev/serial/by-id/..."
)
TLS = (
    Field(
        "tls",
        "Certificate",
        "choice",
        "query",
        default="verify",
        choices=TRUSTS,
        help="insecure accepts any certificate: anybody on the network may then pose as the device. "
        "legacy also accepts the TLS 1.0 and short keys of old BMCs.",
    ),
    Field("ca", "Authorities", "file", "query", help="PEM file of the authorities to believe, on the appliance."),
)
LOGIN = Field("login", "Log in by", "choice", "query", choices=("session", "basic"))
CHASSIS = Field("chassis", "Chassis", "text", "path", help="Needed where several chassis hold a server with power.")
SENSOR = Field(
    "sensor",
    "Power sensor",
    "text",
    "query",
    help="Needed where only single sensors, or several entries of PowerControl, tell power: its id or name.",
)
WAIT = Field(
    "wait_s",
    "Wait for answers",
    "integer",
    "query",
    low=1,
    high=LONGEST_WAIT_S,
    unit="s",
    help="Empty: 10 s. Some BMCs take a minute.",
)
OUTPUT = Field("output", "Output", "integer", "path", low=0, high=255, help="Which output; empty: the first.")
DAEMON_CHANNEL = "Of an analyser with several; empty: their sum, or the only one."
REPEAT = "Repeat the log from its start: 1 yes, 0 no."
SNMP = (
    HOST,
    PORT,
    Field("number", "Number", "integer", "path", default=1, low=1, high=LARGEST_NUMBER, help="Outlet, inlet or unit."),
    Field("version", "SNMP version", "choice", "query", choices=("2c", "3"), help="Empty: the model's."),
    Field("auth", "Authentication", "choice", "query", default="SHA", choices=AUTHENTICATIONS, help="Version 3 only."),
    Field("privacy", "Encryption", "choice", "query", default="AES", choices=PRIVACIES, help="Version 3 only."),
    Field("context", "Context", "text", "query", help="Version 3 only; most devices have none."),
)
MQTT = (
    Field("host", "Broker", "host", "host", required=True, help="Name or address of the MQTT broker on the network."),
    PORT,
    Field(
        "topic",
        "Topic",
        "text",
        "path",
        required=True,
        help="The device's own topic or name, without what comes below.",
    ),
    Field("base", "Base topic", "text", "query", help="Empty: the usual one, such as zigbee2mqtt."),
    Field("output", "Output", "integer", "query", low=0, high=255, help="Which output; empty: the first."),
    Field("mqtt", "MQTT version", "choice", "query", default="3.1.1", choices=VERSIONS),
)
KASA = (
    HOST,
    PORT,
    Field("outlet", "Outlet", "integer", "path", default=1, low=1, high=MOST_OUTLETS, help="Of a strip, from 1."),
    Field("protocol", "Protocol", "choice", "query", choices=CIPHERS, help="Empty: the model's. Old firmware: aes."),
)
USB = (
    Field("vendor", "USB vendor", "text", "name", required=True, help="Four hexadecimal digits, such as 0b21."),
    Field("product", "USB product", "text", "name", required=True, help="Four hexadecimal digits, such as 0025."),
    Field("serial", "Serial number", "text", "name", help="Needed where several are plugged in."),
)
IPMI = (
    HOST,
    PORT,
    Field("cipher", "Cipher suite", "integer", "query", low=0, high=17, help="Empty: the model's."),
    Field("privilege", "Privilege", "choice", "query", choices=("USER", "OPERATOR", "ADMINISTRATOR")),
    Field("sensor", "Sensor", "text", "query", help="The sensor in W that meters the whole server."),
)
REPLAY = (
    Field("path", "Log file", "file", "path", required=True, help="A recorded log on the appliance."),
    Field("speed", "Speed", "number", "query", default=1, low=0.001, high=1000, help="2 plays it in half its time."),
    Field("loop", "Repeat", "choice", "query", default=0, choices=(0, 1), help=REPEAT),
)
SIMULATED = (
    Field(
        "idle_w",
        "Power at idle",
        "number",
        "query",
        default=LoadModel.idle_w,
        low=LIMITS["idle_w"][0],
        high=LIMITS["idle_w"][1],
        unit="W",
        help="Of the simulated server, without its memory.",
    ),
    Field(
        "dynamic_w",
        "Added at full load",
        "number",
        "query",
        default=LoadModel.dynamic_w,
        low=LIMITS["dynamic_w"][0],
        high=LIMITS["dynamic_w"][1],
        unit="W",
        help="The power follows the load of the appliance.",
    ),
    Field(
        "seed",
        "Seed",
        "integer",
        "query",
        default=LoadModel.seed,
        low=LIMITS["seed"][0],
        high=LIMITS["seed"][1],
        help="Fixes the hidden errors of the meter.",
    ),
)
_DEVICE_TCP = Field("device", "Unit id", "integer", "path", default=1, low=1, high=255, help=DEVICE)
_DEVICE_RTU = replace(_DEVICE_TCP, place="query", high=247)
FORMS: dict[str, tuple[str, tuple[Field, ...]]] = {
    "modbus-tcp": ("Modbus TCP: a gateway or meter on the network", (HOST, PORT, _DEVICE_TCP)),
    "modbus-rtu": ("Modbus RTU: an RS-485 adapter of the appliance", (SERIAL, _DEVICE_RTU, *LINE)),
    "modbus-rtu-tcp": (
        "Modbus RTU over TCP: a gateway that passes frames on",
        (HOST, replace(PORT, required=True), replace(_DEVICE_TCP, high=247), *LINE),
    ),
    "serial": ("Serial port of the appliance", (SERIAL, LINE[0])),
    "scpi-tcp": ("Network: commands over a TCP port", (HOST, PORT)),
    "vxi11": ("Network: VXI-11", (HOST,)),
    "hislip": ("Network: HiSLIP", (HOST,)),
    "usbtmc": ("USB (USBTMC)", USB),
    "ipmi": ("IPMI over the network", IPMI),
    "redfish": ("Redfish over TLS", (HOST, PORT, CHASSIS, SENSOR, *TLS, LOGIN, WAIT)),
    "redfish+http": (
        "Redfish without TLS: the password crosses the network in clear",
        (HOST, PORT, CHASSIS, SENSOR, LOGIN, WAIT),
    ),
    "http": ("HTTP", (HOST, PORT, OUTPUT)),
    "https": ("HTTP over TLS", (HOST, PORT, OUTPUT, *TLS)),
    "snmp": ("SNMP", SNMP),
    "kasa": ("TP-Link plug", KASA),
    "mqtt": ("MQTT broker without TLS: the password crosses the network in clear", MQTT),
    "mqtts": ("MQTT broker over TLS", (*MQTT, *TLS)),
    "rapl": (
        "Processors of the appliance",
        (Field("path", "Folder", "folder", "path", required=True, default="/sys/class/powercap"),),
    ),
    "hwmon": (
        "Sensor chips of the appliance",
        (
            Field("path", "Folder", "folder", "path", required=True, default="/sys/class/hwmon"),
            Field("name", "Chip", "text", "query", help="Empty: every chip."),
            Field("sensor", "Power sensor", "text", "query", help="Its label. Empty: the only meter of the server."),
        ),
    ),
    "amdgpu": (
        "AMD GPU of the appliance",
        (
            Field("path", "Folder", "folder", "path", required=True, default="/sys/class/hwmon"),
            Field("slot", "PCI address", "text", "query", help="Such as 0000:c1:00.0. Needed where there are several."),
        ),
    ),
    "nvml": (
        "NVIDIA GPU of the appliance",
        (
            Field("index", "Index", "integer", "name", low=0, high=1023, help="Its number in the driver."),
            Field("path", "UUID", "text", "path", help="GPU-...; in the place of the index."),
        ),
    ),
    "ptd": (
        "Power daemon (SPEC PTDaemon)",
        (HOST, PORT, Field("channel", "Channel", "integer", "path", low=1, high=MOST_CHANNELS, help=DAEMON_CHANNEL)),
    ),
    "replay": ("A recorded log", REPLAY),
    SCHEME: ("Simulated meter, for trying out: started by wattmark on the appliance", SIMULATED),
}
USUAL_PORTS = {
    "ptd": 8888,
    "modbus-tcp": 502,
    "ipmi": 623,
    "redfish": 443,
    "redfish+http": 80,
    "http": 80,
    "https": 443,
    "snmp": 161,
    "mqtt": 1883,
    "mqtts": 8883,
}


def fields_of(transport: Transport) -> tuple[Field, ...]:
    """List the fields of a transport, with the model's own settings as defaults."""
    return tuple(_with_default(field, transport) for field in FORMS[transport.scheme][1])


def title_of(scheme: str) -> str:
    """Return the name of a form of address."""
    return FORMS[scheme][0]


def _with_default(field: Field, transport: Transport) -> Field:
    if field.place == "port":
        usual = transport.port or USUAL_PORTS.get(transport.scheme)
        return replace(field, default=usual, required=usual is None)
    factory = {"baud": transport.baud, "parity": transport.parity.value, "stopbits": transport.stopbits}
    if field.name in factory and factory[field.name] is not None:
        return replace(field, default=factory[field.name])
    return field
