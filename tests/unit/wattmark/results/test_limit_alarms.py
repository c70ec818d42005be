"""Verdicts about limits that were exceeded in a window of 100 s; spans are added up by hand."""

from __future__ import annotations

import pytest
from wattmark.analysis.efficiency.window import RULES, Window
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.verdicts import limit_alarms
from wattmark.runs.alarms import Alarm, RunAlarms
from wattmark.runs.disclosure import Disclosure
from wattmark.runs.record import RunRecord

from tests.stored_run import make_run

S = 10**9
WINDOW = Window(1000 * S, 1100 * S, RULES["complete"])


def alarm(begin_s: int, end_s: int | None, worst: float = 320.0, *, must: bool = False, seen_s: int = 0) -> Alarm:
    return Alarm(
        number=1,
        source="wall",
        channel="power",
        side="high",
        limit=300.0,
        unit="W",
        run_must_keep=must,
        begin_ns=begin_s * S,
        seen_ns=(seen_s or end_s or 0) * S,
        end_ns=None if end_s is None else end_s * S,
        worst=worst,
    )


def run(alarms: RunAlarms | None) -> RunRecord:
    return make_run(disclosure=Disclosure(alarms=alarms))


def judge(*crossed: Alarm, limits: int = 2, **more) -> tuple[str, float | None, float | None, str]:
    verdict = limit_alarms(run(RunAlarms(limits=limits, crossed=crossed, **more)), WINDOW)
    return verdict.outcome, verdict.value, verdict.limit, verdict.text


def test_a_limit_that_runs_must_keep_fails_the_run() -> None:
    assert judge(alarm(990, 1010, must=True), alarm(1005, 1040)) == (
        "fail",
        10.0,
        0.0,
        "wall power was above 300 W for 10 s of the window (up to 320). "
        "The bench file requires runs to keep this limit: repeat the run. "
        "Besides, wall power was above 300 W for 35 s of the window (up to 320).",
    )


def test_what_a_simulated_meter_said_is_named_as_simulated() -> None:
    *_, text = judge(alarm(1010, 1020, 310.0).changed(simulated=True))
    assert "(up to 310, simulated)" in text


def test_another_limit_is_told_and_not_judged() -> None:
    outcome, value, limit, text = judge(alarm(1010, 1020, 310.0), alarm(1015, 1030, 340.0))
    assert (outcome, value, limit) == ("not-checked", 20.0, None), "from 1010 s to 1030 s, counted once"
    assert text.startswith("wall power was above 300 W for 20 s of the window in 2 alarms (up to 340). The bench file")


@pytest.mark.parametrize(
    ("crossed", "seconds"),
    [
        (alarm(1090, None, must=True, seen_s=1200), 10.0),
        (alarm(1090, None, must=True, seen_s=1095), 5.0),
        (alarm(1100, 1110, must=True), 0.0),
    ],
)
def test_without_an_end_it_lasts_as_far_as_readings_tell(crossed: Alarm, seconds: float) -> None:
    assert judge(crossed)[:2] == ("fail", seconds)


def test_limits_that_were_kept_pass() -> None:
    text = "None of the 2 limits that the bench sets for its instruments was crossed in the window."
    assert judge() == ("pass", 0.0, 0.0, text)
    assert judge(alarm(1101, 1110, must=True))[0] == "pass", "after the window"


def test_what_nobody_could_see_is_not_judged() -> None:
    outcome, value, _, text = judge(unwatched=["bmc inlet_temp high 35"])
    assert (outcome, value) == ("not-checked", None)
    assert text == "No usable reading in the window for bmc inlet_temp high 35."
    assert judge(alarm(1000, 1010, must=True), unwatched=["bmc inlet_temp high 35"])[0] == "fail"


def test_where_nothing_is_known_the_reason_is_said() -> None:
    without_limits, without_window = limit_alarms(run(None), WINDOW), limit_alarms(run(RunAlarms(limits=1)), None)
    assert {without_limits.outcome, without_window.outcome} == {"not-checked"}
    assert without_limits.text == "The bench sets no limit for the instruments of this run."
    assert without_window.text == "The run has no window in which a limit could be crossed."


@pytest.mark.parametrize(("must", "why"), [(True, "outside a limit that excludes runs (rule alarms)"), (False, None)])
def test_only_a_limit_that_runs_must_keep_is_excluded(store, record, *, must: bool, why: str | None) -> None:
    made = record()
    lasting = alarm(1, None, must=must, seen_s=4_000_000_000)
    disclosure = Disclosure(alarms=RunAlarms(limits=1, crossed=(lasting,)))
    result = evaluate(made.changed(disclosure=disclosure), store)
    assert [verdict.rule for verdict in result.verdicts if verdict.rule == "alarms"] == ["alarms"]
    assert why_not_ranked(result, "throughput") == why
