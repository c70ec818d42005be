"""AC submissions of MLPerf Training v4.0 beside the checkout: published energy, and that of the timed part.

Published: MLCommons' results of v4.0 and arXiv 2410.12032 [kJ], to two decimals. Window: an integration of the same
logs that was done independently of this code, to two decimals.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.audits.audit import Audit
from wattmark.importers.importer import Choices
from wattmark.importers.mlperf_training.training_audit import audit_training

TREE = Path(__file__).parents[3] / "../shared/data/mlperf-training-v4.0"
PUBLISHED_KJ = {"bert": 1843.07, "dlrm_dcnv2": 1309.82, "ssd": 21762.09}
WINDOW_KJ = {"bert": 2222.17, "dlrm_dcnv2": 1633.59, "ssd": 24129.40}
pytestmark = pytest.mark.skipif(not TREE.is_dir(), reason="needs ../shared/data/mlperf-training-v4.0")


@pytest.fixture(scope="module")
def audits() -> dict[str, Audit]:
    return {audit.benchmark: audit for audit in audit_training(TREE, Choices())}


@pytest.mark.parametrize("benchmark", PUBLISHED_KJ)
def test_the_rule_gives_the_published_energy(audits: dict[str, Audit], benchmark: str) -> None:
    assert audits[benchmark].by_rule == pytest.approx(PUBLISHED_KJ[benchmark], abs=0.01)


@pytest.mark.parametrize("benchmark", WINDOW_KJ)
def test_the_timed_part_gives_its_own_energy(audits: dict[str, Audit], benchmark: str) -> None:
    assert audits[benchmark].over_window == pytest.approx(WINDOW_KJ[benchmark], abs=0.0051)


def test_what_a_checker_lets_through_is_named_by_run(audits: dict[str, Audit]) -> None:
    """Two of the five measurements of dlrm_dcnv2 have a meter that was silent, for 24.8 s and 13.7 s of 226 s."""
    dlrm = audits["dlrm_dcnv2"]
    silent = {round(f.value or 0, 1) for run in dlrm.runs for f in run.findings if f.rule == "silent-meter"}
    assert silent == {24.8, 13.7}
    first = next(run for run in dlrm.runs if run.title.endswith("_06"))
    assert [stretch.readings for stretch in (first.before, first.inside, first.after)] == [21, 128, 29]
    assert "bad-readings" in {finding.rule for run in audits["ssd"].runs for finding in run.findings}
