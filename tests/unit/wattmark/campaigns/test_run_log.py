"""What a run brings is held to what its record can hold, before anything of it is written."""

from __future__ import annotations

import math
from typing import Any

import pytest
from wattmark.campaigns.record import RunLog
from wattmark.core.errors import WattmarkError
from wattmark.runs.record import RunRecord, RunStatus
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run


class Journal:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.kept: list[RunRecord] = []

    def put(self, run: RunRecord) -> None:
        self.kept.append(run)


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def log(journal: Journal) -> RunLog:
    return RunLog(make_run(status=RunStatus.RUNNING), journal, SystemClock(), lambda *_: None)  # type: ignore[arg-type]


@pytest.mark.parametrize("changes", [{"stated_throughput": 1e150}, {"window_end_ns": 2**63}, {"unit": 5}])
def test_what_no_record_holds_is_named_and_the_record_stays(
    log: RunLog, journal: Journal, changes: dict[str, Any]
) -> None:
    before = log.record
    with pytest.raises(WattmarkError, match=f"cannot be stored in its record: {next(iter(changes))}"):
        log.keep(**changes)
    with pytest.raises(WattmarkError, match="cannot be stored in its record: disclosure"):
        log.disclose(loadgen={"result": math.inf})
    assert (log.record, journal.kept) == (before, [])
    log.keep(status=RunStatus.FAILED, reason="words")
    assert journal.kept == [log.record]
