"""The entries of the bench, each kind declared once: where it stands, what it holds, and what its two routes do.

Annotations are evaluated here, for those of a route depend on its kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel

from wattmark.bench.configuration import Configuration
from wattmark.bench.editing.plain import EntryPlace, put_entry, remove_entry, remove_server
from wattmark.bench.editing.views import EditOut, ShapedAs
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.plan import Plan
from wattmark.bench.routes.change import RESPONSES, ChangeDep
from wattmark.bench.server import Server

Name = Annotated[str, Path(max_length=64)]


def _of_bench(section: str) -> Callable[..., EntryPlace]:
    def place(name: Name) -> EntryPlace:
        return EntryPlace(section, name)

    return place


def _of_server(section: str) -> Callable[..., EntryPlace]:
    def place(server: Name, name: Name) -> EntryPlace:
        return EntryPlace(section, name, server)

    return place


@dataclass(frozen=True, slots=True)
class EntryKind:
    """A kind of entry: its word, its path, how its place is read from the path, its model, and what the routes do."""

    word: str
    path: str
    place: Callable[..., EntryPlace]
    shape: type[BaseModel]
    put: str
    delete: str


KINDS = (
    EntryKind(
        "server",
        "/servers/{name}",
        _of_bench("servers"),
        Server,
        "Add a server, or change the one of that id; another id in the body renames it.",
        "Remove a server that nothing refers to.",
    ),
    EntryKind(
        "configuration",
        "/servers/{server}/configurations/{name}",
        _of_server("configurations"),
        Configuration,
        "Add a configuration to a server, or change the one of that id; another id in the body renames it.",
        "Remove a configuration that no plan refers to.",
    ),
    EntryKind(
        "meter",
        "/meters/{name}",
        _of_bench("meters"),
        Meter,
        "Add a meter, or change the one of that id; it is polled at once.",
        "Remove a meter that no plan needs.",
    ),
    EntryKind(
        "bmc",
        "/bmcs/{name}",
        _of_bench("bmcs"),
        Bmc,
        "Add a BMC, or change the one of that id; it is polled at once.",
        "Remove a BMC.",
    ),
    EntryKind(
        "plan",
        "/plans/{name}",
        _of_bench("plans"),
        Plan,
        "Add a plan, or change the one of that name.",
        "Remove a plan.",
    ),
)
router = APIRouter(prefix="/api/bench", tags=["bench"], responses=RESPONSES)


def _add_routes(kind: EntryKind) -> None:
    """Add the route that puts an entry and the one that removes it."""
    where = Annotated[EntryPlace, Depends(kind.place)]

    async def put(place: where, body: Annotated[dict[str, Any], ShapedAs(kind.shape)], change: ChangeDep) -> EditOut:
        edit = put_entry(place, body)
        return await change.make(lambda room, seen: room.prepare(edit, seen))

    async def delete(place: where, change: ChangeDep) -> EditOut:
        edit = remove_entry(place)
        return await change.make(lambda room, seen: room.prepare_removal(edit, place, seen))

    router.put(kind.path, name=f"put_{kind.word}", description=kind.put)(put)
    router.delete(kind.path, name=f"delete_{kind.word}", description=kind.delete)(delete)


for _kind in KINDS:
    _add_routes(_kind)


@router.delete("/servers/{name}/with-dependents")
async def delete_server_with_dependents(name: Name, change: ChangeDep) -> EditOut:
    """Remove a server, its BMCs and its configurations in plans; meters stay and measure nothing."""
    edit = remove_server(name)
    return await change.make(lambda room, seen: room.prepare_release(edit, seen))
