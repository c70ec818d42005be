"""The bench as a whole: its text, its lab, what was changed and taken back, passwords; entries: bench_entries.py."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, SecretStr

from wattmark.access.http.about import About
from wattmark.access.roles import Role
from wattmark.bench.bench import Bench
from wattmark.bench.editing.editor import entries_of
from wattmark.bench.editing.plain import set_lab
from wattmark.bench.editing.views import ChangesOut, EditOut, SecretOut, ShapedAs, SourceOut
from wattmark.bench.routes.change import RESPONSES, ChangeDep
from wattmark.bench.service import BenchService
from wattmark.core.inputs import LINE, VERBATIM, Input, Text
from wattmark.core.schema import Schema
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/bench", tags=["bench"], responses=RESPONSES)
BenchServiceDep = Annotated[BenchService, provided(BenchService)]


class BenchEntries(Schema):
    """Entries of the bench file as written, without defaults, and without `notify`: its addresses are private."""

    version: str
    bench: Annotated[dict[str, Any], ShapedAs(Bench)]


class NewText(Input):
    """The whole text of the bench file."""

    text: Annotated[str, VERBATIM]


class NewLab(Input):
    """The name of the lab."""

    lab: Text


class NewSecret(Input):
    """A password of a meter or BMC, and the only address to which it is sent."""

    owner: Text
    """Id of the meter or BMC."""
    model: Text
    """Model of the driver catalogue, such as "ipmi.bmc"."""
    url: Annotated[str, Field(max_length=1024), LINE]
    """Address as the model's driver describes it; of a BMC by IPMI, "ipmi://HOST:PORT"."""
    password: SecretStr


@router.get("/entries")
async def entries(bench_service: BenchServiceDep) -> BenchEntries:
    """Return the servers, meters, BMCs, workloads and plans as written in the file, for editing; never `notify`."""
    editor = bench_service.editor
    return BenchEntries(version=editor.version, bench=entries_of(editor.document))


@router.get("/source")
def source(bench_service: BenchServiceDep) -> SourceOut:
    """Return the text of the bench file as it is on disk now; for administrators, since `notify` stands in it."""
    return bench_service.editor.source()


@router.put("/source")
async def put_source(order: NewText, change: ChangeDep, about: About) -> EditOut:
    """Change the whole text of the bench file."""
    made = await change.make(lambda editor, seen: editor.prepare_text(order.text, seen))
    about(made.change)
    return made


@router.patch("")
async def name_lab(order: NewLab, change: ChangeDep, about: About) -> EditOut:
    """Return the lab."""
    about(order.lab)
    edit = set_lab(order.lab)
    return await change.make(lambda editor, seen: editor.prepare(edit, seen))


@router.get("/changes")
def changes(bench_service: BenchServiceDep) -> ChangesOut:
    """List the changes made by the service, newest first."""
    return bench_service.editor.changes()


@router.post("/undo")
async def undo(change: ChangeDep, about: About) -> EditOut:
    """Undo the latest change that has not been undone yet. An operator can undo only their own."""
    of = None if change.who.role.may(Role.ADMIN) else change.who.name
    made = await change.make(lambda editor, seen: editor.prepare_undo(seen, of))
    about(made.change)
    return made


@router.post("/secrets", status_code=201)
def add_secret(order: NewSecret, bench_service: BenchServiceDep, about: About) -> SecretOut:
    """Store a password in a private file of the service. No response ever contains it."""
    about(order.owner)
    return bench_service.store_secret(order.owner, order.password.get_secret_value(), order.model, order.url)
