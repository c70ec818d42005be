"""Laboratories whose data folders hold runs, certificates, overrides, check standards and campaigns."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wattmark.archives.data_folder import Archives
from wattmark.bench.plan import Plan
from wattmark.runs.record import RunStatus
from wattmark.traceability.certificates.views import OverrideIn
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard

from ..traceability.conftest import SERIAL, Lab, certificate, for_serial, noon_ns

Open = Callable[[str], Lab]


def archives(lab: Lab) -> Archives:
    return Archives(lab.storage, lab.queries, lab.calibration.issuer)


def packed(lab: Lab, *run_ids: str, name: str = "Lab A") -> bytes:
    out, room = io.BytesIO(), archives(lab)
    room.write(out, room.choose(run_ids, None, every=not run_ids), name, every=not run_ids)
    return out.getvalue()


def unpacked(lab: Lab, content: bytes, *, own: bool = False):
    return archives(lab).restore(io.BytesIO(content), "runs.zip", own=own)


@pytest.fixture
def open_lab(tmp_path: Path) -> Iterator[Open]:
    """Open data folders by name."""
    labs: list[Lab] = []

    def open_one(name: str) -> Lab:
        labs.append(Lab(tmp_path / name))
        return labs[-1]

    yield open_one
    for lab in labs:
        lab.storage.close()


@pytest.fixture
def source(open_lab: Open) -> Lab:
    """A lab with what is hard to carry over: versions issued before and after a certificate, and an override."""
    lab = open_lab("source")
    lab.add(certificate(id="OTHER", meter=for_serial("SN-9")), reason="another meter")
    lab.measure("r1", noise_w=0.4)
    lab.calibration.issuer.first(lab.queries.record("r1"))
    lab.add(certificate(), reason="yearly")
    lab.measure("r2", watts=310.0, noise_w=0.7)
    lab.calibration.issuer.first(lab.queries.record("r2"))
    lab.reissued("r1")
    run = lab.measure("r3", day="2026-05-01", serial="SN-2", noise_w=0.2)
    lab.add(certificate(id="CAL-2", meter=for_serial("SN-2")))
    lab.calibration.certificates.override(
        "CAL-2", OverrideIn(by="metrologist", reason="was stable", accepts=["expired"], run_id="r3")
    )
    lab.calibration.issuer.first(lab.queries.record("r3"))
    lab.storage.runs.put(run.model_copy(update={"campaign_id": "c1", "status": RunStatus.COMPLETE}))
    lab.storage.runs.put_document("campaign", "c1", {"state": "complete", "campaign_id": "c1"})
    plan = Plan(name="p", configurations=("s1/dimm-4",), workloads=("rsa",)).model_dump(mode="json")
    start = {"plan": plan, "cpus": {"s1": 4}, "bench": None, "bench_text": "lab: A\n"}
    lab.storage.runs.put_document("campaign-start", "c1", start)
    lab.storage.check_standards.add(
        CheckStandard(name="lamp", meter="wall", nominal_w=60.0, added_ns=noon_ns("2025-01-01"))
    )
    lab.storage.check_standards.add_reading(
        CheckReading(check_standard="lamp", at_ns=noon_ns("2025-02-01"), power_w=60.1, operator="operator")
    )
    assert SERIAL == "SN-1"
    return lab
