"""A small data folder with something of every kind that is stored, and a service on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from wattmark.access.http.middleware import AccessPolicy
from wattmark.access.roles import Role
from wattmark.access.token import Token
from wattmark.bench.plan import Plan
from wattmark.runs.alarms import Alarm
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.service.app import create_app
from wattmark.service.service import Service, open_service
from wattmark.service.settings import Settings
from wattmark.store.sample_store import SeriesKey
from wattmark.traceability.certificates.views import OverrideIn
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard
from wattmark.traceability.cross_calibration.register import CrossCalibrations

from ..archives.conftest import packed, unpacked
from ..archives.test_round_trip import BMC, cross_calibration_record
from ..traceability.conftest import Lab, certificate, noon_ns

SPOILT = "r2"
"""The run of which everything may be spoilt."""
OTHERS = ("r1", "r3", "big", "bmc", "wall", "theirs")


def fill(folder: Path) -> None:
    """Write runs with samples and statements, and something of everything else."""
    lab = Lab(folder / "data")
    lab.clock.now_ns = noon_ns("2025-07-01")
    lab.measure("wall", noise_w=0.2, serial="SN-7")
    CrossCalibrations(lab.storage.runs).add(cross_calibration_record(lab, 12.0))
    _measure_bmc(lab)
    lab.measure("r1", watts=245.0, noise_w=0.3)
    run = lab.measure(SPOILT, watts=252.0, noise_w=0.4)
    lab.storage.runs.put(run.model_copy(update={"campaign_id": "c1"}))
    lab.measure("r3", watts=249.0, noise_w=0.5)
    lab.measure("big", watts=300.0, noise_w=0.3, dimms=8)
    lab.calibration.issuer.first(lab.queries.record(SPOILT))
    lab.add(certificate(), reason="yearly")
    for run_id in ("wall", "bmc", "r1", "r3", "big"):
        lab.calibration.issuer.first(lab.queries.record(run_id))
    lab.reissued(SPOILT)
    order = OverrideIn(by="metrologist", reason="was stable", accepts=["expired"], run_id=SPOILT)
    lab.calibration.certificates.override("CAL-1", order)
    _say(lab)
    _campaign(lab)
    _bring(lab, folder)
    lab.storage.close()


def _measure_bmc(lab: Lab) -> None:
    run = lab.measure("bmc", noise_w=0.3, **BMC)
    number = lab.storage.samples.series(SeriesKey("bmc", "s1", "bmc", "power", "power", "W", "averaged")).id
    power = next(series for series in lab.storage.samples.list_series(run.run_id) if series.key.channel == "power")
    lab.storage.samples.append([(number, lab.storage.samples.read(power.id))])


def _say(lab: Lab) -> None:
    """Write what people said, what was watched, and who may sign in."""
    storage = lab.storage
    storage.annotations.tag([SPOILT, "r1"], ["warm"], [])
    storage.annotations.write_note(SPOILT, "seems high")
    chosen = Inclusion(by="A. Owner", reason="known", rules=("steady",), at="2025-07-01T00:00:00+00:00")
    storage.annotations.include(SPOILT, chosen)
    begin = noon_ns("2025-06-01")
    ended = {"end_ns": begin + 10**9, "ended": "back", "closed_ns": begin + 10**9}
    for number, rest in (1, ended), (2, {}):
        alarm = Alarm(
            number=number,
            source="wall",
            channel="power",
            side="high",
            limit=240.0,
            unit="W",
            run_must_keep=True,
            begin_ns=begin,
            seen_ns=begin,
            worst=250.0,
            **rest,
        )
        storage.alarms.put([alarm]).result()
    storage.check_standards.add(CheckStandard(name="lamp", meter="wall", nominal_w=60.0, target_w=60.0, added_ns=begin))
    for day in range(1, 6):
        reading = CheckReading(
            check_standard="lamp",
            at_ns=noon_ns(f"2025-02-0{day}"),
            power_w=60.0 + day / 10,
            sd_w=0.1,
            n=9,
            operator="ab",
        )
        storage.check_standards.add_reading(reading)
    storage.tokens.add(Token("kim", Role.VIEWER, "d" * 64, begin, None, None))


def _campaign(lab: Lab) -> None:
    runs = [
        {"order": 1, "run_id": SPOILT, "server": "s1", "configuration": "dimm-4", "workload": "rsa", "level": "all"}
        | {"repeat": 1, "state": "complete", "efficiency": {"value": 1.0, "unit": "signs/J"}},
        {"order": 2, "run_id": None, "server": "s1", "configuration": "dimm-4", "workload": "rsa", "level": "all"}
        | {"repeat": 2, "state": "planned"},
    ]
    document = {"state": "aborted", "campaign_id": "c1", "plan": "p", "runs": runs, "started_s": 1.7e9}
    plan = Plan(name="p", configurations=("s1/dimm-4",), workloads=("rsa",))
    start = {"plan": plan.model_dump(mode="json"), "cpus": {"s1": 4}, "bench": None, "bench_text": "lab: A\n"}
    lab.storage.runs.put_document("campaign", "c1", document)
    lab.storage.runs.put_document("campaign-start", "c1", start)
    lab.storage.runs.put_document("appliance", "this", {"id": "0123456789abcdef"})


def _bring(lab: Lab, folder: Path) -> None:
    other = Lab(folder / "theirs")
    other.measure("theirs", watts=222.0, noise_w=0.2)
    other.calibration.issuer.first(other.queries.record("theirs"))
    unpacked(lab, packed(other, name="Lab B"))
    other.storage.close()


@contextmanager
def served(folder: Path) -> Iterator[TestClient]:
    """Start the service's rooms on a folder, as after a restart, and ask them without a network."""
    service = open_service(Settings(data_dir=folder))
    try:
        asyncio.run(_started(service))
    finally:
        service._storage.close()
    service = open_service(Settings(data_dir=folder))
    try:
        app = create_app(service, AccessPolicy.for_address("127.0.0.1", None))
        yield TestClient(app, base_url="http://127.0.0.1:8400", raise_server_exceptions=False)
    finally:
        service._storage.close()


async def _started(service: Service) -> None:
    async with service:
        pass


def rows(client: TestClient) -> dict[str, Any]:
    """Read the list of runs."""
    answer = client.get("/api/run-rows?limit=100")
    assert answer.status_code == 200, answer.text
    return {row["run_id"]: row for row in answer.json()["rows"]}
