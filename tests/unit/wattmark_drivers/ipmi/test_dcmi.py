"""DCMI power as ipmitool prints it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.errors import BadReply
from wattmark_drivers.ipmi.dcmi import DcmiPower, parse_asset_tag, parse_dcmi_power

# Printed by ipmitool 1.8.19 for a BMC at 623 W.
PRINTED = " dc 6f 02 6f 02 6f 02 6f 02 b1 91 00 6b f8 18 03\n 00 40\n"


def test_bytes_are_little_endian():
    power = parse_dcmi_power(PRINTED)
    assert power == DcmiPower(623, 0x6B0091B1, most_w=623, active=True)
    assert power.utc_ns == 0x6B0091B1 * 10**9


@pytest.mark.parametrize(
    ("printed", "beyond"),
    [
        # 9000 W beside an own maximum of 400 W over 6.4 s; the same over 1 ms, which is no statistics; a rising load.
        (" dc 28 23 64 00 90 01 c8 00 b1 91 00 6b f8 18 00 00 40", True),
        (" dc 28 23 64 00 90 01 c8 00 b1 91 00 6b 01 00 00 00 40", False),
        (" dc 28 23 00 00 00 00 00 00 b1 91 00 6b f8 18 00 00 40", False),
        (" dc bc 02 64 00 90 01 c8 00 b1 91 00 6b f8 18 00 00 40", False),
    ],
)
def test_power_far_above_the_bmcs_own_maximum_is_told(printed, beyond):
    assert parse_dcmi_power(printed).beyond_most is beyond


def test_a_bmc_that_does_not_measure_says_so():
    assert not parse_dcmi_power(PRINTED.replace(" 40", " 00")).active


def test_bytes_of_the_maker_may_follow():
    """Issue 18, I8."""
    assert parse_dcmi_power(PRINTED + " 00 01") == parse_dcmi_power(PRINTED)


@pytest.mark.parametrize(
    ("stamp", "time_s"), [("00 00 00 00", None), ("ff ff ff ff", None), ("10 0e 00 00", 3600)]
)  # fmt: skip
def test_a_time_that_is_none_or_counts_from_the_start_is_no_date(stamp, time_s):
    """IPMI 2.0, clause 37: 0xFFFFFFFF is unspecified, up to 0x20000000 counts from the start of the controller."""
    power = parse_dcmi_power(PRINTED.replace("b1 91 00 6b", stamp))
    assert (power.time_s, power.utc_ns) == (time_s, None)


@pytest.mark.parametrize(
    "text", ["", "dc 6f", PRINTED * 2, PRINTED.replace("dc", "dd"), "Unable to send RAW command", "é"]
)
def test_anything_else_is_a_bad_reply(text):
    with pytest.raises(BadReply):
        parse_dcmi_power(text)


@given(st.text() | st.binary(max_size=24).map(bytes.hex))
def test_any_text_is_a_reading_or_a_bad_reply(text):
    with contextlib.suppress(BadReply):
        assert parse_dcmi_power(text).present_w >= 0


def test_the_asset_tag_is_what_the_length_says() -> None:
    """DCMI 1.5, table 6-11: group extension, length of the whole tag, the bytes asked for."""
    assert parse_asset_tag(" dc 09 53 49 4d 55 4c 41 54 45 44") == "SIMULATED"
    assert parse_asset_tag("dc 00") == ""
    assert parse_asset_tag("dc 03 41 42 43 00 00") == "ABC"
    for text in ("", "dc", "01 02 03", "zz"):
        with pytest.raises(BadReply):
            parse_asset_tag(text)
