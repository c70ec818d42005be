"""Every rule gives a verdict on imported runs too: those of their files, and those of every run, mostly not checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.choices import read_choices
from wattmark.importers.kinds import importer_of
from wattmark.importers.mlperf.mlperf import MLPERF_INFERENCE
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import IMPORT

from ..results.every_rule import RULES, assert_every_rule

PTDAEMON = "".join(
    f"Time,07-01-2024 12:00:{i:02d}.000,Watts,{250 + i % 3},Volts,230.0,Amps,1.0,PF,1.0,Mark,m\n" for i in range(60)
)
WATTSUP = "#d,-,18,391,1200,335,79,0,34,2,391,1200,336,112,1198,275,91,0,0,600,427;\n" * 30


def outcomes(source: Path, storage: Storage, importer: Any) -> dict[str, set[str]]:
    choices = read_choices("UTC", begin="2024-07-01T12:00:00") if importer is not MLPERF_INFERENCE else None
    more = () if choices is None else (choices,)
    (outcome,) = import_source(importer, source, storage.samples, storage.runs, *more)
    assert outcome.error is None
    run = storage.runs.get(outcome.run_id or "")
    assert run is not None
    return assert_every_rule(evaluate(run, storage.samples), imported=True)


@pytest.mark.parametrize("text", [PTDAEMON, WATTSUP], ids=["ptdaemon", "wattsup"])
def test_a_plain_log_tells_of_its_readings_only(tmp_path: Path, storage: Storage, text: str) -> None:
    path = tmp_path / "spl.txt"
    path.write_text(text)
    judged = outcomes(path, storage, importer_of("auto", path))
    assert judged["gaps"] == {"pass"}
    assert judged["undisturbed"] == judged["recording"] == judged["standstill"] == {"not-checked"}


def test_a_result_of_others_has_the_rules_of_its_files_beside(
    make_result: Callable[..., Path], storage: Storage
) -> None:
    judged = outcomes(make_result(), storage, MLPERF_INFERENCE)
    assert {rule for rule in judged if rule.startswith(IMPORT)}
    assert judged.keys() - set(RULES) == {rule for rule in judged if rule.startswith(IMPORT)}
    assert judged["full-load"] == judged["undisturbed"] == judged["memory-slots"] == {"not-checked"}
