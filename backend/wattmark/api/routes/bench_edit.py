"""The bench as a whole: its text, its lab, what was changed and taken back, passwords; entries: bench_entries.py."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, SecretStr

from wattmark.access.roles import Role
from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.bench_change import RESPONSES, ChangeDep
from wattmark.editing.plain import set_lab
from wattmark.editing.room import entries_of
from wattmark.editing.views import ChangesOut, EditOut, SecretOut, ShapedAs, SourceOut
from wattmark.given import AsGiven, Given
from wattmark.inventory.bench import Bench
from wattmark.schema import Schema

router = APIRouter(prefix="/api/bench", tags=["bench"], responses=RESPONSES)


class BenchEntries(Schema):
    """What stands in the bench file, entry by entry, and only what stands there."""

    version: str
    bench: Annotated[dict[str, Any], ShapedAs(Bench)]


class NewText(Given):
    """The whole text of the bench file."""

    text: Annotated[str, AsGiven()]


class NewLab(Given):
    """The name of the lab."""

    lab: str


class NewSecret(Given):
    """A password of a meter or BMC, and the address that it is for: it never goes to another one."""

    owner: str
    """Id of the meter or BMC."""
    model: str
    """Model of the driver catalogue, such as "ipmi.bmc"."""
    url: Annotated[str, Field(max_length=1024)]
    """Address as the model's driver describes it; of a BMC with a host, "ipmi://HOST:PORT"."""
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
async def put_source(order: NewText, change: ChangeDep, about: About) -> EditOut:
    """Change the whole text of the bench file."""
    made = await change.make(lambda room, seen: room.prepare_text(order.text, seen))
    about(made.change)
    return made


@router.patch("")
async def name_lab(order: NewLab, change: ChangeDep, about: About) -> EditOut:
    """Name the lab."""
    about(order.lab)
    edit = set_lab(order.lab)
    return await change.make(lambda room, seen: room.prepare(edit, seen))


@router.get("/changes")
def changes(appliance: ApplianceDep) -> ChangesOut:
    """List the changes that the service made, the newest first."""
    return appliance.bench.room.changes()


@router.post("/undo")
async def undo(change: ChangeDep, about: About) -> EditOut:
    """Take the newest change back that has not been taken back yet; an operator only one of their own."""
    of = None if change.who.role.may(Role.ADMIN) else change.who.name
    made = await change.make(lambda room, seen: room.prepare_undo(seen, of))
    about(made.change)
    return made


@router.post("/secrets", status_code=201)
def add_secret(order: NewSecret, appliance: ApplianceDep, about: About) -> SecretOut:
    """Keep a password in a private file of the service; no answer ever gives it back."""
    about(order.owner)
    return appliance.bench.store_secret(order.owner, order.password.get_secret_value(), order.model, order.url)
