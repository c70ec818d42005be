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
from wattmark_drivers.http_client.origin import Origin
from wattmark_drivers.ipmi.address import IpmiAddress
from wattmark_drivers.modbus.address import RtuAddress, RtuTcpAddress, TcpAddress
from wattmark_drivers.plugs.address import PlugAddress
from wattmark_drivers.redfish.address import RedfishAddress
from wattmark_drivers.snmp.address import SnmpAddress

SDM, WATTSUP, BMC = "eastron.sdm120", "wattsup.pro", "ipmi.bmc"
HTTPS = Origin("https", "bmc7", 443)
PLUG, PDU, REDFISH = "shelly.pro4pm", "apc.rpdu2outlet", "redfish.bmc"


@pytest.mark.parametrize(
    ("model", "url", "expected"),
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
        (PLUG, "http://plug7", PlugAddress(Origin("http", "plug7", 80))),
        (PLUG, "http://10.0.0.9:8080/3", PlugAddress(Origin("http", "10.0.0.9", 8080), 3)),
        (PDU, "snmp://pdu1", SnmpAddress("pdu1", 161)),
        (PDU, "snmp://10.0.0.3:1161/24?version=2c", SnmpAddress("10.0.0.3", 1161, 24, "2c")),
        (
            PDU,
            "snmp://[fe80::1]/2?version=3&auth=SHA256&privacy=AES256&context=a",
            SnmpAddress("fe80::1", 161, 2, "3", "SHA256", "AES256", "a"),
        ),
        (REDFISH, "redfish://bmc7", RedfishAddress(HTTPS)),
        (
            REDFISH,
            "redfish://bmc7:8443/1U?tls=insecure",
            RedfishAddress(Origin("https", "bmc7", 8443, "insecure"), "1U"),
        ),
        (
            REDFISH,
            "redfish://bmc7?tls=legacy&ca=/old.pem",
            RedfishAddress(Origin("https", "bmc7", 443, "legacy", "/old.pem")),
        ),
        (REDFISH, "redfish://bmc7/1?sensor=total_power", RedfishAddress(HTTPS, "1", None, "total_power")),
        (REDFISH, "redfish://bmc7?wait_s=90", RedfishAddress(HTTPS, wait_s=90)),
        (REDFISH, "redfish+http://bmc7/1?login=basic", RedfishAddress(Origin("http", "bmc7", 80), "1", "basic")),
    ],
)
def test_good_addresses(model, url, expected):
    address, transport = parse_address(url, load_catalogue()[model])
    assert address == expected
    assert transport.scheme == url.split(":")[0]


@pytest.mark.parametrize(
    ("model", "url", "complaint"),
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
        (PLUG, "http://plug7/one", "output one"),
        (PLUG, "http://plug7/0?tls=insecure", "asks for TLS"),
        (PLUG, "http://plug7/0?user=admin", "unknown part user"),
        (PLUG, "http://admin:joker@plug7/0", "contains a user or password"),
        (PLUG, "https://plug7/0", "scheme https"),
        (PDU, "snmp://pdu1/0", "number 0"),
        (PDU, "snmp://pdu1/all", "number all"),
        (PDU, "snmp://pdu1?version=1", "version 1"),
        (PDU, "snmp://pdu1?version=2c&auth=SHA", "version 2c, which has no"),
        (PDU, "snmp://pdu1?auth=pass-word", "unknown authentication; known are MD5"),
        (PDU, "snmp://pdu1?privacy=pass-word", "unknown privacy; known are none"),
        (PDU, "snmp://pdu1?community=public", "unknown part community"),
        (PDU, "snmp://public@pdu1", "contains a user or password"),
        (REDFISH, "redfish://bmc7/1?tls=off", "tls=off"),
        (REDFISH, "redfish+http://bmc7/1?tls=insecure", "asks for TLS"),
        (REDFISH, "redfish://bmc7?tls=insecure&ca=/x", "would ignore"),
        (REDFISH, "redfish://bmc7?login=digest", "login=digest"),
        (REDFISH, "redfish://bmc7/1?sensor=a/b", "sensor that is neither an id nor a name"),
        (REDFISH, "redfish://bmc7?wait_s=0", "waiting time 0"),
        (REDFISH, "redfish://bmc7/a/b", "chassis that is not an id"),
        (REDFISH, "redfish://root:calvin@bmc7", "contains a user or password"),
        (REDFISH, "redfish:///1", "no host"),
        (REDFISH, "redfish://[::1]/a%20b?ca=/etc/ca.pem", "chassis that is not an id"),
    ],
)
def test_bad_addresses_say_what_and_show_the_form(model, url, complaint):
    with pytest.raises(ConfigurationError) as caught:
        parse_address(url, load_catalogue()[model])
    assert complaint in caught.value.cause
    assert "://" in caught.value.remedy
    assert "\n" not in str(caught.value)
    assert not any(secret in str(caught.value) for secret in ("joker", "pass-word", "calvin"))


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(ConfigurationError) as caught:
        parse_address("ipmi://admin:hunter2@bmc7", load_catalogue()[BMC])
    assert "hunter2" not in str(caught.value)
    assert "admin" not in str(caught.value)


ANY_TEXT = {
    (SDM, WATTSUP, BMC): st.text(max_size=60)
    | st.from_regex(r"(modbus-(tcp|rtu|rtu-tcp)|serial|ipmi)://\S{0,40}", fullmatch=True),
    (PLUG,): st.from_regex(r"https?://\S{0,40}", fullmatch=True),
    (PDU,): st.from_regex(r"snmp://\S{0,40}", fullmatch=True),
    (REDFISH,): st.from_regex(r"redfish(\+http)?://\S{0,40}", fullmatch=True),
}


@pytest.mark.parametrize("models", ANY_TEXT)
@given(st.data())
def test_any_text_is_an_address_or_a_configuration_error(models, data):
    url = data.draw(ANY_TEXT[models])
    for model in models:
        with contextlib.suppress(ConfigurationError):
            parse_address(url, load_catalogue()[model])
