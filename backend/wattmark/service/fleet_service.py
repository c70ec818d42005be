"""A service without bench and meters that shows a fleet; it stores tokens and the audit log."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from anyio import to_thread
from wattmark_drivers.clock import SystemClock

from wattmark.access.gate import Gate
from wattmark.core.errors import InputError
from wattmark.core.instants import iso
from wattmark.core.version import version
from wattmark.fleet.clickhouse.settings import ClickHouseSettings, read_clickhouse_settings
from wattmark.results.data_folder import Storage, open_storage
from wattmark.service.health import folder_problems
from wattmark.service.settings import Settings

if TYPE_CHECKING:
    from wattmark.service.metrics.figures import Figures


class FleetService:
    """The rooms of a service that only reads a fleet. Its routes run in threads: no meter waits for them."""

    reader = None
    recording = False

    def __init__(
        self, settings: Settings, storage: Storage, fleet: ClickHouseSettings, figures: Figures | None = None
    ) -> None:
        from wattmark.comparison.published.library import load_published
        from wattmark.fleet.reading.fleet_store import FleetStore  # an appliance has this module without the wing

        clock = SystemClock()
        self.settings = settings
        self.figures = figures
        self.version = version()
        self.started = iso(clock.utc_ns())
        self.gate = Gate(storage.tokens, storage.audit, clock, session_s=settings.session_hours * 3600)
        self._storage = storage
        self._fleet = FleetStore(fleet, load_published, alone=True)

    async def __aenter__(self) -> Self:
        """Do nothing: the connection opens with the first query."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection and the data folder."""
        await to_thread.run_sync(self._fleet.close)
        await to_thread.run_sync(self._storage.close)

    def provided(self) -> dict[type[object], object]:
        """Map each class that routes need to its one instance here."""
        return {Gate: self.gate, type(self._fleet): self._fleet}

    def problems(self) -> list[str]:
        """List what keeps this service from showing the fleet."""
        fleet = self._fleet.out()
        return folder_problems(self.settings.data_dir) + ([f"{fleet.problem} {fleet.remedy}"] if fleet.problem else [])

    def notes(self) -> list[str]:
        """Return an empty list: a fleet service has no meter that could fail alone."""
        return []

    def announce(self, address: str) -> None:
        """Announce this service's address to commands that find the data folder in use. Raises `StoreError`."""
        self._storage.database.announce(address)

    def end_streams(self) -> None:
        """Do nothing: there are no live streams."""


def open_fleet_service(settings: Settings, url: str, figures: Figures | None = None) -> FleetService:
    """Open the data folder of a service that shows the fleet at an address. Raises `WattmarkError` with the remedy."""
    if settings.bench is not None:
        raise InputError("A service that shows a fleet has no bench.", "Omit --bench and WATTMARK_BENCH, or --fleet.")
    fleet = read_clickhouse_settings(url=url)
    assert fleet is not None  # noqa: S101 - an address is given
    fleet.check()
    storage = open_storage(settings.data_dir)
    try:
        return FleetService(settings, storage, fleet, figures)
    except BaseException:
        storage.close()
        raise
