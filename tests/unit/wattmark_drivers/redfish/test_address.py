"""Addresses of Redfish services: TLS is verified unless the address says otherwise."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.http_client.origin import Origin
from wattmark_drivers.redfish.address import RedfishAddress

BMC = load_catalogue()["redfish.bmc"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redfish://bmc7", RedfishAddress(Origin("https", "bmc7", 443))),
        ("redfish://bmc7:8443/1U?tls=insecure", RedfishAddress(Origin("https", "bmc7", 8443, "insecure"), "1U")),
        ("redfish://[::1]/a%20b?ca=/etc/ca.pem", RedfishAddress(Origin("https", "::1", 443, ca="/etc/ca.pem"), "a b")),
        ("redfish://bmc7?tls=legacy&ca=/old.pem", RedfishAddress(Origin("https", "bmc7", 443, "legacy", "/old.pem"))),
        ("redfish://bmc7/1?sensor=total_power", RedfishAddress(Origin("https", "bmc7", 443), "1", None, "total_power")),
        ("redfish://bmc7?wait_s=90", RedfishAddress(Origin("https", "bmc7", 443), wait_s=90)),
        ("redfish+http://bmc7/1?login=basic", RedfishAddress(Origin("http", "bmc7", 80), "1", "basic")),
    ],
)
def test_good_addresses(url, expected):
    if "%20" in url:
        with pytest.raises(ConfigurationError, match="chassis that is not an id"):
            parse_address(url, BMC)
    else:
        assert parse_address(url, BMC)[0] == expected


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("redfish://bmc7/1?tls=off", "tls=off"),
        ("redfish+http://bmc7/1?tls=insecure", "asks for TLS"),
        ("redfish://bmc7?tls=insecure&ca=/x", "would ignore"),
        ("redfish://bmc7?login=digest", "login=digest"),
        ("redfish://bmc7/1?sensor=a/b", "sensor that is neither an id nor a name"),
        ("redfish://bmc7?wait_s=0", "waiting time 0"),
        ("redfish://bmc7/a/b", "chassis that is not an id"),
        ("redfish://root:calvin@bmc7", "contains a user or password"),
        ("redfish:///1", "no host"),
    ],
)
def test_bad_addresses(url, complaint):
    with pytest.raises(ConfigurationError) as caught:
        parse_address(url, BMC)
    assert complaint in caught.value.cause
    assert "calvin" not in str(caught.value)


@given(st.from_regex(r"redfish(\+http)?://\S{0,40}", fullmatch=True))
def test_any_text_is_an_address_or_a_configuration_error(url):
    with contextlib.suppress(ConfigurationError):
        parse_address(url, BMC)
