"""Every parser of bytes or text in the drivers as a function of bytes that fails only when a promise is broken.

The promises: a parser raises its own errors and no other; a number that is given out is finite or marked invalid; a
value that may be used lies within its declared limits.
"""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

from wattmark_drivers.ascii.packets import Packet, PacketBuffer
from wattmark_drivers.ascii.wattsup_record import decode_record
from wattmark_drivers.catalogue import Declaration, load_catalogue
from wattmark_drivers.catalogue.http_map import HttpMap
from wattmark_drivers.catalogue.ipmi_map import IpmiMap
from wattmark_drivers.catalogue.kasa_map import KasaMap
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.catalogue.redfish_map import RedfishMap, RedfishResource
from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.snmp_map import SnmpMap, numbered
from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.clock import Stamp
from wattmark_drivers.energy_counter import EnergyCounter
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.http_client.json_body import Json, parse_json
from wattmark_drivers.ipmi.dcmi import parse_dcmi_power, parse_raw
from wattmark_drivers.ipmi.sdr import parse_sensor_list
from wattmark_drivers.ipmi.sensor_channels import find_server_power, sensor_channels
from wattmark_drivers.ipmi.shell import explain_refusal
from wattmark_drivers.kasa import values as kasa_values
from wattmark_drivers.meter_url import parse_meter_url
from wattmark_drivers.modbus.frames import OutOfStepError, RtuFraming, TcpFraming
from wattmark_drivers.modbus.layout import Layout, lay_out
from wattmark_drivers.mqtt import values as mqtt_values
from wattmark_drivers.plugs import values as plug_values
from wattmark_drivers.powersensor.stream import TOP_LEVEL, SampleBuffer, mean_of_pair, parse_setup
from wattmark_drivers.reading import Quality
from wattmark_drivers.redfish import labels as redfish_labels
from wattmark_drivers.redfish import values as redfish_values
from wattmark_drivers.redfish.labels import describe
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.supplies import SupplyCheck
from wattmark_drivers.replay.log_file import LogFile, Moment
from wattmark_drivers.replay.log_format import format_rows, parse_head, parse_row
from wattmark_drivers.scpi.answer import AnswerPlace, decode
from wattmark_drivers.scpi.framing import Frames
from wattmark_drivers.snmp.decode import constants, find_channel
from wattmark_drivers.sysfs.attribute import parse_integer

Target = Callable[[bytes], None]
READ_BLOCK = b"\x04\x00\x00\x00\x10"


