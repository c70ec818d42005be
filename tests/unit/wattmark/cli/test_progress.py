"""What a person sees of a campaign on the terminal, and in a file."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from wattmark.campaigns.status import CampaignOut
from wattmark.cli.progress import CampaignProgress


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


def shown(*states: CampaignOut, terminal: bool) -> str:
    out = io.StringIO()
    console = Console(
        file=out, force_terminal=terminal, width=110, highlight=False, markup=False, soft_wrap=True, color_system=None
    )
    with CampaignProgress(console) as progress:
        for state in states:
            progress.show(state)
    return out.getvalue()


RUNNING = CampaignOut.model_validate(
    {
        "state": "running",
        "phase": "measure",
        "phase_begin_s": 100.0,
        "phase_end_s": 104.0,
        "runs": [run(0, "complete", efficiency=71.66, efficiency_unit="requests/J"), run(1, "running")],
        "live_power_w": 240.72,
        "live_throughput": 21274.0,
        "live_throughput_unit": "requests/s",
    }
)
ENDED = RUNNING.model_copy(
    update={
        "state": "complete",
        "runs": [RUNNING.runs[0], RUNNING.runs[1].model_copy(update={"state": "skipped", "reason": "Enough."})],
        "message": "1 of 2 runs were skipped.",
    }
)


def test_each_finished_run_is_one_line_with_its_level_and_the_message_comes_last() -> None:
    assert shown(RUNNING, ENDED, ENDED, terminal=False).splitlines() == [
        "  1/2  s/c  web.ab, 1 clients, repeat 1: 71.66 requests/J",
        "  2/2  s/c  web.ab, 2 clients, repeat 1: skipped. Enough.",
        "1 of 2 runs were skipped.",
    ]


def test_the_run_under_way_shows_its_phase_and_live_figures() -> None:
    text = shown(RUNNING, terminal=True)
    assert "measure" in text
    assert "c, web.ab, 2 clients, repeat 1, 240.7 W, 21 274 requests/s" in text


def test_no_phase_seems_to_go_on_when_nothing_runs() -> None:
    text = shown(RUNNING, ENDED, terminal=True)
    assert "measure" not in text[text.rindex("2 of 2 runs") :]
    assert " , " not in text


def test_runs_that_are_made_together_are_counted() -> None:
    both = RUNNING.model_copy(update={"runs": [*RUNNING.runs, RUNNING.runs[1].model_copy(update={"order": 2})]})
    assert "repeat 1 (and 1 more)" in shown(both, terminal=True)
