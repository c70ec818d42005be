"""A campaign whose load runs on another system and is begun and ended by HTTP calls."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from wattmark.campaigns.status import CampaignOut
from wattmark.core.errors import WattmarkError
from wattmark.runs.record import RunStatus

from tests.integration.hook_peer import Peer, listening_peer

HOOK = """level: {one: user, many: users, default: 7}
    hook:
      begin: {url: "http://127.0.0.1:PORT/begin"}
      end: {url: "http://127.0.0.1:PORT/end"}
      poll: {url: "http://127.0.0.1:PORT/status", every_s: 0.1}
      timeout_s: 2
    parser: {kind: json, pointer: /done, reports: interval-total}
  - id: beside
    title: Beside
    unit: ticks
    command: [PYTHON"""


@pytest.fixture
def peer() -> Iterator[Peer]:
    with listening_peer() as listening:
        yield listening


def hook(peer: Peer) -> tuple[str, str]:
    """Put a hook into the bench file in the place of the program."""
    command = f"command: [{sys.executable}"
    return command, HOOK.replace("PORT", str(peer.port)).replace("command: [PYTHON", command)


async def test_every_phase_with_load_is_a_begin_and_an_end(campaign: Any, peer: Peer) -> None:
    out = await campaign.runner(
        hook(peer),
        configurations=("a/two",),
        sync_pattern=True,
        sync_pulses_s=(0.1, 0.2, 0.1),
        measure_s=0.5,
    ).run()
    assert [(row.state, row.reason) for row in out.runs] == [("complete", None)]
    (record,) = campaign.records()
    assert peer.events() == ["clear", *["begin", "end"] * 4]  # the pulse, settling, the window, holding
    begins = [call["body"] for call in peer.calls if call["body"] and call["body"]["event"] == "begin"]
    assert {(body["run_id"], body["server"], body["configuration"], body["level"]) for body in begins} == {
        (record.run_id, "a", "two", 7)
    }
    assert record.level == "7 users"
    assert record.throughput
    assert record.disclosure.window.interval_edge_s > 0
    (pulse,) = next(phase for phase in record.phases if phase.pulses).pulses
    assert (pulse.end_ns - pulse.begin_ns) / 1e9 >= 0.2


async def test_stopping_the_campaign_ends_the_load_elsewhere(campaign: Any, peer: Peer) -> None:
    runner = campaign.runner(hook(peer), measure_s=600)

    def stop(out: CampaignOut) -> None:
        if out.phase == "measure":
            asyncio.get_running_loop().call_later(0.1, runner.stop)

    campaign.on_state = stop
    out = await runner.run()
    assert out.state == "aborted"
    assert campaign.records()[0].status is RunStatus.ABORTED
    assert peer.events()[-1] == "end"
    assert not peer.running


async def test_a_campaign_does_not_start_beside_a_load_that_cannot_be_cleared(
    campaign: Any,
    peer: Peer,
) -> None:
    peer.answers["/end"] = [(500, {"detail": "out of order"})]
    with pytest.raises(WattmarkError, match=r"status 500.*out of order"):
        await campaign.runner(hook(peer)).run()
    assert campaign.records() == []
