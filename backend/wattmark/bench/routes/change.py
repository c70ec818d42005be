"""Common parameters of all changes of the bench: the version shown, the user, and whether it is only checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request

from wattmark.access.gate import Identity
from wattmark.access.http.permissions import identity_of
from wattmark.access.roles import Role
from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.bench.editing.editor import BenchEditor, Prepared
from wattmark.bench.editing.views import EditOut
from wattmark.bench.service import BenchService
from wattmark.web.problem import Problem
from wattmark.web.provided import provided

BenchServiceDep = Annotated[BenchService, provided(BenchService)]
RESPONSES: dict[int | str, dict[str, Any]] = {
    409: {
        "model": Problem,
        "description": "Changed by someone else, in use by a campaign, or referred to by other entries",
    },
    422: {"model": EditProblem, "description": "The problem and the field that it concerns"},
}


@dataclass(frozen=True, slots=True)
class Change:
    """A requested change, with the version of the bench that its user was shown."""

    bench_service: BenchService
    version: str
    who: Identity
    check: bool

    async def make(self, prepare: Callable[[BenchEditor, str], Prepared]) -> EditOut:
        """Prepare the change on that version; make it unless it is only checked. Raises `Conflict`, `EditRefused`."""
        return await self.bench_service.change(
            lambda: prepare(self.bench_service.editor, self.version),
            check=self.check,
            by=self.who.name,
            sees_all=self.who.role.may(Role.ADMIN),
        )


def _change(
    request: Request,
    bench_service: BenchServiceDep,
    version: Annotated[
        str, Header(alias="If-Match", description="Version of the bench that the change is based on", max_length=80)
    ],
    check: Annotated[bool, Query(description="Only check the change and return what it would do")] = False,
) -> Change:
    """Collect it; a change that is only checked is not recorded in the audit log."""
    request.state.only_looks = check
    return Change(bench_service, version, identity_of(request), check)


ChangeDep = Annotated[Change, Depends(_change)]
