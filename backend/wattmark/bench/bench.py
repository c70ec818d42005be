"""The bench: everything that the bench file says, with look-ups."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal, Self, TypeVar

from pydantic import Field, PrivateAttr, model_validator

from wattmark.bench.configuration import Configuration, Costs
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.notify import Notify
from wattmark.bench.outputs import Outputs
from wattmark.bench.plan import Plan
from wattmark.bench.server import Server
from wattmark.bench.speak import Speak
from wattmark.bench.workload_entry import WorkloadEntry, WorkloadUse
from wattmark.core.errors import InputError
from wattmark.core.likely import likely
from wattmark.core.part import Part, Word
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration

T = TypeVar("T")


class Bench(Part):
    """Servers, meters, BMCs, workloads and plans of a lab."""

    schema_: Literal["wattmark-bench/1"] = Field(alias="schema")
    lab: Word
    servers: tuple[Server, ...] = ()
    meters: tuple[Meter, ...] = ()
    bmcs: tuple[Bmc, ...] = ()
    workloads: tuple[WorkloadEntry, ...] = ()
    plans: tuple[Plan, ...] = ()
    schedule: Literal["staggered", "aligned"] = "staggered"
    """When meters are polled: spread over their period, or all together at its multiples."""
    costs: Costs | None = None
    """Tariff, PUE and service life for every configuration without its own."""
    outputs: Outputs = Outputs()
    """Where live readings go beside the web app."""
    speak: tuple[Speak, ...] = Field(default=(), max_length=64)
    """What other programs may read in protocols that they know; nothing is open unless it is listed."""
    notify: tuple[Notify, ...] = Field(default=(), max_length=16)
    """Who is told that a campaign ended, failed or needs hands, that a limit was crossed or a meter is lost."""
    _file: Path | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _costs_of_all(self) -> Self:
        """Copy the bench's costs to its configurations, so that every run discloses those that it was made under."""
        if self.costs is not None:
            servers = tuple(_with_costs(server, self.costs) for server in self.servers)
            object.__setattr__(self, "servers", servers)
        return self

    @property
    def file(self) -> Path | None:
        """Return the file that the bench was read from."""
        return self._file

    @property
    def folder(self) -> Path:
        """Return the folder that relative paths and commands of the bench file refer to."""
        return self._file.resolve().parent if self._file else Path.cwd()

    def server(self, server_id: str) -> Server:
        """Find a server. Raises `InputError`."""
        return _find(server_id, {server.id: server for server in self.servers}, "server")

    def configuration(self, reference: str) -> tuple[Server, Configuration]:
        """Find "server/configuration". Raises `InputError`."""
        configurations = {f"{s.id}/{c.id}": (s, c) for s in self.servers for c in s.configurations}
        return _find(reference, configurations, "configuration")

    def plan(self, name: str) -> Plan:
        """Find a plan. Raises `InputError`."""
        return _find(name, {plan.name: plan for plan in self.plans}, "plan")

    def workload(self, name: str) -> Declaration:
        """Find a workload of the bench file or of the catalogue. Raises `InputError`."""
        return _find(name, self.workload_declarations(), "workload")

    def workload_declarations(self) -> dict[str, Declaration]:
        """List all workloads that a plan may name; an entry of the bench file hides the catalogue's of that name."""
        declarations = dict(load_catalogue())
        for entry in self.workloads:
            if not isinstance(entry, WorkloadUse):
                declarations[entry.id] = entry
            elif entry.uses in load_catalogue():
                declarations[entry.name] = entry.apply(load_catalogue()[entry.uses])
        return declarations

    def meters_of(self, server_id: str) -> list[Meter]:
        """List the meters that feed a server, wall meters and secondary meters."""
        return [meter for meter in self.meters if any(feed.server == server_id for feed in meter.feeds)]

    def sources_of(self, entry: Speak) -> list[Meter]:
        """List the meters whose power an entry speaks: the meter that it names, or the wall meters of the server."""
        named = [meter for meter in self.meters if meter.id == entry.what]
        return named or [meter for meter in self.meters_of(entry.what) if meter.role == "wall"]

    def bmcs_of(self, server_id: str) -> list[Bmc]:
        return [bmc for bmc in self.bmcs if bmc.server == server_id]


def _with_costs(server: Server, costs: Costs) -> Server:
    for c in server.configurations:
        if c.costs is None and c.price is not None and c.price.currency != costs.currency:
            raise ValueError(f"costs in the same currency as the price of {server.id}/{c.id}: {c.price.currency}")
    own = tuple(c if c.costs is not None else c.model_copy(update={"costs": costs}) for c in server.configurations)
    return server.model_copy(update={"configurations": own})


def suggestion(name: str, names: Collection[str]) -> str:
    """Suggest the name that a wrong one could have meant, or list those that exist."""
    close = likely(name, names)
    if close:
        return f"did you mean {' or '.join(close)}?"
    listed = ", ".join(sorted(names)[:12]) or "none"
    return f"known: {listed}{', ...' if len(names) > 12 else ''}"


def _find(name: str, entries: dict[str, T], what: str) -> T:
    if name not in entries:
        raise InputError(f"There is no {what} {name!r};", suggestion(name, entries))
    return entries[name]
