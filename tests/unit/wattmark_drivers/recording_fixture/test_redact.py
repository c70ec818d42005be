"""Nothing that tells whose device it is survives; what a bug report needs does."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.recording_fixture.redact import Redactor, as_text


@pytest.mark.parametrize(
    ("text", "secret", "remaining"),
    [
        ("inet 192.168.17.4 up", "192.168.17.4", "inet <host> up"),
        ("MAC Address : 3c:ec:ef:12:34:56", "3c:ec:ef", "MAC Address : <mac>"),
        ("MAC 3C-EC-EF-12-34-56;", "3C-EC", "MAC <mac>;"),
        ("fe80::3eec:efff:fe12:3456 x", "3eec", " x"),
        ("2001:db8:1:2:3:4:5:6 x", "db8", "<host> x"),
        ("GUID 564d5f1c-0000-1111-2222-0123456789ab", "564d5f1c", "GUID <uuid>"),
        ('{"SerialNumber": "CZ1234", "PowerWatts": 312}', "CZ1234", '"PowerWatts": 312'),
        ('{"hostname":"anna-pc","apower":12.5}', "anna", '"apower":12.5'),
        ('{"FriendlyName":["Anna"],"Power":3}', "Anna", '"Power":3'),
        ('{"token": "a\\"b"}', 'a\\"b', '{"token": "<secret>"}'),
        ("GET /cm?user=admin&password=joshua&cmnd=Status%208", "joshua", "&cmnd=Status%208"),
        ("version 1.2.3.4.5 of firmware 2.11", "\0", "version 1.2.3.4.5 of firmware 2.11"),
        (" dc 6f 02 6f 02 58 02", "\0", " dc 6f 02 6f 02 58 02"),
        ("12:34:56 o'clock", "\0", "12:34:56 o'clock"),
        ("Current Power : 213 Watts", "\0", "Current Power : 213 Watts"),
    ],
)
def test_what_tells_is_taken_out_and_the_rest_stays(text: str, secret: str, remaining: str) -> None:
    redacted = Redactor().text(text)
    assert secret not in redacted
    assert remaining in redacted


def test_a_serial_number_is_taken_out_of_text_and_of_an_identification() -> None:
    redactor = Redactor({"91K225678": "serial"})
    assert redactor.text("YOKOGAWA,WT310E,91K225678,F1.03") == "YOKOGAWA,WT310E,<serial>,F1.03"
    assert redactor.counts == {"serial": 1}


def test_what_a_device_repeats_elsewhere_is_taken_out_there_too() -> None:
    """Shelly, Shelly.GetDeviceInfo: the id ends in the MAC address."""
    answer = '{"id":"shellyplusplugs-a8032ab1c3d4","mac":"A8032AB1C3D4","gen":2}'
    redactor = Redactor()
    redactor.learn_from(answer)
    assert redactor.text(answer) == '{"id":"shellyplusplugs-<mac>","mac":"<mac>","gen":2}'


@given(st.integers(min_value=1 << 16, max_value=(1 << 32) - 1), st.binary(max_size=20), st.binary(max_size=20))
def test_a_serial_number_in_registers_becomes_zeros(serial: int, before: bytes, after: bytes) -> None:
    for packed in (struct.pack(">I", serial), struct.pack(">HH", serial & 0xFFFF, serial >> 16)):
        redactor = Redactor({str(serial): "serial"})
        redacted = redactor.data(before + packed + after)
        assert packed not in redacted
        assert len(redacted) == len(before + packed + after)


@given(st.dictionaries(st.sampled_from(["SerialNumber", "mac", "HostName", "uuid", "password"]), st.text(min_size=1)))
def test_values_of_telling_keys_never_survive(document: dict[str, str]) -> None:
    text = json.dumps({**document, "PowerWatts": 312})
    redacted = json.loads(Redactor().text(text))
    assert redacted["PowerWatts"] == 312
    assert all(redacted[key].startswith("<") for key in document)


@given(st.binary(max_size=60))
def test_no_bytes_break_the_redaction(data: bytes) -> None:
    redactor = Redactor({"abc": "user", "123456789": "serial"})
    text = as_text(data)
    assert redactor.data(data) is not None if text is None else redactor.text(text) is not None
