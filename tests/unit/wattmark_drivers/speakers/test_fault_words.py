"""Faults as they are written on a command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.fault_words import fault_forms, parse_fault
from wattmark_drivers.speakers.faults import Delay, Drop, ExceptionCode, Unplug, WrongChecksum, WrongValue


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("drop", Drop(kind="drop")),
        ("drop*3", Drop(kind="drop", count=3)),
        ("delay=2", Delay(kind="delay", seconds=2)),
        ("delay=0.5*10", Delay(kind="delay", seconds=0.5, count=10)),
        ("exception=6", ExceptionCode(kind="exception", code=6)),
        ("wrong-crc", WrongChecksum(kind="wrong-checksum")),
        ("wrong-value=power:1e9", WrongValue(kind="wrong-value", channel="power", value=1e9)),
        ("wrong-value=power", WrongValue(kind="wrong-value", channel="power")),
        ("unplug=3", Unplug(kind="unplug", seconds=3)),
    ],
)
def test_a_written_fault_is_that_fault(text: str, fault: object) -> None:
    assert parse_fault(text) == fault


@pytest.mark.parametrize("text", ["", "explode", "delay", "delay=-1", "delay=x", "drop=1", "drop*0", "exception=9"])
def test_what_is_no_fault_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_fault(text)
    assert "delay=SECONDS" in caught.value.remedy


def test_the_forms_name_what_each_kind_takes() -> None:
    assert {"drop", "delay=SECONDS", "exception=CODE", "wrong-value=CHANNEL:VALUE"} <= set(fault_forms())


@given(st.text(max_size=30))
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        kind = parse_fault(text).kind
    except ConfigurationError as refusal:
        kind = refusal.remedy
    assert kind
