"""What an observer outside the appliance has seen, and the operator who sees a campaign to its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

from wattmark.core.errors import WattmarkError
from wattmark.store.sample_store import Samples
from wattmark.store.samples import SqliteSampleStore

from tests.year.client import Answer
from tests.year.wall import SERVER
from tests.year.world import DIMMS, PowerOffError, World

PATIENCE_S = 180.0
"""Simulated time within which every request must be answered, a slow client's too."""
CAMPAIGN_PATIENCE_S = 1800.0
"""Simulated time within which a campaign must end, whatever befell it."""
LOOK_S = 2.0
DONE = {"complete", "failed", "skipped"}


class Watch:
    """Drives a campaign to its end as an operator does, and notes what was acknowledged."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.broken: list[str] = []
        """Invariants that did not hold, one sentence each."""
        self.events: Counter[str] = Counter()
        self.notes: dict[str, str] = {}
        self.tags: dict[str, set[str]] = {}
        self.samples: dict[int, int] = defaultdict(int)
        """Samples that the store has acknowledged, by number of the series."""
        self.power = asyncio.Lock()
        """Held while the appliance is switched off and on."""
        self.paused_until_s = 0.0
        self.give_up_s = CAMPAIGN_PATIENCE_S
        self.boots = 0
        self.ranked: list[tuple[float, float, float]] = []
        """Figure, half-width and truth of each ranked result."""
        self._known: set[asyncio.Task[Any]] = set()

    def break_(self, what: str) -> None:
        """Note a broken invariant."""
        self.broken.append(f"{self.world.loop.time():.3f} s: {what}")

    async def boot_again(self) -> None:
        """Start the service; a disk in trouble is waited for."""
        while True:
            try:
                await self.world.boot()
                self.boots += 1
                return
            except WattmarkError as error:
                if self.world.disk.trouble is None and not self.world.disk.dead:
                    self.break_(f"the service does not start: {error}")
                    raise
                await asyncio.sleep(1.0)

    async def stop(self) -> None:
        """Stop the service in order, and look for what it leaves behind."""
        try:
            await self.world.stop()
        except TimeoutError:
            self.break_("the service does not stop")

    async def ask(self, method: str, path: str, body: Any = None, **how: Any) -> Answer | None:
        """Ask the service; None where it is off or went off. A late answer and an unexpected error are faults."""
        boots = (self.boots, self.world.power_cuts)
        try:
            async with asyncio.timeout(PATIENCE_S):
                answer = await self.world.ask(method, path, body, **how)
        except PowerOffError:
            return None
        except TimeoutError:
            if boots == (self.boots, self.world.power_cuts):
                self.break_(f"{method} {path} is not answered within {PATIENCE_S:g} s")
            return None
        except Exception as error:
            if boots == (self.boots, self.world.power_cuts) and self.world.service is not None:
                self.break_(f"{method} {path} raises {error!r}")
            return None
        if boots != (self.boots, self.world.power_cuts) or self.world.disk.dead:
            return None
        if answer.status == 500:
            self.break_(f"{method} {path}: 500 {answer.body[:300]!r}")
        return answer

    @contextlib.contextmanager
    def acknowledgements(self) -> Iterator[None]:
        """Count the samples that the store has taken, while the block lasts."""
        append = SqliteSampleStore.append

        def counted(store: SqliteSampleStore, batch: Sequence[tuple[int, Samples]]) -> None:
            append(store, batch)
            for series, samples in batch:
                self.samples[series] += len(samples)

        with patch.object(SqliteSampleStore, "append", counted):
            yield

    def run_ids(self) -> list[str]:
        """List the runs of the campaign as it shows them."""
        service = self.world.service
        rows = service.campaigns.status.runs if service is not None else ()
        return [row.run_id for row in rows if row.run_id]

    async def operate(self) -> None:
        """Start the campaign, change modules when asked, resume it when it was broken off, until it has ended."""
        started = False
        while self.world.loop.time() < self.give_up_s:
            await asyncio.sleep(LOOK_S)
            service = self.world.service
            if service is None or self.world.loop.time() < self.paused_until_s:
                continue
            status = service.campaigns.status
            match status.state:
                case "waiting-for-operator":
                    await self._seat()
                    await self.ask("POST", "/api/campaign/ready")
                case "idle" | "complete" | "failed" | "aborted":
                    if status.runs and all(row.state in DONE for row in status.runs):
                        return
                    resumable = status.resumable or (status.campaign_id if status.runs else None)
                    if resumable:
                        await self.ask("POST", "/api/campaign/resume", {})
                    else:
                        await self.ask("POST", "/api/campaign", {"plan": "plan"})
                    started = True
        self.break_(f"the campaign does not end (started: {started})")

    async def _seat(self) -> None:
        """Put the modules in that the service asks for."""
        service = self.world.service
        text = (service.campaigns.status.message if service is not None else None) or ""
        for name, dimms in DIMMS.items():
            if f"{SERVER} to {name} " in text:
                self.world.machine.catch_up()
                self.world.machine.server.populate(dimms)
