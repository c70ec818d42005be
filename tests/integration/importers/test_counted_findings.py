"""Findings of audits against a count by hand of the raw files of 21 published results, with none of this code.

Counted with short scripts of the standard library:

- MLPerf Inference v1.0 (six results): lines of run_1/spl.txt whose second field lies strictly between power_begin and
  power_end of mlperf_log_detail.txt; their mean watts; those below 0 W; stamps that do not increase in the whole log;
  the longest step inside; lines "WARNING: Uncertainty" of power/ptd_logs.txt stamped inside; means between the same
  marks of run_1 against ranging; sha256 of all spl.txt.
- MLPerf Training v4.0 (three submissions, 25 runs): entries "power_reading" of power/RUN/node_*.txt; run_start and
  run_stop of RUN.txt. Silent: distances of stamps of readings that are not below 0 W, above 2.5 times the median
  distance, less one of it, as far as they lie between run_start and run_stop; of the node where they are longest.
  Steps: stamps that are not after the one before, over all nodes. sha256 of node_0.txt. Published and timed energy: see
  test_published_training.py.
- SPECpower_ssj2008 (twelve texts): the ten level rows and active idle; sum of ssj_ops over sum of watts against the
  printed overall figure, each row's ratio against the printed one, within their last digits.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from wattmark.audits.audit import Audit
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf.mlperf_audit import audit_mlperf
from wattmark.importers.mlperf_training.training_audit import audit_training
from wattmark.importers.specpower.specpower import SPECPOWER

DATA = Path(__file__).parents[3] / "../shared/data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the published results are not beside the checkout")

INFERENCE = {
    ("DellEMC", "resnet50 Offline"): 1101.2828341013828,
    ("DellEMC", "resnet50 Server"): 1097.377166666667,
    ("NVIDIA", "resnet50 Offline"): 1268.9517699115058,
    ("NVIDIA", "resnet50 Server"): 1266.027833333334,
    ("Qualcomm", "resnet50 offline"): 561.9439393939398,
    ("Qualcomm", "resnet50 server"): 533.8119999999998,
}
"""Mean of 868, 600, 678, 600, 660 and 600 readings [W]. Below 0 W, steps, warnings, equal logs: 0 in each. Longest
step: 1.029 s. Between -1.0 and 1.3 % above the ranging pass, where 5 % are a finding."""

SILENT_S = {"07": 24.786, "raw_07": 24.786, "09": 13.662, "raw_09": 13.662}
"""dlrm_dcnv2: the run, and how long its only node was silent; all ten runs have a log with the bytes of another one."""

SSD = {1: (26.156, 13, 0), 2: (63.214, 1, 7), 3: (46.831, 16, 0), 4: (43.218, 1, 0), 5: (23.072, 0, 0)}
"""ssd on eight nodes: silent [s], stamps that step back, readings below 0 W."""


def rules(audit: Audit) -> list[str]:
    return [finding.rule for finding in audit.findings]


def test_inference_has_the_counted_readings_and_no_finding_that_was_not_counted() -> None:
    audits = list(audit_mlperf(DATA / "mlperf-power-v1.0", Choices()))
    audited = {(audit.submitter, audit.title.split(" on ")[0]): audit for audit in audits}
    assert set(audited) == set(INFERENCE)
    for name, mean_w in INFERENCE.items():
        assert audited[name].by_rule == pytest.approx(mean_w, rel=1e-12)
        assert rules(audited[name]) == []


@pytest.fixture(scope="module")
def training() -> dict[str, Audit]:
    return {audit.benchmark: audit for audit in audit_training(DATA / "mlperf-training-v4.0", Choices())}


def test_bert_has_its_scaling_its_window_and_no_other_finding(training: dict[str, Audit]) -> None:
    """scaling.json says 1.0106869564123353; 1843.07 of 2222.17 kJ are 17.06 % less. No silence, step or equal log."""
    findings = {finding.rule: finding.value for finding in training["bert"].findings}
    assert findings == {
        "window": pytest.approx(100 * (1843.07 / 2222.17 - 1), abs=1e-3),
        "scaled-figure": 1.0106869564123353,
    }
    assert not any(run.findings for run in training["bert"].runs)


def test_dlrm_has_five_logs_of_ten_and_two_silences_twice(training: dict[str, Audit]) -> None:
    audit = training["dlrm_dcnv2"]
    findings = {finding.rule: finding.value for finding in audit.findings}
    assert findings == {
        "window": pytest.approx(100 * (1309.82 / 1633.59 - 1), abs=1e-3),
        "same-log": 5,
        "silent-meter": len(SILENT_S),
    }
    silent = {
        run.title.removeprefix("4952-240509201759124491233_"): finding.value
        for run in audit.runs
        for finding in run.findings
        if finding.rule == "silent-meter"
    }
    assert silent == {name: pytest.approx(seconds, abs=0.05) for name, seconds in SILENT_S.items()}
    assert Counter(finding.rule for run in audit.runs for finding in run.findings)["same-log"] == 10


def test_ssd_has_the_counted_silences_steps_and_readings_below_zero(training: dict[str, Audit]) -> None:
    audit = training["ssd"]
    findings = {finding.rule: finding.value for finding in audit.findings}
    assert findings == {"window": pytest.approx(100 * (21762.09 / 24129.40 - 1), abs=1e-3), "silent-meter": len(SSD)}
    for run in audit.runs:
        silent_s, steps, negative = SSD[int(run.title[-1])]
        by_rule = {finding.rule: finding.value for finding in run.findings}
        assert by_rule["silent-meter"] == pytest.approx(silent_s, abs=0.06)
        assert (by_rule.get("clock-steps", 0), by_rule.get("bad-readings", 0)) == (steps, negative)
        assert by_rule["same-log"] == 1, "sha256sum gives two of its eight logs the same digest"
        assert set(by_rule) <= {"silent-meter", "clock-steps", "bad-readings", "estimated-power", "same-log"}


def test_specpower_denies_none_of_its_twelve_figures() -> None:
    """By hand the rows make 445.9, 454.4, 338.0, 599.9, 477.7, 437.0, 1514.6, 2059.1, 3227.4, 10684, 11943 and 24507.

    Printed are 446, 454, 338, 600, 478, 437, 1515, 2059, 3224, 10685, 11942 and 24507 ssj_ops/W: within what watts
    printed to 1 W leave open. No ratio of the 120 rows is off by more than that.
    """
    assert SPECPOWER.audit is not None
    audits = list(SPECPOWER.audit(DATA / "specpower", Choices()))
    assert len(audits) == 12
    assert [rules(audit) for audit in audits] == [[]] * 12
