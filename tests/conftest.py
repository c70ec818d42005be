"""What holds for all tests."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ALONE = (
    "integration/campaigns/test_clocks",
    "integration/campaigns/test_full_load",
    "integration/campaigns/test_latency",
    "integration/campaigns/test_namespaces",
    "integration/campaigns/test_together",
    "integration/hosts",
    "integration/service/test_long_import",
    "integration/service/test_resume",
    "integration/workloads/test_catalogue",
    "integration/workloads/test_measure",
    "e2e/test_demo",
)
"""Folders and files whose tests bring this machine to full load or judge it; the others may run beside one another."""

SLOW = (
    "unit/wattmark/analysis/scaling/test_scaling_fit.py::test_coverage",
    "unit/wattmark/analysis/test_any_input",
    "unit/wattmark/analysis/test_campaign_coverage",
    "unit/wattmark/analysis/test_cross_calibration_other_load",
    "unit/wattmark/bench/editing/test_any_change",
    "unit/wattmark/bench/editing/test_rewrite_any",
    "unit/wattmark/comparison/compare/test_campaign_coverage",
    "unit/wattmark/comparison/memory/test_structure.py::test_equal_configurations_on_a_whole_watt_meter",
    "unit/wattmark/exchange/influx/test_outbox.py::test_every_sample_is_sent",
    "unit/wattmark/reports/test_figures.py::test_another_process",
    "unit/wattmark/reports/test_parquet.py::test_another_program",
    "unit/wattmark/reports/test_report_of_many",
    "unit/wattmark/service/http/test_any_request",
    "unit/wattmark/service/http/test_poisoned_runs",
    "unit/wattmark/store/test_bit_flips",
    "unit/wattmark/store/test_sample_model",
)
"""Unit tests that take seconds of computing each, excluded of the inner loop (`make test-quick`)."""

FIRST = ("integration/docs/test_commands", "e2e", "integration/service")
"""What takes longest, begun first, so that nobody waits for it in the end."""

settings.register_profile(
    "same everywhere",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("quick", parent=settings.get_profile("same everywhere"), max_examples=20)
settings.load_profile("same everywhere")


def pytest_configure() -> None:
    """Let signals reach the programs that tests start, also where these tests were begun to outlive a terminal."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    place = {item: item.path.relative_to(here).as_posix() for item in items}
    for item, path in place.items():
        if path.startswith(ALONE):
            item.add_marker("alone")
        if f"{path}::{item.name}".startswith(SLOW):
            item.add_marker("slow")
    items.sort(key=lambda item: not place[item].startswith(FIRST))


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs that are evaluated from their samples."""
    from wattmark.results.issued import evaluations

    seen: list[str] = []
    real = evaluations.evaluate

    def counted(run: Any, *rest: Any) -> Any:
        seen.append(run.run_id)
        return real(run, *rest)

    monkeypatch.setattr(evaluations, "evaluate", counted)
    return seen
