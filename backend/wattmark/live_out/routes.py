"""Outputs of live readings: how they stand, and a test of each."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.live_out.live_out import LiveOut
from wattmark.live_out.views import AnsweredOut, OutputName, OutputsOut
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/outputs", tags=["outputs"])
LiveOutDep = Annotated[LiveOut, provided(LiveOut)]


@router.get("")
async def list_outputs(live_out: LiveOutDep) -> OutputsOut:
    """List the outputs of live readings: what was sent, and what keeps one from sending."""
    return OutputsOut(outputs=live_out.states())


@router.post("/{name}/test")
async def test_output(name: OutputName, live_out: LiveOutDep) -> AnsweredOut:
    """Send one reading now to the machine that the bench names, and return what it answered."""
    return AnsweredOut(answer=await live_out.test(name))
