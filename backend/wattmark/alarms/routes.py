"""Alarms that are kept: what was beyond a limit of the bench, and how it ended."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.alarms.log import AlarmLog
from wattmark.alarms.views import AlarmPage
from wattmark.web.provided import provided

router = APIRouter(prefix="/api", tags=["alarms"])
AlarmLogDep = Annotated[AlarmLog, provided(AlarmLog)]
PAGE = 200
LARGEST_NUMBER = 2**53


@router.get("/alarms")
def list_alarms(
    log: AlarmLogDep,
    before: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Alarms older than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = PAGE,
) -> AlarmPage:
    """List alarms, those of earlier starts too, newest first."""
    return log.page(before, limit)
