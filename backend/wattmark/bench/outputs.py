"""Where live readings go beside the web app; nothing goes anywhere unless the bench says so."""

from __future__ import annotations

from wattmark.core.part import Part


class Outputs(Part):
    """Outputs of live readings."""

    prometheus: bool = False
    """Whether /metrics contains what the meters measure, beside the figures of the service."""

    @property
    def wanted(self) -> bool:
        """Return whether any output is on."""
        return self.prometheus
