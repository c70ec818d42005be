"""Addresses are checked; errors show the allowed form and no secret."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.address import parse_address
from wattmark_drivers.ascii.address import SerialAddress
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.ipmi.address import IpmiAddress
from wattmark_drivers.modbus.address import RtuAddress, RtuTcpAddress, TcpAddress

SDM = load_catalogue()["eastron.sdm120"]
WATTSUP = load_catalogue()["wattsup.pro"]
BMC = load_catalogue()["ipmi.bmc"]


@pytest.mark.parametrize(
    ("declaration", "url", "expected"),
    [
        (SDM, "modbus-tcp://10.0.0.5:1502/7", TcpAddress("10.0.0.5", 1502, 7)),
        (SDM, "modbus-tcp://gateway", TcpAddress("gateway", 502, 1)),
        (SDM, "modbus-tcp://[::1]:502/2", TcpAddress("::1", 502, 2)),
        (SDM, "modbus-rtu-tcp://10.0.0.5:4196/7", RtuTcpAddress("10.0.0.5", 4196, 7, 2400, "N", 1)),
        (SDM, "modbus-rtu-tcp://gw:8899?baud=38400&parity=E", RtuTcpAddress("gw", 8899, 1, 38400, "E", 1)),
        (SDM, "modbus-rtu:///dev/ttyUSB0?device=3", RtuAddress("/dev/ttyUSB0", 3, 2400, "N", 1)),
        (SDM, "modbus-rtu:///dev/ttyUSB0?baud=9600&parity=E&stopbits=2", RtuAddress("/dev/ttyUSB0", 1, 9600, "E", 2)),
        (WATTSUP, "serial:///dev/ttyUSB0", SerialAddress("/dev/ttyUSB0", 115200)),
        (WATTSUP, "serial:///dev/ttyUSB0?baud=19200", SerialAddress("/dev/ttyUSB0", 19200)),
        (BMC, "ipmi://bmc7", IpmiAddress("bmc7", 623, None, None)),
        (BMC, "ipmi://bmc7:9001?cipher=17&privilege=OPERATOR", IpmiAddress("bmc7", 9001, 17, "OPERATOR")),
    ],
)
def test_good_addresses(declaration, url, expected):
    address, transport = parse_address(url, declaration)
    assert address == expected
    assert transport.scheme == url.split(":")[0]


@pytest.mark.parametrize(
    ("declaration", "url", "complaint"),
    [
        (SDM, "modbus-tcp://10.0.0.5:502/256", "unit id 256"),
        (SDM, "modbus-tcp://10.0.0.5:502/one", "unit id one"),
        (SDM, "modbus-tcp://10.0.0.5:99999/1", "ort"),
        (SDM, "modbus-tcp:///1", "no host"),
        (SDM, "modbus-rtu://dev/ttyUSB0", "no device file"),
        (SDM, "modbus-rtu:///dev/ttyUSB0?device=248", "unit id 248"),
        (SDM, "modbus-rtu:///dev/ttyUSB0?parity=X", "parity X"),
        (SDM, "modbus-rtu-tcp://10.0.0.5/1", "names no port"),
        (SDM, "modbus-rtu-tcp://10.0.0.5:4196/248", "unit id 248"),
        (SDM, "modbus-tcp://h/1?speed=9600", "unknown part speed"),
        (SDM, "ipmi://h", "scheme ipmi"),
        (SDM, "10.0.0.5", "scheme"),
        (SDM, "", "scheme"),
        (WATTSUP, "serial:///dev/ttyUSB0?baud=fast", "baud rate fast"),
        (BMC, "ipmi://h?privilege=ROOT", "privilege ROOT"),
        (BMC, "ipmi://h?cipher=99", "cipher suite 99"),
        (BMC, "ipmi://-oProxy", "no host"),
    ],
)
def test_bad_addresses_say_what_and_show_the_form(declaration, url, complaint):
    with pytest.raises(ConfigurationError) as caught:
        parse_address(url, declaration)
    assert complaint in caught.value.cause
    assert "://" in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(ConfigurationError) as caught:
        parse_address("ipmi://admin:hunter2@bmc7", BMC)
    assert "hunter2" not in str(caught.value)
    assert "admin" not in str(caught.value)


@given(st.text(max_size=60) | st.from_regex(r"(modbus-(tcp|rtu|rtu-tcp)|serial|ipmi)://\S{0,40}", fullmatch=True))
def test_any_text_is_an_address_or_a_configuration_error(url):
    for declaration in (SDM, WATTSUP, BMC):
        with contextlib.suppress(ConfigurationError):
            parse_address(url, declaration)
