"""The sensors of a BMC, and the files that describe them to ipmi_sim and sdrcomp."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Face

LONGEST_NAME, LONGEST_FIELD = 16, 63
"""Of a sensor or controller (IPMI 2.0, 43.1) and of a field of the inventory [characters]."""
RAW_MAXIMUM = 255
"""Sensor readings are 8 bits wide (IPMI 2.0, 35.14); the value is the raw number times the step."""
ROUND_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
"""Steps of a sensor within a decade: none is more than a third above the least that would reach, and all are short."""
SERVER_POWER = "Pwr Consumption"
"""The name of a server's power that most readers of BMCs know."""
USUAL_MOST_W = 3680.0
"""Most that a meter without a known range is taken to show: 16 A at 230 V [W]."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """One threshold sensor whose value ipmi_sim polls from a file."""

    number: int
    name: str
    entity: str
    entity_instance: int
    type_name: str
    type_code: int
    unit: str
    multiplier: int = 1
    exponent: int = 0
    """The value is the raw number times the multiplier, times ten to this power (IPMI 2.0, 36.3: M and R exponent)."""

    @property
    def file_name(self) -> str:
        """Return the file that holds its raw number."""
        return f"sensor{self.number}.val"

    @property
    def step(self) -> float:
        """Return how far two raw numbers are apart [its unit]."""
        return self.multiplier * 10.0**self.exponent

    @property
    def most(self) -> float:
        """Return the greatest value that it can show [its unit]."""
        return RAW_MAXIMUM * self.step

    def raw(self, value: float) -> int:
        """Return the raw number nearest to a value; beyond its range it sticks at the end, as real ones do."""
        return round(max(0.0, min(value, self.most)) / self.step)

    def shows(self, value: float) -> bool:
        """Return whether it can show a value without sticking at an end."""
        return 0 <= value <= self.most

    def scanning(self, value: float | None) -> str:
        """Write the commands that let it show a value, or none at all: its scanning is off (IPMI 2.0, 35.14).

        What ipmi_sim polls it takes over within 100 ms; the value set here fills that time.
        """
        word = "no-scanning" if value is None else "scanning"
        nothing = " ".join(["0" * 15] * 4)
        support = f"sensor_set_event_support 0x20 0 {self.number} enable {word} none {nothing}\n"
        if value is None:
            return support
        return f"sensor_set_value 0x20 0 {self.number} {self.raw(value)} 0\n{support}"


def watt_step(largest_w: float) -> int:
    """Choose the step [W] with which an 8-bit sensor of a server reaches ``largest_w`` [W], as makers of BMCs do."""
    step = 1
    while RAW_MAXIMUM * step < largest_w:
        step *= 2
    return step


def finest_step(largest: float) -> tuple[int, int]:
    """Choose multiplier and exponent of the finest round step with which an 8-bit sensor reaches ``largest``."""
    exponent = math.floor(math.log10(largest / RAW_MAXIMUM))
    tenths = next(
        (round(10 * step) for step in ROUND_STEPS if step * 10.0**exponent * RAW_MAXIMUM >= largest),
        100,
    )
    return (tenths // 10, exponent) if tenths % 10 == 0 else (tenths, exponent - 1)


def chassis_sensors(psu_count: int, largest_w: float) -> tuple[Sensor, ...]:
    """List the sensors of a chassis: inlet and CPU temperature, two fans, each PSU's input power, total power."""
    fixed = (
        Sensor(1, "Inlet Temp", "external_environment", 1, "Temperature", 0x01, "degrees_C"),
        Sensor(2, "CPU1 Temp", "processor", 1, "Temperature", 0x01, "degrees_C"),
        Sensor(3, "FAN1", "fan_cooling_device", 1, "Fan", 0x04, "RPM", 60),
        Sensor(4, "FAN2", "fan_cooling_device", 2, "Fan", 0x04, "RPM", 60),
        _power_sensor(5, SERVER_POWER, "system_board", 1, watt_step(largest_w)),
    )
    supplies = (
        _power_sensor(5 + n, f"PSU{n} Input Power", "power_supply", n, watt_step(largest_w))
        for n in range(1, psu_count + 1)
    )
    return (*fixed, *supplies)


