"""Archives, audits, importers and fleet, each imported when first asked for; in service and reader alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock

from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.fleet.clickhouse.settings import read_clickhouse_settings
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer

if TYPE_CHECKING:
    from wattmark.archives.data_folder import Archives
    from wattmark.audits.audits import Audits
    from wattmark.fleet.reading.fleet_store import FleetStore
    from wattmark.fleet.shared.shared_store import SharedStore
    from wattmark.importers.published_imports import PublishedImports


class Wings:
    """Each is built when first asked for; what is wrong with its settings is refused at the start (`InputError`)."""

    def __init__(
        self,
        data_dir: Path,
        storage: Storage,
        results: Evaluations,
        issuer: Issuer,
        lab: Callable[[], str],
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._results = results
        self._issuer = issuer
        self._lab = lab
        self._clock = clock
        self._signing_key = load_signing_key(data_dir / KEY_FILE)
        self._clickhouse = read_clickhouse_settings()

    @cached_property
    def archives(self) -> Archives:
        """Whole runs as files."""
        from wattmark.archives.data_folder import Archives

        return Archives(self._storage, self._results, self._issuer, self._lab, self._signing_key)

    @cached_property
    def audits(self) -> Audits:
        """Published results, checked."""
        from wattmark.audits.audits import Audits

        return Audits(self._storage.runs)

    @cached_property
    def imports(self) -> PublishedImports:
        """What others measured."""
        from wattmark.importers.published_imports import PublishedImports

        return PublishedImports(self._storage, self._results, self._issuer)

    @cached_property
    def fleet(self) -> FleetStore:
        """The runs of many labs."""
        from wattmark.comparison.published.library import load_published
        from wattmark.fleet.reading.fleet_store import FleetStore

        return FleetStore(self._clickhouse, load_published)

    @cached_property
    def shared(self) -> SharedStore:
        """Runs on a shared server."""
        from wattmark.fleet.shared.shared_store import SharedStore

        return SharedStore(self.fleet, self._storage, self.archives, self._clock)
