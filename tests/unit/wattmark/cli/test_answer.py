"""What `wattmark run` ends with: a sentence for each workload, and the command that shows the rest."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from wattmark.cli.measure.answer import answers, resumption
from wattmark.runs.record import RunStatus


class Comparisons:
    def compare(self, workload: str, level: str) -> SimpleNamespace:
        return SimpleNamespace(statement=f"The best of {workload} at {level}.")


def result(workload: str, level: str, status: RunStatus = RunStatus.COMPLETE) -> SimpleNamespace:
    return SimpleNamespace(workload=workload, level=level, status=status)


def said(*results: SimpleNamespace, data: Path | None = None) -> list[str]:
    return list(answers(Comparisons(), results, data))


def test_the_sentence_is_that_of_full_load_and_the_commands_can_be_copied() -> None:
    ran = [result("7zip.compress", level) for level in ("60 %", "100 %", "80 %", "60 %")]
    assert said(*ran, data=Path("my data")) == [
        "7zip.compress, 100 %: The best of 7zip.compress at 100 %.",
        "  Next: wattmark compare --workload 7zip.compress --level '100 %' --data 'my data'",
        "  Other levels: wattmark scaling --workload 7zip.compress --data 'my data'",
    ]


def test_a_level_whose_name_says_nothing_is_the_last_of_its_workload() -> None:
    ran = [result("web.ab", "1 client"), result("web.ab", "4 clients")]
    assert said(*ran)[:2] == [
        "web.ab, 4 clients: The best of web.ab at 4 clients.",
        "  Next: wattmark compare --workload web.ab --level '4 clients'",
    ]


def test_more_workloads_than_are_read_are_counted_and_failed_runs_say_nothing() -> None:
    lines = said(*(result(name, "all threads") for name in "abcde"), result("f", "all threads", RunStatus.FAILED))
    assert lines[-1] == "2 more workloads: wattmark results"
    assert len(lines) == 7
    assert said(result("f", "all threads", RunStatus.FAILED)) == []


def test_a_campaign_is_resumed_by_its_id() -> None:
    assert resumption("c-1", None) == "wattmark run --resume c-1"
    assert resumption("c-1", Path("d")) == "wattmark run --resume c-1 --data d"
