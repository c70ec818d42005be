from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.importers.ptdaemon.ptdaemon_identity import parse_identity

WT210 = (
    "YokogawaWT210,1000,1,1,1,1,0,0,1,version=1.11.1-462c978e-20240907,OS=Windows 8 / Server 2012,mode=power,1,1,1,0,0,"
    "no_cal_date,YOKOGAWA;760401;0;F1.12"
)


def test_analyzer_of_a_published_log(identify_reply: str) -> None:
    identity = parse_identity(identify_reply)
    assert identity is not None
    assert (identity.maker, identity.model, identity.serial) == ("Yokogawa", "WT333E", "C3VD30030E")
    assert identity.driver == "YokogawaWT330E"
    assert identity.daemon_version == "1.9.2-e8c7a49a-20201208"
    assert identity.averaging_s == 1.0
    assert identity.calibration_date is None


def test_order_number_becomes_a_model_and_serial_zero_is_none() -> None:
    identity = parse_identity(WT210)
    assert identity is not None
    assert identity.model == "WT210 (760401)"
    assert identity.serial is None


def test_commas_in_the_operating_system_do_not_shift_the_rest() -> None:
    identity = parse_identity(
        WT210.replace("Server 2012", "Server 2012, build 9200, x64").replace("no_cal_date", "2024-02-01")
    )
    assert identity is not None
    assert identity.calibration_date == "2024-02-01"
    assert identity.model == "WT210 (760401)"


@pytest.mark.parametrize(
    "reply", ["", "Hello, PTDaemon here!", "Error: no measurement to stop", WT210.replace("version=", "")]
)
def test_other_replies_are_none(reply: str) -> None:
    assert parse_identity(reply) is None


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), min_size=18, max_size=22))
def test_no_reply_breaks_the_reader(parts: list[str]) -> None:
    parse_identity(",".join(["x", "1000", "version=1", *parts]))
