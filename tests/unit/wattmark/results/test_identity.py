"""Identities of meters: what distinguishes two meters, and which runs share one."""

from datetime import date

import pytest
from wattmark.results.meters import identity_note, known_serial, meter_identity
from wattmark.runs.record import ConditionRecord

HERE = {"recorded_by": {"lab": "A", "appliance": "1f", "bench": "2e"}}
MLPERF = {"imported": {"submitter": "Dell", "round": "v1.0"}}


@pytest.mark.parametrize("serial", [None, "", "0", "000000", "N/A", "none", "Unknown", "123456789", "FFFFFFFF", "-"])
def test_defaults_are_no_serial_numbers(meter, serial):
    assert known_serial(meter(serial=serial)) is None
    assert identity_note(meter(serial=serial)).startswith("the meter has no serial number")


def test_a_serial_number_tells_a_meter_wherever_it_stands(record, meter):
    identity = meter_identity(record(disclosure=HERE), meter(name="wall", serial="C2PJ01"))
    moved = {**HERE, "recorded_by": {**HERE["recorded_by"], "bench": "other"}}
    assert identity == meter_identity(record(disclosure=moved), meter(name="left", serial="C2PJ01"))
    assert identity_note(meter(serial="C2PJ01")) == ""


@pytest.mark.parametrize(
    ("run", "of"),
    [
        ({"disclosure": {"recorded_by": {"lab": "A", "appliance": "2f", "bench": "2e"}}}, {}),
        ({"disclosure": {"recorded_by": {"lab": "B", "appliance": "1f", "bench": "2e"}}}, {}),
        ({"disclosure": {"recorded_by": {"lab": "A", "appliance": "1f", "bench": "3e"}}}, {}),
        ({"disclosure": {}, "source": "imported: archive of A"}, {}),
        ({"disclosure": MLPERF}, {}),
        ({}, {"name": "other"}),
        ({}, {"model": "wattsup.net"}),
        ({}, {"conditions": ConditionRecord(calibrated_on=date(2026, 1, 1))}),
    ],
    ids=["appliance", "lab", "bench", "archive", "submitter", "name", "model", "calibration"],
)
def test_without_a_serial_number_everything_else_must_agree(record, meter, run, of):
    base = {"disclosure": HERE}
    assert meter_identity(record(**base), meter()) == meter_identity(record("other", **base), meter())
    assert meter_identity(record(**base), meter()) != meter_identity(record(**{**base, **run}), meter(**of))


@pytest.mark.parametrize("serial", [None, "C2PJ01"])
def test_no_meter_is_in_two_submissions(record, meter, serial):
    rounds = [
        meter_identity(record(disclosure={"imported": {"submitter": submitter, "round": of}}), meter(serial=serial))
        for submitter, of in (("Dell", "v1.0"), ("Dell", "v1.1"), ("NVIDIA", "v1.0"))
    ]
    assert len(set(rounds)) == 3


def test_systems_of_a_submission_share_a_meter_only_by_its_serial_number(record, meter):
    def identity_of(server, serial):
        return meter_identity(record(server=server, disclosure=MLPERF), meter(serial=serial))

    assert identity_of("R7525", "C2PJ01") == identity_of("XE2420", "C2PJ01")
    assert identity_of("R7525", "0") != identity_of("XE2420", "0")


def test_a_place_is_part_of_every_identity(record, meter):
    """The same serial number in an archive of another lab is another meter."""
    local, there = record(), record(source="imported: archive of B")
    assert meter_identity(local, meter(serial="C2PJ01")) != meter_identity(there, meter(serial="C2PJ01"))
