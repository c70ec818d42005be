"""Verdicts on the record of how the run was made: clocks, recording, settling, cooling, settings, memory slots."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from wattmark_calibration import UncertainValue

from wattmark.analysis.clocks.clocks import ServerClock
from wattmark.analysis.efficiency.steady_state import STEADY_RULES
from wattmark.analysis.verdict import Outcome, Verdict, at_most, not_checked
from wattmark.core.numbers import format_number, signed_number
from wattmark.core.quantity import Quantity
from wattmark.results.inventory_part import MEMORY_SLOTS, MemoryInventory
from wattmark.runs.record import RunRecord

CLOCK_STEP = "clock-step"
SERVER_CLOCK = "server-clock"
RECORDING = "recording"
SETTLED = "settled"
COOL_DOWN = "cool-down"
POWER_SETTINGS = "power-settings"
SHARE_OF_U95 = 0.1
"""A step that changes a figure by no more than this share of its U95 leaves a 95 % interval one of 94.6 %."""
UNSTATED_PCT = 0.1
"""Largest change by a step for a figure without ±."""
STAMPED_S = 0.01
"""Two clocks read one after the other on a busy machine differ by so much without any step."""
MOST = 3


def clock_step(run: RunRecord, window_s: float | None, figure: UncertainValue | None) -> Verdict:
    """Evaluate the step of the clock of marks and readings within the window [s].

    The window, and so the time by which work is divided, is too long or too short by the step. ``figure`` is work per
    joule, else the figure that the run has: the limit is a tenth of its U95.
    """
    facts = run.disclosure.window
    step_s = facts.clock_step_s
    if step_s is None and facts.begin is not None and facts.end is not None:
        # the monotonic clock is never set, so the difference of both spans is what UTC was set by
        by_utc_ns = facts.end.utc_ns - facts.begin.utc_ns
        step_s = (by_utc_ns - (facts.end.monotonic_ns - facts.begin.monotonic_ns)) / 1e9
    if step_s is None:
        text = "The marks were taken by one clock only, so nothing tells whether it was set meanwhile."
        return not_checked(CLOCK_STEP, None, "s", text)
    if window_s is None:
        return not_checked(CLOCK_STEP, None, "s", "The run has no window for a step of the clock to change.")
    limit_s = max(STAMPED_S, _allowed_pct(figure) / 100 * window_s)
    text = (
        f"The clock of marks and readings was set by {signed_number(step_s, 3)} s in a window of "
        f"{format_number(window_s, 4)} s"
    )
    if abs(step_s) > limit_s:
        text += (
            f", which changes work per second and per joule by {format_number(100 * abs(step_s) / window_s, 2)} %. "
            "Wait until the "
            "clock is synchronised, then repeat the run"
        )
    return at_most(CLOCK_STEP, step_s, limit_s, "s", f"{text}.")


def _allowed_pct(figure: UncertainValue | None) -> float:
    """Return the allowed change of a figure by a step of the clock [%]."""
    stated = None if figure is None else Quantity.of(figure)
    if stated is None or stated.U95 is None or not stated.value:
        return UNSTATED_PCT
    return SHARE_OF_U95 * 100 * stated.U95 / abs(stated.value)


def server_clock(run: RunRecord, clock: ServerClock | None) -> Verdict:
    """Evaluate whether the clock of the load's machine was set during the run; the value is u of its marks [s]."""
    facts = run.disclosure.clock
    if facts.stepped or (clock is not None and clock.fit.stepped):
        text = (
            f"The clock of {run.server} was changed during the run, so its marks do not match the readings. Wait until "
            "its time service has settled, then repeat the run."
        )
        return Verdict(SERVER_CLOCK, None, None, "s", "fail", text)
    if clock is not None:
        problem = f" It stopped answering for a time: {facts.problem}" if facts.problem else ""
        text = (
            f"The clock of {run.server} ran evenly; its marks are known to {format_number(clock.u_marks_s, 2)} "
            f"s.{problem}"
        )
        return Verdict(SERVER_CLOCK, clock.u_marks_s, None, "s", "pass", text)
    if facts.problem is not None:
        return not_checked(SERVER_CLOCK, None, "s", f"The clock of {run.server} was not compared: {facts.problem}")
    if facts.remark is not None:
        return Verdict(SERVER_CLOCK, None, None, "s", "pass", facts.remark)
    text = "The record does not state whether load and readings were stamped by the same clock."
    return not_checked(SERVER_CLOCK, None, "s", text)


