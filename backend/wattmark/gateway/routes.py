"""What the gateway speaks, to whom, and how often it is asked."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.gateway.gateway import Gateway
from wattmark.gateway.views import GatewayOut
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/gateway", tags=["gateway"])
GatewayDep = Annotated[Gateway, provided(Gateway)]


@router.get("")
async def list_speakers(gateway: GatewayDep) -> GatewayOut:
    """List what is spoken to other programs: what each speaker shows, who asks it, and what keeps one from speaking."""
    return GatewayOut(speakers=gateway.states())
