"""A data folder of any earlier layout is brought up to date and keeps what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage import migrations
from wattmark.storage.migrations import MIGRATIONS
from wattmark.storage.open import open_storage

RUN = RunRecord(
    run_id="r1",
    server="s1",
    configuration="c1",
    workload="rsa",
    level="1 process",
    status=RunStatus.COMPLETE,
    created_ns=1_700_000_000_000_000_000,
    unit="signs",
)


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_every_earlier_layout_keeps_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "MIGRATIONS", MIGRATIONS[:version])
        storage = open_storage(tmp_path)
        storage.runs.put(RUN)
        storage.close()
    storage = open_storage(tmp_path)
    try:
        assert storage.runs.all() == [RUN]
        assert storage.certificates.shelf().revision == 0
        assert storage.statements.in_force() == {}
        assert storage.check_loads.all() == []
    finally:
        storage.close()
