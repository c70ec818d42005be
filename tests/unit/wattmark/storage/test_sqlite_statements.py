"""Stated results: nothing is stated that cannot be read again, and one that cannot be read hides no other."""

from __future__ import annotations

import math
from typing import Any

import pytest
from wattmark.certificates.store import Stated
from wattmark.errors import EvaluationFailed, StoreError
from wattmark.results.failed import failed_result
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.open import Storage
from wattmark.storage.query import query

STATED = Stated(version=1, stated_ns=1, shelf_revision=0, reason="measured", software="0.1")


def result(run_id: str, **changes: Any) -> Result:
    run = RunRecord(
        run_id=run_id, server="s", configuration="c", workload="w", level="all", unit="signs",
        status=RunStatus.COMPLETE, created_ns=1,
    )  # fmt: skip
    return failed_result(run, StoreError("Words.")).model_copy(update=changes)


@pytest.mark.parametrize("changes", [{"power_w": math.inf}, {"throughput_u": math.nan}, {"samples": "many"}])
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_nothing_is_stated_that_cannot_be_read_again(storage: Storage, changes: dict[str, Any]) -> None:
    with pytest.raises(EvaluationFailed, match="was not stated: it could not be read again"):
        storage.statements.add(STATED, result("a", **changes))
    assert storage.statements.of("a") == []


def test_one_that_cannot_be_read_is_named_for_its_run_alone(storage: Storage) -> None:
    for run_id in ("a", "b", "c"):
        storage.statements.add(STATED, result(run_id))

    def spoil(connection: Any) -> None:
        ((text,),) = query(connection, "SELECT result FROM statement WHERE run_id = 'b'")
        query(connection, "DELETE FROM statement WHERE run_id = 'b'")
        row = "b", 1, 1, 0, None, None, "measured", "0.1", text.replace('"samples":0', '"samples":null')
        query(connection, "INSERT INTO statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)

    storage.database.write(spoil)
    assert [one.run_id for one in storage.statements.latest(["a", "b", "c"])] == ["a", "c"]
    with pytest.raises(StoreError, match=r"stated result of run b .*samples"):
        storage.statements.of("b")
