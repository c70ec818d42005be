"""A run ends when a meter answers as another one; one that tells nothing of itself is no other one."""

from __future__ import annotations

import pytest
from wattmark.campaigns.watch.guards import require_same_meters
from wattmark.core.errors import Disturbed
from wattmark.runs.record import MeterRecord
from wattmark_drivers.meter import MeterIdentity

BEGUN = [MeterRecord(name="wall", model="x.y", title="X", serial="123", firmware="1.0")]


def identity(name: str = "wall", serial: str | None = "123", firmware: str | None = "1.0") -> MeterIdentity:
    return MeterIdentity(name, "x.y", "", "X", serial=serial, firmware=firmware)


@pytest.mark.parametrize(
    "now", [[identity()], [], [identity(serial=None)], [identity(firmware=None)], [identity(), identity("other", "9")]]
)
def test_the_same_meter_or_silence_is_no_exchange(now):
    require_same_meters(BEGUN, now)


@pytest.mark.parametrize(
    ("now", "words"), [(identity(serial="456"), "serial 456, was 123"), (identity(firmware="2.0"), "2.0, was 1.0")]
)
def test_another_serial_or_firmware_ends_the_run(now, words):
    with pytest.raises(Disturbed, match=words):
        require_same_meters(BEGUN, [now])
