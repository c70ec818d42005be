"""What every change of the bench shares: the version that was seen, who asks, and whether it is only checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request

from wattmark.access.gate import Identity
from wattmark.api.appliance import ApplianceDep
from wattmark.api.permissions import identity_of
from wattmark.api.schemas import EditProblem, Problem
from wattmark.appliance.bench_desk import BenchDesk
from wattmark.editing.room import BenchRoom, Prepared
from wattmark.editing.views import EditOut

RESPONSES: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "Somebody else has changed it, a campaign uses it, or others name it"},
    422: {"model": EditProblem, "description": "What is wrong, at the field concerned"},
}


@dataclass(frozen=True, slots=True)
class Change:
    """A change that somebody asks for, with the version of the bench that they have seen."""

    desk: BenchDesk
    version: str
    who: Identity
    check: bool

    async def make(self, prepare: Callable[[BenchRoom, str], Prepared]) -> EditOut:
        """Prepare the change on that version; make it unless it is only checked. Raises `Conflict`, `EditRefused`."""
        return await self.desk.change(lambda: prepare(self.desk.room, self.version), check=self.check, by=self.who.name)


def _change(
    request: Request,
    appliance: ApplianceDep,
    version: Annotated[str, Header(alias="If-Match", description="Version of the bench that was seen", max_length=80)],
    check: Annotated[bool, Query(description="Only check it and tell what would change")] = False,
) -> Change:
    """Gather it; of what is only checked the audit log has nothing to tell."""
    request.state.only_looks = check
    return Change(appliance.bench, version, identity_of(request), check)


ChangeDep = Annotated[Change, Depends(_change)]
