"""Issued results: nothing is issued that cannot be read again, and one that cannot be read hides no other."""

from __future__ import annotations

import math
from typing import Any

import pytest
from wattmark.core.errors import EvaluationFailed, StoreError
from wattmark.results.data_folder import Storage
from wattmark.results.failed import failed_result
from wattmark.results.issued.issued_result import Issue
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.store.query import query

from tests.stored_run import make_run

ISSUE = Issue(version=1, issued_ns=1, register_revision=0, reason="measured", software="0.1")


def result(run_id: str, **changes: Any) -> Result:
    return failed_result(make_run(run_id), StoreError("Words.")).model_copy(update=changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"power": BudgetedQuantity(value=1.0, unit="W").model_copy(update={"value": math.inf})},
        {"throughput": BudgetedQuantity(value=1.0, unit="signs/s").model_copy(update={"u": math.nan, "k95": 2.0})},
        {"samples": "many"},
    ],
)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_nothing_is_issued_that_cannot_be_read_again(storage: Storage, changes: dict[str, Any]) -> None:
    with pytest.raises(EvaluationFailed, match="was not issued: it could not be read again"):
        storage.issued.add(ISSUE, result("a", **changes))
    assert storage.issued.of("a") == []


def test_one_that_cannot_be_read_is_named_for_its_run_alone(storage: Storage) -> None:
    for run_id in ("a", "b", "c"):
        storage.issued.add(ISSUE, result(run_id))

    def spoil(connection: Any) -> None:
        ((text,),) = query(connection, "SELECT result FROM issued_result WHERE run_id = 'b'")
        query(connection, "DELETE FROM issued_result WHERE run_id = 'b'")
        spoilt = text.replace('"samples":0', '"samples":null')
        query(connection, "INSERT INTO issued_result VALUES ('b', 1, ?)", spoilt)

    storage.database.write(spoil)
    assert [result.run_id for result in storage.issued.latest(["a", "b", "c"])] == ["a", "c"]
    with pytest.raises(StoreError, match=r"issued result of run b .*samples"):
        storage.issued.of("b")
