"""Names of installations, which the runs disclose: each time a server is fitted, it gets a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wattmark.bench.configuration import Configuration
from wattmark.bench.plan import BetweenRepeats
from wattmark.bench.server import Server
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.runs.record import RunRecord


class Installations:
    """Tracks the installation of each server across campaigns, and its latest repeat."""

    def __init__(self, runs: Iterable[RunRecord], campaign_id: str, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._fitted: dict[str, tuple[str, str]] = {}
        self._repeat: dict[str, int] = {}
        latest = {run.server: run for run in sorted(runs, key=lambda run: run.created_ns) if run.source == "measured"}
        for server, run in latest.items():
            configuration = run.configuration_snapshot.id or run.configuration
            self._fitted[server] = configuration, run.disclosure.installation or new_id()
            if run.campaign_id == campaign_id:
                self._repeat[server] = run.repeat

    def bring_about(self, server: Server, configuration: Configuration) -> None:
        """Note the configuration of a server; setting the one that it already has is not a new installation."""
        if self._fitted.get(server.id, ("", ""))[0] != configuration.id:
            self._fitted[server.id] = configuration.id, self._new_id()
            self._repeat.pop(server.id, None)

    def configuration(self, server: str) -> str | None:
        """Return the configuration that a server was brought to last; None where no run shows one."""
        return self._fitted[server][0] if server in self._fitted else None

    def begin_repeat(self, run: PlannedRun) -> None:
        """Note which repeat is being made of a server as it stands."""
        self._repeat[run.server] = run.repeat

    def next_repeat(self, run: PlannedRun) -> bool:
        """Return whether a run starts a new repeat of the server in its present state."""
        return self._repeat.get(run.server, run.repeat) != run.repeat

    def renew(self, server: Server, how: BetweenRepeats) -> None:
        """Note the action between two repeats; a reboot alone does not change the installation."""
        configuration, name = self._fitted[server.id]
        self._fitted[server.id] = configuration, self._new_id() if how == "re-seat" else name
        self._repeat.pop(server.id, None)

    def name(self, server: str) -> str | None:
        """Return the name that a record discloses."""
        return self._fitted[server][1] if server in self._fitted else None
