"""Changes of the bench while the service works: checked, written, and taken by the samplers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from wattmark_drivers.address import parse_address
from wattmark_drivers.clock import Clock
from wattmark_drivers.discovery.serial_ports import serial_port_names
from wattmark_drivers.factory import find_model

from wattmark.appliance.bench import check_bench
from wattmark.appliance.instruments import build_meters
from wattmark.editing.bench_file import BenchFile
from wattmark.editing.bound import bound_address
from wattmark.editing.history import History
from wattmark.editing.room import BenchRoom, Prepared
from wattmark.editing.secret_files import SecretFiles
from wattmark.editing.touched import touched
from wattmark.editing.views import EditOut, SecretOut
from wattmark.errors import Conflict
from wattmark.inventory.plan import Plan
from wattmark.recording.monitor import Monitor, Replaced
from wattmark.settings import Settings

OWN_BENCH = "bench.yaml"
"""The bench file of a service that was started without one, in its data folder."""


def open_room(settings: Settings, clock: Clock) -> BenchRoom:
    """Read the bench of a service. Raises `WattmarkError` where it has mistakes or a file that was named is missing."""
    folder = settings.data_dir
    file = BenchFile(settings.bench or folder / OWN_BENCH, must_exist=settings.bench is not None)
    return BenchRoom(
        file,
        History(folder / "bench-history"),
        SecretFiles(folder / "secrets"),
        check_bench,
        lambda: clock.utc_ns() * 1e-9,
        serial_port_names,
    )


class BenchDesk:
    """One change at a time; what a campaign works with does not change under it."""

    def __init__(self, room: BenchRoom, monitor: Monitor, clock: Clock) -> None:
        self.room = room
        self._monitor = monitor
        self._clock = clock
        self._lock = asyncio.Lock()
        self._busy_with: Callable[[], Plan | None] = lambda: None

    def guard(self, busy_with: Callable[[], Plan | None]) -> None:
        """Ask this for the plan that runs, if one does."""
        self._busy_with = busy_with

    def require_rest(self) -> None:
        """Raise `Conflict` while a change is being made: what starts now would not know which bench it has."""
        if self._lock.locked():
            raise Conflict("The bench is being changed.", "Try again in a moment.")

    async def change(self, prepare: Callable[[], Prepared], *, check: bool, by: str) -> EditOut:
        """Make a change of somebody's, or only check it. Raises `EditRefused`, `Conflict`, `NotFound`, `StoreError`."""
        async with self._lock:
            prepared = await asyncio.to_thread(prepare)
            meters = await asyncio.to_thread(build_meters, prepared.bench, self._clock)
            self._refuse_while_used(prepared)
            replaced = Replaced([], [])
            if not check:
                await asyncio.to_thread(self.room.write, prepared, by)
                self.room.take(prepared)
                replaced = await self._monitor.replace(meters, aligned=prepared.bench.schedule == "aligned")
        return EditOut(
            version=prepared.after.version,
            written=not check,
            change=prepared.change,
            diff=prepared.diff,
            started=replaced.started,
            stopped=replaced.stopped,
        )

    def store_secret(self, owner: str, password: str, model: str, url: str) -> SecretOut:
        """Keep a password for a meter or BMC at an address; what comes back is to be named in the bench as its
        password_file. Raises `ConfigurationError` where the model does not understand the address.
        """
        parse_address(url, find_model(model))
        path = self.room.secrets.store(owner, password, bound_address(model, url))
        folder = self.room.bench.folder
        beside = path.resolve().is_relative_to(folder)
        return SecretOut(password_file=str(path.resolve().relative_to(folder) if beside else path.resolve()))

    def _refuse_while_used(self, prepared: Prepared) -> None:
        plan = self._busy_with()
        if plan is not None and (what := touched(self.room.bench, prepared.bench, plan)):
            cause = f"The campaign {plan.name} is running and uses {what}."
            raise Conflict(cause, "Stop it first, or wait for its end.")
