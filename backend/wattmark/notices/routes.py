"""Who is told what happens, and a test of each entry."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from wattmark.notices.notices import Notices
from wattmark.notices.views import NotifiersOut, ToldOut
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/notices", tags=["notices"])
NoticesDep = Annotated[Notices, provided(Notices)]
Name = Annotated[str, Path(max_length=64)]


@router.get("")
async def list_notifiers(notices: NoticesDep) -> NotifiersOut:
    """List who is told what happens: what was sent, what waits, and what keeps an entry from sending."""
    return NotifiersOut(notifiers=notices.states())


@router.post("/{name}/test")
async def test_notifier(name: Name, notices: NoticesDep) -> ToldOut:
    """Send a message by one entry of the bench now, and return what took it."""
    return ToldOut(answer=await notices.test(name))
