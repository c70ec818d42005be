"""A certificate is found by the meter's serial number, so a meter that tells none gets it from the bench file."""

from __future__ import annotations

from pathlib import Path

import pytest
import wattmark.bench
from wattmark.bench.load import load_bench
from wattmark.instruments.instruments import build_meters, meter_records
from wattmark_drivers.clock import SystemClock

EXAMPLE = Path(wattmark.bench.__file__).parent / "examples" / "s5000-fbdimm.yaml"


@pytest.fixture
def serial_of(tmp_path: Path):
    def record(line: str) -> str | None:
        path = tmp_path / "bench.yaml"
        text = EXAMPLE.read_text("utf-8")
        path.write_text(text.replace("    model: eastron.sdm120\n", f"    model: eastron.sdm120\n{line}"), "utf-8")
        bench = load_bench(path)
        meters = build_meters(bench, SystemClock(), {"S5000_BMC_PASSWORD": "x"})
        return next(m.serial for m in meter_records(bench, meters, "s5000") if m.name == "outlet-2")

    return record


def test_the_plate_speaks_for_a_meter_that_has_not_told_its_number(serial_of) -> None:
    assert serial_of("    serial: 'SN-4711'\n") == "SN-4711"


def test_without_either_the_number_is_not_known(serial_of) -> None:
    assert serial_of("") is None
