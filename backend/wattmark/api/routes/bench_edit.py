"""Changes of the bench: each names the version that was seen, and can be checked without being made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from pydantic import SecretStr

from wattmark.access.gate import Identity
from wattmark.access.roles import Role
from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.permissions import identity_of
from wattmark.api.schemas import EditProblem, Problem
from wattmark.appliance.appliance import Appliance
from wattmark.editing.plain import Edit, Place, put_entry, remove_entry, set_lab
from wattmark.editing.room import Prepared, entries_of
from wattmark.editing.views import ChangesOut, EditOut, SecretOut, ShapedAs, SourceOut
from wattmark.inventory.bench import Bench
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.instruments import Bmc, Meter
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import Server
from wattmark.schema import Schema

router = APIRouter(
    prefix="/api/bench",
    tags=["bench"],
    responses={
        409: {"model": Problem, "description": "Somebody else has changed it, a campaign uses it, or others name it"},
        422: {"model": EditProblem, "description": "What is wrong, at the field concerned"},
    },
)


def _check(
    request: Request, check: Annotated[bool, Query(description="Only check it and tell what would change")] = False
) -> bool:
    """Read whether nothing is to be changed; then the audit log has nothing to tell either."""
    request.state.only_looks = check
    return check


@dataclass(frozen=True, slots=True)
class Sight:
    """Which version of the bench somebody has seen, and who that is."""

    version: str
    who: Identity


def _seen(
    request: Request,
    version: Annotated[str, Header(alias="If-Match", description="Version of the bench that was seen", max_length=80)],
) -> Sight:
    return Sight(version, identity_of(request))


Seen = Annotated[Sight, Depends(_seen)]
Check = Annotated[bool, Depends(_check)]
Name = Annotated[str, Path(max_length=64)]


class BenchEntries(Schema):
    """What stands in the bench file, entry by entry, and only what stands there."""

    version: str
    bench: Annotated[dict[str, Any], ShapedAs(Bench)]


class NewText(Schema):
    """The whole text of the bench file."""

    text: str


class NewLab(Schema):
    """The name of the lab."""

    lab: str


class NewSecret(Schema):
    """A password of a meter or BMC."""

    owner: str
    """Id of the meter or BMC."""
    password: SecretStr


@router.get("/entries")
async def entries(appliance: ApplianceDep) -> BenchEntries:
    """Give the servers, meters, BMCs, workloads and plans as they stand in the file, to be changed and sent back."""
    room = appliance.bench.room
    return BenchEntries(version=room.version, bench=entries_of(room.document))


@router.get("/source")
def source(appliance: ApplianceDep) -> SourceOut:
    """Give the text of the bench file as it is on disk now."""
    return appliance.bench.room.source()


@router.put("/source")
async def put_source(order: NewText, seen: Seen, appliance: ApplianceDep, about: About, check: Check) -> EditOut:
    """Change the whole text of the bench file."""
    room = appliance.bench.room
    made = await _made(appliance, lambda: room.prepare_text(order.text, seen.version), seen, check=check)
    about(made.change)
    return made


@router.patch("")
async def name_lab(order: NewLab, seen: Seen, appliance: ApplianceDep, about: About, check: Check) -> EditOut:
    """Name the lab."""
    about(order.lab)
    return await _change(appliance, set_lab(order.lab), seen, check=check)


@router.put("/servers/{name}")
async def put_server(
    name: Name,
    body: Annotated[dict[str, Any], ShapedAs(Server)],
    seen: Seen,
    appliance: ApplianceDep,
    check: Check,
) -> EditOut:
    """Add a server, or change the one of that id; another id in the body renames it."""
    return await _put(appliance, Place("servers", name), body, seen, check=check)


@router.delete("/servers/{name}")
async def delete_server(name: Name, seen: Seen, appliance: ApplianceDep, check: Check) -> EditOut:
    """Remove a server that nothing names any more."""
    return await _remove(appliance, Place("servers", name), seen, check=check)


@router.put("/servers/{server}/configurations/{name}")
async def put_configuration(
    server: Name,
    name: Name,
    body: Annotated[dict[str, Any], ShapedAs(Configuration)],
    seen: Seen,
    appliance: ApplianceDep,
    check: Check,
) -> EditOut:
    """Add a configuration to a server, or change the one of that id; another id in the body renames it."""
    return await _put(appliance, Place("configurations", name, server), body, seen, check=check)


@router.delete("/servers/{server}/configurations/{name}")
async def delete_configuration(server: Name, name: Name, seen: Seen, appliance: ApplianceDep, check: Check) -> EditOut:
    """Remove a configuration that no plan names any more."""
    return await _remove(appliance, Place("configurations", name, server), seen, check=check)


@router.put("/meters/{name}")
async def put_meter(
    name: Name,
    body: Annotated[dict[str, Any], ShapedAs(Meter)],
    seen: Seen,
    appliance: ApplianceDep,
    check: Check,
) -> EditOut:
    """Add a meter, or change the one of that id; it is polled at once."""
    return await _put(appliance, Place("meters", name), body, seen, check=check)


@router.delete("/meters/{name}")
async def delete_meter(name: Name, seen: Seen, appliance: ApplianceDep, check: Check) -> EditOut:
    """Remove a meter that no plan needs any more."""
    return await _remove(appliance, Place("meters", name), seen, check=check)


@router.put("/bmcs/{name}")
async def put_bmc(
    name: Name,
    body: Annotated[dict[str, Any], ShapedAs(Bmc)],
    seen: Seen,
    appliance: ApplianceDep,
    check: Check,
) -> EditOut:
    """Add a BMC, or change the one of that id; it is polled at once."""
    return await _put(appliance, Place("bmcs", name), body, seen, check=check)


@router.delete("/bmcs/{name}")
async def delete_bmc(name: Name, seen: Seen, appliance: ApplianceDep, check: Check) -> EditOut:
    """Remove a BMC."""
    return await _remove(appliance, Place("bmcs", name), seen, check=check)


@router.put("/plans/{name}")
async def put_plan(
    name: Name,
    body: Annotated[dict[str, Any], ShapedAs(Plan)],
    seen: Seen,
    appliance: ApplianceDep,
    check: Check,
) -> EditOut:
    """Add a plan, or change the one of that name."""
    return await _put(appliance, Place("plans", name), body, seen, check=check)


@router.delete("/plans/{name}")
async def delete_plan(name: Name, seen: Seen, appliance: ApplianceDep, check: Check) -> EditOut:
    """Remove a plan."""
    return await _remove(appliance, Place("plans", name), seen, check=check)


@router.get("/changes")
def changes(appliance: ApplianceDep) -> ChangesOut:
    """List the changes that the service made, the newest first."""
    return appliance.bench.room.changes()


@router.post("/undo")
async def undo(seen: Seen, appliance: ApplianceDep, about: About, check: Check) -> EditOut:
    """Take the newest change back that has not been taken back yet; an operator only one of their own."""
    of = None if seen.who.role.may(Role.ADMIN) else seen.who.name
    made = await _made(appliance, lambda: appliance.bench.room.prepare_undo(seen.version, of), seen, check=check)
    about(made.change)
    return made


@router.post("/secrets", status_code=201)
def add_secret(order: NewSecret, appliance: ApplianceDep, about: About) -> SecretOut:
    """Keep a password in a private file of the service; no answer ever gives it back."""
    about(order.owner)
    return appliance.bench.store_secret(order.owner, order.password.get_secret_value())


async def _put(appliance: Appliance, place: Place, body: dict[str, Any], seen: Sight, *, check: bool) -> EditOut:
    return await _change(appliance, put_entry(place, body), seen, check=check)


async def _change(appliance: Appliance, edit: Edit, seen: Sight, *, check: bool) -> EditOut:
    return await _made(appliance, lambda: appliance.bench.room.prepare(edit, seen.version), seen, check=check)


async def _remove(appliance: Appliance, place: Place, seen: Sight, *, check: bool) -> EditOut:
    room, edit = appliance.bench.room, remove_entry(place)
    return await _made(appliance, lambda: room.prepare_removal(edit, place, seen.version), seen, check=check)


async def _made(appliance: Appliance, prepare: Callable[[], Prepared], seen: Sight, *, check: bool) -> EditOut:
    return await appliance.bench.change(prepare, check=check, by=seen.who.name)
