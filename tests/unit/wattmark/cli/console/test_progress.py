"""What a person sees of a campaign on the terminal, and in a file."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.cli.console.progress import CampaignProgress, remarks_of


def run(order: int, state: str, **more: Any) -> dict[str, Any]:
    return {
        "order": order,
        "run_id": None,
        "server": "s",
        "configuration": "c",
        "workload": "web.ab",
        "level": f"{2**order} clients",
        "repeat": 1,
        "state": state,
        **more,
    }


def rendered(*states: CampaignOut, terminal: bool) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=terminal, width=110, highlight=False, markup=False, soft_wrap=True, color_system=None
    )
    with CampaignProgress(console) as progress:
        for state in states:
            progress.show(state)
    return out.getvalue()


UNDER_WAY = {
    "run_index": 1,
    "run_id": "r",
    "server": "s",
    "configuration": "c",
    "phase": "measure",
    "phase_begin_s": 100.0,
    "phase_end_s": 104.0,
    "live_power_w": 240.72,
    "live_throughput": 21274.0,
    "live_throughput_unit": "requests/s",
}
RUNNING = CampaignOut.model_validate(
    {
        "state": "running",
        "runs": [run(0, "complete", efficiency={"value": 71.66, "unit": "requests/J"}), run(1, "running")],
        "under_way": [UNDER_WAY],
    }
)
ENDED = RUNNING.model_copy(
    update={
        "state": "complete",
        "under_way": [],
        "runs": [RUNNING.runs[0], RUNNING.runs[1].model_copy(update={"state": "skipped", "reason": "Enough."})],
        "message": "1 of 2 runs was skipped.",
    }
)


def test_each_finished_run_is_one_line_with_its_level_and_the_message_comes_last() -> None:
    assert rendered(RUNNING, ENDED, ENDED, terminal=False).splitlines() == [
        "  1/2  s/c  web.ab, 1 clients, repeat 1: 71.7 requests/J without ±",
        "  2/2  s/c  web.ab, 2 clients, repeat 1: skipped. Enough.",
        "1 of 2 runs was skipped.",
    ]


def test_the_run_under_way_shows_its_phase_and_live_figures() -> None:
    text = rendered(RUNNING, terminal=True)
    assert "measure" in text
    assert "s/c, web.ab, 2 clients, repeat 1, 240.7 W, 21 274 requests/s" in text


def test_what_a_simulator_measured_says_so_live_and_at_the_end() -> None:
    done = RUNNING.runs[0].model_copy(update={"simulated": True})
    under_way = RUNNING.under_way[0].model_copy(update={"live_power_simulated": True})
    simulated = RUNNING.model_copy(update={"runs": [done, RUNNING.runs[1]], "under_way": [under_way]})
    text = rendered(simulated, terminal=True)
    assert "240.7 W (simulated), 21 274 requests/s" in text
    assert "71.7 requests/J without ± (simulated)" in text


def test_no_phase_seems_to_go_on_when_nothing_runs() -> None:
    text = rendered(RUNNING, ENDED, terminal=True)
    assert "measure" not in text[text.rindex("2 of 2 runs") :]
    assert " , " not in text


def test_each_server_of_a_group_has_its_own_phase_and_figures_in_a_place_that_stays() -> None:
    def both(first: str, second: str) -> CampaignOut:
        more = {"run_index": 2, "server": "t", "live_power_w": 99.0, "live_throughput": None}
        on_s = {**UNDER_WAY, "phase": first, "phase_begin_s": 100.0 + len(first)}
        on_t = {**UNDER_WAY, **more, "phase": second, "phase_begin_s": 100.0 + len(second)}
        rows = [*RUNNING.runs, CampaignRun.model_validate(run(2, "running", server="t"))]
        return CampaignOut.model_validate({"state": "running", "runs": rows, "under_way": [on_s, on_t]})

    text = rendered(both("ramp", "ramp"), both("settle", "ramp"), both("settle", "measure"), terminal=True)
    *_, first, second = [line for line in text.splitlines() if "web.ab" in line]
    assert first.startswith("settle")
    assert "s/c, web.ab, 2 clients, repeat 1, 240.7 W, 21 274 requests/s" in first
    assert second.startswith("measure")
    assert "t/c, web.ab, 4 clients, repeat 1, 99 W " in second


LONG = "openssl.rsa2048-sign"
REASON = "The BMC is 63 % above the wall meter. Check the sensor, or leave it out of the comparison."


def complete(order: int, reason: str | None = REASON, **more: Any) -> CampaignRun:
    judged = {"key": "barred", "words": "Power sources disagree", "reason": reason, "ranked": []}
    figure = {"value": 25.4731, "unit": "signs/J", "u": 0.105, "k95": 2.0}
    names = {"server": "a-server-with-a-long-name", "configuration": "eight-modules-of-sixteen-gib", "workload": LONG}
    return CampaignRun.model_validate({**run(order, "complete", efficiency=figure, judged=judged), **names, **more})


def test_a_run_is_one_line_of_a_hundred_columns_whose_figure_and_remark_are_never_cut() -> None:
    failed = {"state": "failed", "efficiency": None, "judged": None, "reason": "The load ended with code 1. " * 9}
    status = CampaignOut(state="complete", runs=[complete(0, simulated=True), complete(1).model_copy(update=failed)])
    first, second = rendered(status, terminal=False).splitlines()
    assert max(len(first), len(second)) <= 100
    assert first.endswith("…: 25.47 ± 0.21 signs/J (simulated)  Power sources disagree")
    assert second.endswith("…")
    assert ": failed. The load ended with code 1." in second


def test_a_remark_of_all_runs_is_written_once_under_them() -> None:
    status = CampaignOut(state="complete", runs=[complete(order) for order in range(6)])
    assert list(remarks_of(status, 100)) == [
        "All 6 runs: The BMC is 63 % above the wall meter. Check the sensor, or leave it out of the\n   comparison."
    ]
    assert "63 %" not in rendered(status, terminal=False)


def test_a_remark_of_some_runs_names_them_and_what_a_line_says_is_not_said_again() -> None:
    skipped = CampaignRun.model_validate(run(3, "skipped", reason="Enough."))
    runs = [complete(0), complete(1, "Only this one."), complete(2), skipped]
    assert list(remarks_of(CampaignOut(state="complete", runs=runs), 200)) == [
        f"2 runs (1, 3): {REASON}",
        "Run 2: Only this one.",
    ]
