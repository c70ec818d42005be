"""The reader computes the comparison that people open first before anybody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.comparison.comparisons import Comparisons
from wattmark.service.reader import stored_runs

from tests.generated_lab import store_lab


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    comparisons: list[tuple[str, str]] = []
    monkeypatch.setattr(Comparisons, "compare", lambda _, workload, level: comparisons.append((workload, level)))
    return comparisons


@pytest.mark.parametrize(("enough", "expected"), [(4, [("openssl.rsa2048-sign", "all threads")]), (9, [])])
def test_many_runs_are_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[tuple[str, str]], enough: int, expected: list[object]
) -> None:
    store_lab(tmp_path, servers=1, configurations=2, repeats=2, workloads=1)
    monkeypatch.setattr(stored_runs, "MANY_RUNS", enough)
    stored_runs.StoredRuns(tmp_path, {}).read_ahead()
    assert asked == expected