def meter_sensors(largest_w: float) -> tuple[Sensor, ...]:
    """List the sensors of a meter: its power under the name that most readers of BMCs know, and its voltage."""
    return (
        _power_sensor(1, SERVER_POWER, "system_board", 1, *finest_step(largest_w)),
        Sensor(2, "Input Voltage", "system_board", 1, "Voltage", 0x02, "Volts", 2),
    )


def _power_sensor(number: int, name: str, entity: str, instance: int, multiplier: int, exponent: int = 0) -> Sensor:
    """Describe a sensor of a power; IPMI has no type of its own for it."""
    return Sensor(number, name, entity, instance, "Other_Units_Based_Sensor", 0x0B, "Watts", multiplier, exponent)


def emulator_commands(sensors: Sequence[Sensor], face: Face | None = None) -> str:
    """Write the command file of ipmi_sim(5): one BMC, its sensors polled from their files every 100 ms.

    None of them has a reading until it is told to scan.
    """
    fru = fru_data(face)
    lines = [
        "mc_setbmc 0x20",
        "mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr",
        "sel_enable 0x20 100 0x0a",
        f"mc_add_fru_data 0x20 0 {len(fru)} data {' '.join(f'0x{byte:02x}' for byte in fru)}",
    ]
    for sensor in sensors:
        poll = f'poll 100 file "{sensor.file_name}"'
        lines.append(f"sensor_add 0x20 0 {sensor.number} 0x{sensor.type_code:02x} 0x01 {poll}")
        lines.append(sensor.scanning(None).rstrip())
    return "\n".join([*lines, "mc_enable 0x20", ""])


def sdr_source(sensors: Sequence[Sensor], face: Face | None = None) -> str:
    """Write the sensor data records in the language of sdrcomp(8)."""
    name = f"{SIMULATOR_MARK} BMC" if face is None else plain(face.marked(face.maker))[:LONGEST_NAME]
    return "\n".join([_controller(name), *(_sensor_record(sensor) for sensor in sensors)])


def fru_data(face: Face | None = None) -> bytes:
    """Pack the FRU inventory: a product area (IPMI FRU specification 1.0, 8 and 12).

    It says who the face is; without one, its serial number is the mark.
    """
    fields = ["wattmark", "Simulated server", "", "", SIMULATOR_MARK, "", ""]
    if face is not None:
        texts = (face.maker, face.model, "", face.firmware, face.marked(face.serial), "", "")
        # A field of one character would look like the end of the fields.
        fields = [text.ljust(2) if text else "" for text in (plain(text)[:LONGEST_FIELD] for text in texts)]
    body = bytes([1, 0, 0]) + b"".join(bytes([0xC0 | len(text)]) + text.encode("ascii") for text in fields) + b"\xc1"
    blocks = -(-(len(body) + 1) // 8)
    body = (bytes([1, blocks]) + body[2:]).ljust(8 * blocks - 1, b"\0")
    header = bytes([1, 0, 0, 0, 1, 0, 0])
    return header + _checksum(header) + body + _checksum(body)


def plain(text: str) -> str:
    """Write a text in the characters that the files of ipmi_sim and the records of a BMC have room for."""
    return "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "?" for letter in text
    )


def _checksum(data: bytes) -> bytes:
    return bytes([-sum(data) & 0xFF])


def _controller(name: str) -> str:
    return f"""sdr type 18
    device_slave_address 0x20
    device_channel_number 0
    chassis true
    fru_inventory true
    sel true
    sdr true
    sensor true
    entity_id system_board
    entity_instance 1
    id_string "{name}"
endsdr
"""


def _sensor_record(sensor: Sensor) -> str:
    return f"""sdr type 1
    sensor_owner_id 0x20
    sensor_owner_lun 0
    channel_number 0
    sensor_number {sensor.number}
    entity_id {sensor.entity}
    entity_instance {sensor.entity_instance}
    sensor_type {sensor.type_name}
    init_scanning true
    init_sensor_type true
    default_sensor_scan_on true
    event_reading_type_code 1
    analog_data_format unsigned
    rate_unit none
    modifier_unit none
    percentage false
    base_unit {sensor.unit}
    modifier_unit_code unspecified
    linearization linear
    m {sensor.multiplier}
    tolerance 0
    b 0
    accuracy 1
    accuracy_exp 0
    sensor_direction input
    r_exp {sensor.exponent}
    b_exp 0
    sensor_maximum {RAW_MAXIMUM}
    sensor_minimum 0
    id_string "{sensor.name}"
endsdr
"""