def wattsup_stream(data: bytes) -> None:
    """Cut a stream into packets at two different places and decode the records."""
    whole = PacketBuffer().feed(data)
    halves = PacketBuffer()
    cut = [*halves.feed(data[: len(data) // 2]), *halves.feed(data[len(data) // 2 :])]
    packets = [item for item in whole if isinstance(item, Packet)]
    assert packets == [item for item in cut if isinstance(item, Packet)]
    table = model("wattsup.pro").protocol
    assert isinstance(table, WattsUpMap)
    for packet in packets:
        with contextlib.suppress(BadReply):
            for item in decode_record(table.fields, table.header, packet.arguments):
                _promise(item.value, item.quality, item.field.limits)


def ipmi_dcmi(data: bytes) -> None:
    """Parse what `ipmitool raw` prints, as power and as bytes."""
    text = data.decode("utf-8", "replace")
    with contextlib.suppress(BadReply):
        assert 0 <= parse_dcmi_power(text).present_w <= 0xFFFF
    with contextlib.suppress(BadReply):
        parse_raw(text)


def ipmi_sensors(data: bytes) -> None:
    """Parse a list of sensors and choose channels."""
    table = model("ipmi.bmc").protocol
    assert isinstance(table, IpmiMap)
    rows = parse_sensor_list(data.decode("utf-8", "replace"))
    server = find_server_power(rows, table.server_power)
    channels = list(sensor_channels(rows, table.sensor_units, server=server).values())
    assert len({channel.id for channel in channels}) == len(channels)
    for row in rows:
        assert row.value is None or math.isfinite(row.value)


def ipmi_refusal(data: bytes) -> None:
    """Say why there is no session: one line, with a remedy."""
    error = explain_refusal(data.decode("utf-8", "replace"), "bmc:623", 3, "USER")
    assert error.remedy
    assert len(str(error)) < 1000


def modbus_frames(data: bytes) -> None:
    """Find the answer to a request in whatever comes, on TCP and on a serial line."""
    for framing in (TcpFraming(), RtuFraming()):
        framing.wrap(1, READ_BLOCK)
        with contextlib.suppress(OutOfStepError):
            for start in range(0, len(data), 7):
                frame = framing.feed(data[start : start + 7])
                if frame is not None:
                    assert len(frame) >= 2
                    break


def modbus_layouts(data: bytes) -> None:
    """Decode the same bytes as every block of every Modbus model."""
    for layout in _layouts():
        size = layout.unpacker.size if layout.order is None else 2 * (max(layout.order) + 1)
        block = (data * (size // max(len(data), 1) + 1))[:size].ljust(size, b"\0")
        for field, (value, quality) in zip(layout.fields, layout.decode(block), strict=True):
            _promise(value, quality, field.register.limits)


def scpi_answers(data: bytes) -> None:
    """Decode an answer as every query of every bench analyser, and cut messages out of the bytes."""
    for declaration in load_catalogue().values():
        table = declaration.protocol
        if isinstance(table, ScpiMap):
            for query in table.queries:
                places = [
                    AnswerPlace(field, field.item, number if field.index is None else field.index)
                    for number, field in enumerate(query.answered)
                ]
                with contextlib.suppress(BadReply):
                    for item in decode(table, query, places, data):
                        _promise(item.value, item.quality, item.field.limits)
    for block in (False, True):
        frames = Frames(b"\n")
        with contextlib.suppress(BadReply):
            frames.feed(data)
        while frames.take(block=block) is not None:
            pass


def json_answers(data: bytes) -> None:
    """Read a body as an answer of every plug, by HTTP, by MQTT and of TP-Link, and every Redfish resource."""
    try:
        document = parse_json(data, "it")
    except BadReply:
        return
    for declaration in load_catalogue().values():
        table = declaration.protocol
        if isinstance(table, HttpMap):
            for request in table.requests:
                plug_values.is_for(request, document, 0)
                for measured in plug_values.values_of(request, document, 1, 0):
                    _promise(measured.value, measured.quality, measured.declared.limits)
        elif isinstance(table, KasaMap):
            _tp_link(table, document)
        elif isinstance(table, MqttMap):
            _mqtt(table, data, document)
        elif isinstance(table, RedfishMap):
            _redfish(table, document)


def _tp_link(table: KasaMap, document: Json) -> None:
    """Read the identity and every place of every channel, whether the plug was opened with it or not."""
    kasa_values.who_is(table.dialect, document)
    kasa_values.child_id(document, 1)
    places = kasa_values.find_places(table, document)
    for item in table.values:
        for place in [*item.places, *filter(None, [places.get(item.channel)])]:
            _promise(*kasa_values.value_at(item, place, document), item.limits)


def _redfish(table: RedfishMap, document: Json) -> None:
    """Read the values of every resource, and add those of the supplies."""
    for resource in table.resources:
        redfish_values.applies(resource, document)
        values = redfish_values.unique(redfish_values.values_of(resource, document, "1"), set())
        for value in values:
            _promise(value.value, value.quality, value.declared.limits)
        _supplies(resource, document, values)


def _mqtt(table: MqttMap, data: bytes, document: Json) -> None:
    """Read a payload as values, as who the device is, and as whether it is there."""
    for measured in plug_values.values_of(table.reads, document, 1, 0):
        _promise(measured.value, measured.quality, measured.declared.limits)
    for identity in table.identity:
        with contextlib.suppress(ConfigurationError):
            mqtt_values.who_is(identity, document, "plug", "power")
    for availability in table.availability:
        mqtt_values.is_offline(availability, data)


def _supplies(resource: RedfishResource, document: Json, values: list[redfish_values.Value]) -> None:
    """Add the values, judge them as those of supplies, and describe them."""
    check = SupplyCheck()
    check.observe(values)
    where = Resource("/redfish/v1/Chassis/1", document, Stamp(0, 0), False)
    totals = [total for differed in (False, True) for total in redfish_values.total_of(values, differed=differed)]
    for value in [*values, *totals]:
        if value.quality.usable:
            assert math.isfinite(value.value), value
        if check.judge(value, 100.0):
            assert value.value > 0, value
        assert describe(value, resource, [where], 1, ["HSC"])
    redfish_labels.doubt_about(values)


def snmp_answers(data: bytes) -> None:
    """Take the bytes as the numbers that every object of every PDU gives."""
    numbers = [int.from_bytes(data[start : start + 5], signed=True) for start in range(0, len(data), 5)] or [0]
    for declaration in load_catalogue().values():
        table = declaration.protocol
        for value in table.measured if isinstance(table, SnmpMap) else ():
            asked = [*constants(value, 1), *(numbered(oid, 1) for oid in value.polled)]
            objects = {oid: numbers[place % len(numbers)] for place, oid in enumerate(asked)}
            with contextlib.suppress(BadReply, ConfigurationError):
                channel = find_channel(value, 1, objects)
                if channel is not None:
                    number, quality, _ = channel.decode(objects)
                    _promise(number, quality, value.limits)


def sysfs_attribute(data: bytes) -> None:
    """Parse attributes and follow them as a counter."""
    counter = EnergyCounter(modulus_uj=262_143_328_911, largest_power_w=1000, shortest_s=0.05)
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines()):
        with contextlib.suppress(ValueError):
            step = counter.add(parse_integer(line), number * 10**9)
            assert step.mean_w is None or 0 <= step.mean_w <= 1000


def powersensor_stream(data: bytes) -> None:
    """Cut the bytes into samples in one piece and in many, and read a set-up from them."""
    pieces, whole = SampleBuffer(), SampleBuffer().feed(data)
    blocks = [pieces.feed(data[start : start + 5]) for start in range(0, len(data), 5)]
    rows = [row for block in blocks for row in block.tolist()]
    assert rows == whole.tolist()
    assert all(0 <= level <= TOP_LEVEL for row in rows for level in row)
    setups = []
    with contextlib.suppress(BadReply):
        setups = [parse_setup(data[:41].ljust(41, b"\0")), parse_setup(data[-41:].rjust(41, b"\0"))]
    if len(setups) == 2 and all(setup.in_use for setup in setups) and len(whole):
        means = mean_of_pair(setups[0], setups[1], whole, 0)
        assert math.isfinite(means.power_w)


def replay_log(data: bytes) -> None:
    """Read a whole log."""
    file = io.StringIO(data.decode("utf-8", "replace"), newline="")
    try:
        head, lines = parse_head(iter(file.readline, ""))
    except ValueError:
        return
    latest_ns = -1
    channels = {channel.id: channel for channel in head.channels}
    for moment in LogFile(Path("log"), head, channels, file, lines).moments():
        if isinstance(moment, Moment):
            assert moment.t_ns > latest_ns or moment.t_ns == latest_ns
            latest_ns = moment.t_ns
            for row in moment.rows:
                _promise(row.value, row.quality, None)
                again = parse_row(
                    format_rows(channels[row.channel], [row.t_ns], [row.value], [int(row.quality)])[0], channels
                )
                assert again == row or math.isnan(row.value)


def meter_urls(data: bytes) -> None:
    """Read an address as a person may type it."""
    with contextlib.suppress(ConfigurationError):
        parse_meter_url(data.decode("utf-8", "replace"))


def _promise(value: float, quality: Quality, limits: tuple[float, float] | None) -> None:
    assert math.isfinite(value) or quality & Quality.INVALID
    if quality.usable and limits is not None:
        assert limits[0] <= value <= limits[1]


def model(name: str) -> Declaration:
    """Take a declaration."""
    return load_catalogue()[name]


@cache
def _layouts() -> tuple[Layout, ...]:
    tables = [declaration.protocol for declaration in load_catalogue().values()]
    return tuple(
        lay_out(block, table.registers, table.word_order)
        for table in tables
        if isinstance(table, ModbusMap)
        for block in table.blocks
    )


TARGETS: dict[str, Target] = {
    target.__name__.replace("_", "-"): target
    for target in (
        wattsup_stream, ipmi_dcmi, ipmi_sensors, ipmi_refusal, modbus_frames, modbus_layouts, scpi_answers,
        json_answers, snmp_answers, sysfs_attribute, powersensor_stream, replay_log, meter_urls,
    )
}  # fmt: skip
SEEDS: dict[str, tuple[bytes, ...]] = {
    "wattsup-stream": (
        b"#d,-,18,3123,2301,1389,12345,0,0,0,3200,2330,1400,3000,2280,1300,97,100,5,500,3196;",
        b"#h,-,18,W,V,A,WH,Cost,WH/Mo,Cost/Mo,Wmax,Vmax,Amax,Wmin,Vmin,Amin,PF,DC,PC,Hz,VA;",
    ),
    "ipmi-dcmi": (b" dc 6f 02 6f 02 6f 02 6f 02 b1 91 00 6b f8 18 03\n 00 40\n",),
    "ipmi-sensors": (
        b"Inlet Temp       | 01h | ok  | 39.1 | 24 degrees C\nPSU1 Input Power | 05h | ok  | 10.1 | 312 Watts\n",
        b"Pwr Consumption  | 08h | ok  |  7.1 | 616 Watts\nNVMe Temp        | 0Ah | ns  |  4.1 | No Reading\n",
    ),
    "ipmi-refusal": (b"Error: Unable to establish IPMI v2 / RMCP+ session\n", b"> RAKP 2 HMAC is invalid\n"),
    "modbus-frames": (
        b"\x00\x01\x00\x00\x00\x05\x01\x04\x02\x01\x02", b"\x01\x04\x02\x01\x02\x39\x61", b"\x01\x84\x02\xc2\xc1",
    ),
    "modbus-layouts": (b"\x43\x66\x80\x00" * 8, b"\x7f\xff\xff\xff", b"\x7f\xc0\x00\x00"),
    "scpi-answers": (
        b"230.12E+00,1.532E+00,312.25E+00,352.5E+00,NAN,INF,9.91E+37,0.886", b"#18\x43\x66\x80\x00\x43\x66\x80\x00",
    ),
    "json-answers": (
        b'{"apower":312.5,"voltage":230.1,"current":1.5,"freq":50,"aenergy":{"total":12.5},"errors":["overpower"]}',
        b'{"PowerWatts":{"Reading":374},"Status":{"State":"Enabled"},"PowerControl":[{"PowerConsumedWatts":344}]}',
        b'{"PowerSupplies":[{"MemberId":"0","PowerInputWatts":"900"},{"MemberId":"1","PowerInputWatts":900.5}]}',
        b'{"PowerControl":[{"PowerMetrics":{"AverageConsumedWatts":148,"IntervalInMin":0.08333}}],"Name":"Node"}',
        b'{"PowerDetail":[{"Average":98,"Time":"2022-04-14T16:33:49Z"},{"Average":97,"Time":"2022-04-14T16:53:48Z"}]}',
        b'{"Reading":747,"ReadingUnits":"W","Name":"Node","PhysicalContext":"Rectifier","PhysicalSubContext":"Input"}',
        b'{"emeter":{"get_realtime":{"current_ma":451,"err_code":0,"power_mw":61753,"total_wh":16323,"voltage_mv":1}}}',
        b'{"get_emeter_data":{"power_mw":1003},"get_energy_usage":{"current_power":1003},"get_device_info":{"mac":"1"}}',
        b'{"StatusSNS":{"ENERGY":{"Power":12,"Voltage":230,"Current":0.1,"Factor":0.5,"Total":1.2}}}',
    ),
    "snmp-answers": (b"\x00\x00\x00\x01\x02\x00\x00\x00\x00\x01", b"\xff\xff\xff\xff\xff", b"\x00" * 10),
    "sysfs-attribute": (b"262143328850\n", b"65997277274\n66097277274\n12\n"),
    "powersensor-stream": (
        b"\xf3\x65\x88\x00\x9b\x28\xaf\x3f\xb0\x00\xc0\x05\xd1\x00\xe0\x3f\xff\x28" * 3,
        b"MLX 20A\0\0\0\0\0\0\0\0\0PCIe 12V\0\0\0\0\0\0\0\0\x33\x33\xd3\x3f\x8f\xc2\x75\x3d\x01",
    ),
    "replay-log": (
        b"# wattmark log 1\n# source,x\n# channel,power,power,W,averaged,0.1,True power\n"
        b"t_ns,channel,quantity,unit,value,quality\n1615885514265000000,power,power,W,431.0,0\n"
        b"1615885515281000000,power,power,W,nan,1\n",
    ),
    "meter-urls": (
        b"modbus-tcp://host:502/1?model=eastron.sdm630", b"serial:///dev/ttyUSB0?model=wattsup.pro&baud=115200",
        b"ipmi://host:623?cipher=3&privilege=USER", b"replay:///a.csv?speed=2&loop=1", b"nvml://0", b"nvml:///GPU-",
        b"hwmon:///sys/class/hwmon?name=power_meter&period_s=2", b"amdgpu:///sys/class/hwmon?slot=0000:c1:00.0",
        b"redfish://host/1?model=redfish.bmc&sensor=total_power&tls=legacy",
    ),
}  # fmt: skip
"""What each parser is made for, as a start for the search."""
