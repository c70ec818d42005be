"""Viewers of ten thousand stored runs beside eight meters at 0.5 s and two hundred at 1 s.

WATTMARK_VIEWERS_S sets how long each part lasts (300 s), WATTMARK_VIEWERS_STORE a store of ten thousand runs to use
again, as tests/benchmarks/store/bench_scale.py makes it. Needs cc and libmodbus-dev.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import psutil
import pytest

from tests.benchmarks.drivers.bench_modbus import meters
from tests.benchmarks.service.service_process import ask, service, until
from tests.benchmarks.service.viewed import QUICK, SLOW, Looked, bench_file, look
from tests.benchmarks.store.bench_scale import fill

SECONDS = int(os.environ.get("WATTMARK_VIEWERS_S", "300"))
RUNS, SAMPLES = 10_000, 4_000_000
MOST_SERVICE_MB, MOST_READER_MB = 600, 3000
HEALTH_S = 1.0
CROWDED_S = 0.5
"""The shorter of the periods: a poll that begins later is excluded."""
CROWDED_HEALTH_S = 10.0
"""A third of what the service manager's watchdog allows."""
LEAST_NOTICED_S = 0.005
"""Less than that is no lateness of anything that is polled twice a second."""

pytestmark = pytest.mark.timeout(4 * SECONDS + 1800)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[psutil.Process, str]]:
    folder = tmp_path_factory.mktemp("viewers")
    store = folder / "store"
    if recorded := os.environ.get("WATTMARK_VIEWERS_STORE"):
        shutil.copytree(recorded, store)
    else:
        fill(store, SAMPLES, RUNS)
    with meters() as ports, service(bench_file(folder, ports, SECONDS), store) as (process, url):
        until(lambda: len(ask(f"{url}/api/live")["channels"]) >= QUICK + SLOW)
        yield process, url


@pytest.fixture(scope="module")
def alone(running: tuple[psutil.Process, str]) -> Looked:
    return look(*running, 0, SECONDS)


def assert_complete(shown: Looked) -> None:
    """Power of every meter is stated, and nothing was lost or silent."""
    figures = {name: value for name, value in shown._asdict().items() if name != "run"}
    print(figures)  # noqa: T201 - the figures that these attacks are for
    assert shown.run["status"] == "complete", shown.run["reason"]
    assert shown.dropped == 0
    notes = " ".join(shown.run["notes"])
    assert "silent" not in notes
    assert "withheld" not in notes


def assert_undisturbed(shown: Looked, alone: Looked) -> None:
    """Polls, health check and memory stand as they do without anybody who looks on."""
    assert_complete(shown)
    assert shown.lateness.p99_s <= 2 * max(alone.lateness.p99_s, LEAST_NOTICED_S), (shown, alone)
    assert shown.health_s < HEALTH_S
    assert shown.service_mb < MOST_SERVICE_MB
    assert shown.reader_mb < MOST_READER_MB
    assert shown.crowd["unexplained"] == [], "who is refused hears why and until when"


def test_nobody_looks_on(alone: Looked) -> None:
    """What the others are held against."""
    assert_complete(alone)


def test_twelve_viewers_delay_no_poll(running: tuple[psutil.Process, str], alone: Looked) -> None:
    """Row 7: eight compare with ever new smallest differences, three list all results, one wants the report of all."""
    assert_undisturbed(look(*running, 12, SECONDS), alone)


def test_seventy_viewers_take_neither_memory_nor_polls(running: tuple[psutil.Process, str], alone: Looked) -> None:
    """Row 15: 50 parallel different comparisons and 20 lists of all results, slowly read or not."""
    assert_undisturbed(look(*running, 70, SECONDS), alone)


def test_fifty_loops_of_comparisons_beside_a_hundred_streams(running: tuple[psutil.Process, str]) -> None:
    """What the review could not show: comparisons that are really computed, beside live streams, ten of them slow.

    A hundred streams are 20 MB a second that the service itself sends, which polls feel; no run may.
    """
    shown = look(*running, 75, SECONDS, streams=100)
    assert_complete(shown)
    assert shown.lateness.most_s <= CROWDED_S
    assert shown.health_s < CROWDED_HEALTH_S
    assert shown.service_mb < MOST_SERVICE_MB
    assert shown.crowd["unexplained"] == []
    assert shown.crowd["cut_streams"] == []
    assert shown.crowd["statuses"].get("200", 0) > 0
