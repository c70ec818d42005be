"""A server whose connection breaks while it is measured."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from wattmark.campaigns.status import CampaignOut
from wattmark.runs.record import RunStatus

from ..sshd import Sshd
from .test_clocks import run_on


@pytest.mark.parametrize("phase", ["settle", "measure"])
async def test_a_connection_lost_under_load_repeats_the_run(
    phase: str, campaign: Any, make_sshd: Callable[[], Sshd]
) -> None:
    server = make_sshd()

    def drop(out: CampaignOut) -> None:
        if out.phase == phase:
            campaign.on_state = lambda _: None
            server.drop()

    campaign.on_state = drop
    out, (spoilt, repeated) = await run_on(server, campaign, settle_s=0.5)
    assert (out.state, out.runs[0].run_id) == ("complete", repeated.run_id)
    assert (spoilt.status, repeated.status, repeated.attempt) == (RunStatus.FAILED, RunStatus.COMPLETE, 2)
    assert spoilt.disclosure.repeatable
    assert "The connection to" in str(spoilt.reason)
    assert spoilt.phases[-1].name.value == phase
    assert spoilt.phases[-1].end_ns is not None


async def test_a_server_that_reboots_under_load_is_waited_for(campaign: Any, make_sshd: Callable[[], Sshd]) -> None:
    server = make_sshd()

    def pull_the_plug(out: CampaignOut) -> None:
        if out.phase == "measure" and not campaign.records()[-1].reason:
            server.drop()
            server.stop()
        if out.runs[0].state == "failed":
            campaign.on_state = lambda _: None
            asyncio.get_running_loop().call_later(1.5, server.start)

    campaign.on_state = pull_the_plug
    out, (spoilt, repeated) = await run_on(server, campaign)
    assert (out.state, repeated.status, repeated.attempt) == ("complete", RunStatus.COMPLETE, 2)
    assert "was lost" in str(spoilt.reason)
