"""A data folder with runs of one calibrated meter, and certificates as a laboratory would send them.

The points are the deterministic vector of the method (6.2): seven points, a reference with a common gain and offset.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.calibration import Calibration
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import Samples, SeriesKey
from wattmark_calibration import CalibratedRange, Certificate, CommonUncertainty, Point, canonical_json
from wattmark_calibration.certificate.record import Laboratory, MeterIdentity

from tests.set_clock import SetClock
from tests.stored_run import make_run

REFERENCE_W = (50.0, 100.0, 250.0, 500.0, 1000.0, 250.0, 250.0)
POWER_FACTOR = (1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.8)
INDICATION_W = (50.21, 100.31, 250.62, 501.14, 1002.21, 251.27, 250.91)
U_REPEAT_W = (0.02, 0.02, 0.03, 0.05, 0.10, 0.03, 0.03)
U_GAIN, U_OFFSET_W = 2.5e-4, 0.01
RANGE = "300V/5A"
SERIAL = "SN-1"
S = 10**9


def noon_ns(day: str) -> int:
    """Noon of a day [UTC ns]."""
    return int(datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp()) * S


def points(shift_w: float = 0.0, limit_w: float | None = None, stretch: float = 1.0) -> tuple[Point, ...]:
    """The vector's points; every indication off by ``shift_w``, errors stretched."""
    rows = zip(REFERENCE_W, POWER_FACTOR, INDICATION_W, U_REPEAT_W, strict=True)
    return tuple(
        Point(
            reference_w=p,
            indication_w=p + stretch * (shown - p) + shift_w,
            expanded_u_w=2 * math.sqrt(u * u + (U_GAIN * p) ** 2 + U_OFFSET_W**2),
            k=2.0,
            power_factor=factor,
            limit_w=limit_w,
        )
        for p, factor, shown, u in rows
    )


def calibrated(of: tuple[Point, ...] = (), name: str = RANGE) -> CalibratedRange:
    return CalibratedRange(name=name, points=of or points(), common=CommonUncertainty(gain=U_GAIN, offset_w=U_OFFSET_W))


def certificate(**changes) -> Certificate:
    facts = {
        "id": "CAL-1",
        "number": "K-12345",
        "meter": MeterIdentity(manufacturer="Example", model="PM1", serial=SERIAL),
        "laboratory": Laboratory(name="Example Laboratory", accreditation="D-K-00000-01-00"),
        "method": "Comparison with a power standard",
        "calibrated_on": date(2025, 3, 2),
        "due_on": date(2026, 3, 2),
        "as_found": (calibrated(),),
    }
    return Certificate(**{**facts, **changes})


def next_certificate(**changes) -> Certificate:
    """The same meter, calibrated half a year later."""
    facts = {"id": "CAL-2", "number": "K-2", "calibrated_on": date(2025, 9, 1), "due_on": date(2026, 9, 1)}
    return certificate(**{**facts, **changes})


def for_serial(serial: str) -> MeterIdentity:
    return MeterIdentity(manufacturer="Example", model="PM1", serial=serial)


def as_bytes(certificate: Certificate) -> bytes:
    return canonical_json(certificate).encode()


