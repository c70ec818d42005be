"""Changes of the bench while the service works: checked, written, and taken by the samplers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model

from wattmark.bench.bench import Bench
from wattmark.bench.editing.bound import bound_address
from wattmark.bench.editing.editor import BenchEditor, Prepared
from wattmark.bench.editing.touched import touched, touched_servers
from wattmark.bench.editing.views import EditOut, SecretOut
from wattmark.bench.plan import Plan
from wattmark.core.errors import Conflict
from wattmark.recording.monitor import Monitor, MonitoredMeter, Replaced


class BenchService:
    """One change at a time; what a campaign or a measurement works with does not change under it."""

    def __init__(
        self, editor: BenchEditor, monitor: Monitor, build_meters: Callable[[Bench], list[MonitoredMeter]]
    ) -> None:
        self.editor = editor
        self._monitor = monitor
        self._build_meters = build_meters
        self._lock = asyncio.Lock()
        self._busy_with: Callable[[], Plan | None] = lambda: None
        self._measured: Callable[[], Collection[str]] = lambda: ()

    def guard(self, busy_with: Callable[[], Plan | None], measured: Callable[[], Collection[str]]) -> None:
        """Set what returns the plan under way, if any, and the servers that are measured without a plan."""
        self._busy_with, self._measured = busy_with, measured

    def require_rest(self) -> None:
        """Raise `Conflict` while a change is being made: work that starts now would not have a definite bench."""
        if self._lock.locked():
            raise Conflict("The bench is being changed.", "Try again in a moment.")

    async def change(self, prepare: Callable[[], Prepared], *, check: bool, by: str, sees_all: bool) -> EditOut:
        """Apply a person's change, or only check it. Raises `EditRefused`, `Conflict`, `NotFound`, `StoreError`.

        ``sees_all``: whether the person may see all of the bench file.
        """
        async with self._lock:
            prepared = await asyncio.to_thread(prepare)
            meters = await asyncio.to_thread(self._build_meters, prepared.bench)
            self._refuse_while_used(prepared)
            replaced = Replaced([], [])
            if not check:
                await asyncio.to_thread(self.editor.write, prepared, by)
                self.editor.take(prepared)
                replaced = await self._monitor.replace(meters, aligned=prepared.bench.schedule == "aligned")
        return EditOut(
            version=prepared.after.version,
            written=not check,
            change=prepared.change,
            diff=prepared.diff if sees_all else prepared.shareable_diff,
            started=replaced.started,
            stopped=replaced.stopped,
        )

    def store_secret(self, owner: str, password: str, model: str, url: str) -> SecretOut:
        """Keep a password for a meter or BMC at an address; what comes back is to be named in the bench as its
        password_file. Raises `ConfigurationError` where the model does not understand the address.
        """
        parse_address(url, find_model(model))
        path = self.editor.secrets.store(owner, password, bound_address(model, url))
        return SecretOut(password_file=self.named(path))

    def named(self, file: Path) -> str:
        """Return how the bench names a file: from its folder on, where the file is in it."""
        folder, path = self.editor.bench.folder, file.resolve()
        return str(path.relative_to(folder) if path.is_relative_to(folder) else path)

    def _refuse_while_used(self, prepared: Prepared) -> None:
        plan = self._busy_with()
        if plan is not None and (what := touched(self.editor.bench, prepared.bench, plan)):
            cause = f"The campaign {plan.name} is running and uses {what}."
            raise Conflict(cause, "Stop the campaign, or wait until it ends.")
        servers = self._measured()
        if servers and (what := touched_servers(self.editor.bench, prepared.bench, servers)):
            raise Conflict(f"A measurement is open and uses {what}.", "End it, drop it, or wait until it is dropped.")
