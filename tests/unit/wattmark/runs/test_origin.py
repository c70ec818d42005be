"""What is exchanged keeps where it came from."""

from __future__ import annotations

import pytest
from wattmark.runs.disclosure import BroughtBy, Disclosure
from wattmark.runs.origin import Origin, arrived, as_recorded, lab_of, machine, measuring_lab
from wattmark.runs.record import RunRecord

from tests.stored_run import make_run

MLPERF = "imported: MLPerf Power closed/NVIDIA/results/A100-PCIex8_TRT_MaxQ"


def run_of(source: str, disclosure: dict[str, object]) -> RunRecord:
    return make_run("r1", server="s1", source=source, disclosure=Disclosure.model_validate(disclosure))


@pytest.mark.parametrize(
    ("source", "disclosure", "arrives_as", "server"),
    [
        ("measured", {}, "imported: archive of Lab A", "s1 (Lab A)"),
        (MLPERF, {"imported": {"submitter": "NVIDIA"}}, f"{MLPERF}, by way of an archive of Lab A", "s1"),
        ("imported: log.csv", {}, "imported: log.csv, by way of an archive of Lab A", "s1 (Lab A)"),
    ],
    ids=["measured there", "published by a submitter", "a log of that lab"],
)
def test_a_restored_run_names_its_true_origin_first(
    source: str, disclosure: dict[str, object], arrives_as: str, server: str
) -> None:
    there = run_of(source, disclosure)
    origin = Origin(lab="Lab A", software="1", source=source)
    here = arrived(there, origin, BroughtBy(lab="Lab A", signature="none"))
    assert (here.source, machine(here), lab_of(here.source)) == (arrives_as, server, "Lab A")
    assert (measuring_lab(here) is None) == (server == "s1")
    assert as_recorded(here, origin) == there
    assert (lab_of(source), machine(there)) == (None, "s1")