class Lab:
    """One data folder: put runs in, ask the calibration room and the read side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SetClock(noon_ns("2025-07-01"))
        self.start()

    def start(self) -> None:
        """Open the folder as a service does when it starts."""
        self.storage = open_storage(self.folder)
        self.sources = Sources.of(self.storage)
        self.queries = self.sources.results
        self.calibration = Calibration(self.storage, self.queries, self.clock)

    def restart(self) -> None:
        self.storage.close()
        self.start()

    def tamper(self, *issuer: str) -> None:
        """Change the file behind wattmark's back, then start again."""

        def change(connection):
            for sql in issuer:
                connection.execute(sql)

        self.storage.database.write(change)
        self.restart()

    def add(self, certificate: Certificate, **options):
        return self.calibration.certificates.add(as_bytes(certificate), f"{certificate.id}.json", **options)

    def result(self, run_id: str = "r1"):
        return self.queries.result(self.queries.record(run_id))

    def result_with(self, certificate: Certificate, **measured):
        """Add a certificate, measure, and give the result."""
        self.add(certificate)
        self.measure(**measured)
        return self.result()

    def reissued(self, run_id: str = "r1"):
        """Ask for a recompute and give the result."""
        return self.calibration.issuer.recompute(run_id, "operator", "new certificate").result

    def measure(
        self,
        run_id: str = "r1",
        watts: float = 245.0,
        day: str = "2025-06-01",
        *,
        serial: str | None = SERIAL,
        range_name: str = RANGE,
        power_factor: float | None = 1.0,
        work: int = 10_000,
        dimms: int = 4,
        noise_w: float = 0.0,
        **meter,
    ) -> RunRecord:
        """Store a run of 100 s at constant power, as the meter indicated it."""
        begin = noon_ns(day)
        facts = {
            "name": "wall",
            "model": "example.pm1",
            "title": "Example PM1",
            "serial": serial,
            "reading_pct": 0.1,
            "fixed_w": 0.2,
            "resolution_w": 0.01,
            "range_name": range_name,
            "accuracy_source": "manual p. 3",
        }
        run = make_run(
            run_id, begin_ns=begin, window_s=100, amount=work, every_s=10, server="s1", configuration=f"dimm-{dimms}",
            workload="rsa", level="1 process", meters=(MeterRecord(**{**facts, **meter}),),
            configuration_snapshot={"title": f"{dimms} FB-DIMMs", "dimm_count": dimms, "memory_gib": float(dimms)},
        )  # fmt: skip
        self.storage.runs.put(run)
        self._series(run_id, "power", "W", begin, watts, range_name, noise_w)
        if power_factor is not None:
            self._series(run_id, "power_factor", "1", begin, power_factor, range_name, 0.0)
        return run

    def add_meter(self, run: RunRecord, watts: float, **changes) -> None:
        """Give a stored run a second wall meter."""
        second = run.meters[0].model_copy(update={"name": "wall-2", **changes})
        self.storage.runs.put(run.model_copy(update={"meters": (*run.meters, second)}))
        self._series(run.run_id, "power", "W", run.created_ns, watts, RANGE, 0.0, "wall-2")
        self._series(run.run_id, "power_factor", "1", run.created_ns, 1.0, RANGE, 0.0, "wall-2")

    def add_range(self, run: RunRecord, range_name: str, watts: float = 245.0) -> None:
        """Let the meter of a stored run show a second range in the same window."""
        self._series(run.run_id, "power", "W", run.created_ns, watts, range_name, 0.0)

    def add_channel(self, run: RunRecord, name: str, unit: str, value: float) -> None:
        """Let the meter of a stored run measure another quantity."""
        self._series(run.run_id, name, unit, run.created_ns, value, RANGE, 0.0)

    def _series(self, run_id, channel, unit, begin, value, range_name, noise_w, source="wall") -> None:
        t_ns = begin + np.arange(-20, 121) * S
        values = np.full(len(t_ns), value) + np.random.default_rng(len(run_id)).normal(0, noise_w, len(t_ns))
        key = SeriesKey(run_id, "s1", source, channel, channel, unit, "averaged", range_name)
        columns = Samples(t_ns, values, np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32))
        self.storage.samples.append([(self.storage.samples.series(key).id, columns)])


@pytest.fixture
def lab(tmp_path: Path):
    made = Lab(tmp_path / "data")
    yield made
    made.storage.close()


@pytest.fixture
def vector():
    """The building blocks, for tests in this folder."""

    class Vector:
        RANGE, SERIAL = RANGE, SERIAL
        make, make_next = staticmethod(certificate), staticmethod(next_certificate)
        calibrated, points, for_serial, as_bytes = map(staticmethod, (calibrated, points, for_serial, as_bytes))
        replace = staticmethod(replace)

    return Vector


@pytest.fixture
def answer(wattmark):
    """Run a command with --json and give exit code and document."""

    def run(*arguments: str | Path):
        code, out, _ = wattmark(*arguments, "--json")
        return code, json.loads(out)

    return run