def recording(run: RunRecord, meters: Collection[str]) -> Verdict:
    """Evaluate problems in recording the meters of the result; ``meters`` are their names."""
    beside = (f"{run.server} ", *(f"{m.name} " for m in run.meters if m.name not in meters), "host ", "host/")
    problems, ours = run.disclosure.recording_problems, run.disclosure.recorded_by or run.disclosure.host.wattmark
    serious = [problem for problem in problems if not problem.startswith(beside)]
    if serious:
        text = f"{_listed(serious)} Check the meter and its connection, then repeat the run."
    elif not problems and not ours:
        text = "Another program recorded the run, or the record does not state which."
        return not_checked(RECORDING, 0.0, "1", text)
    elif problems:
        text = f"The meters of the result were recorded without a problem. Beside them: {_listed(problems)}"
    else:
        text = "Nothing went wrong with the recording."
    return at_most(RECORDING, float(len(serious)), 0.0, "1", text)


def _listed(problems: Sequence[str]) -> str:
    more = f" {len(problems) - MOST} more problems were recorded." if len(problems) > MOST else ""
    return " ".join(problem if problem.endswith(".") else f"{problem}." for problem in problems[:MOST]) + more


def settled(run: RunRecord, verdicts: Sequence[Verdict]) -> Verdict:
    """Evaluate whether the power had settled when the window began; ``verdicts`` on the window itself tell more."""
    facts = run.disclosure.settled
    if facts is None or facts.steady is None:
        text = "The plan does not wait for steady power." if facts is None else "Nothing told whether power was steady."
        return not_checked(SETTLED, None, "s", text)
    state = "steady" if facts.steady else "not steady"
    text = (
        f"Power was {state} over {format_number(facts.over_s, 4)} s, {format_number(facts.after_s, 4)} s after the "
        "load began"
    )
    judged = [v.outcome for v in verdicts if v.rule in STEADY_RULES]
    passed = facts.steady or (bool(judged) and all(outcome == "pass" for outcome in judged))
    if not facts.steady and passed:
        text += ", but over the window"
    elif not passed:
        text += ", and the window does not show that it settled. Allow more time to settle, then repeat the run"
    outcome: Outcome = "pass" if passed else "fail"
    return Verdict(SETTLED, facts.after_s, None, "s", outcome, f"{text}.")


def cool_down(run: RunRecord) -> Verdict:
    """Evaluate whether the server cooled down after its load as far as the plan asks [degree Celsius]."""
    facts = run.disclosure.cool_down
    if facts is None:
        return not_checked(COOL_DOWN, None, "°C", "The plan does not wait until the server is cool.")
    last = "no temperature was read" if facts.last_c is None else f"it was at {format_number(facts.last_c, 3)} °C"
    text = (
        f"After {format_number(facts.after_s, 4)} s of rest {last}; the plan waits for "
        f"{format_number(facts.until_c, 3)} °C."
    )
    if facts.last_c is None:
        return not_checked(COOL_DOWN, facts.until_c, "°C", text)
    if not facts.reached:
        text += " The next run began on a warmer server: allow more time."
    return Verdict(COOL_DOWN, facts.last_c, facts.until_c, "°C", "pass" if facts.reached else "fail", text)


def power_settings(run: RunRecord) -> Verdict:
    """Evaluate whether the settings made for a run lasted until the end of its load; the value counts the others."""
    facts = run.disclosure
    if facts.settings is None:
        return not_checked(POWER_SETTINGS, None, "1", "No power setting was made for the run.")
    if facts.settings_changed is None:
        text = "Whether the power settings of the run lasted until its end was not recorded."
        return not_checked(POWER_SETTINGS, 0.0, "1", text)
    if facts.settings_changed:
        text = (
            f"{' '.join(facts.settings_changed)} Somebody else set it during the run: stop programs that do so (tuned, "
            "power-profiles-daemon, thermald), then repeat the run."
        )
    else:
        text = f"The server still had {facts.settings.words()} after the load."
    return at_most(POWER_SETTINGS, float(len(facts.settings_changed)), 0.0, "1", text)


def memory_slots(inventory: MemoryInventory | None) -> Verdict:
    """Evaluate whether the modules of the bench file are those of the inventory; the value counts contradictions."""
    if inventory is None:
        return not_checked(MEMORY_SLOTS, None, "1", "The bench file declares no memory modules.")
    if not inventory.verifies and not inventory.contradictions:
        return not_checked(MEMORY_SLOTS, None, "1", inventory.statement)
    return at_most(MEMORY_SLOTS, float(len(inventory.contradictions)), 0.0, "1", inventory.statement)
