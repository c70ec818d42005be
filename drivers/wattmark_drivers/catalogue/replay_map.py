"""A recorded log, whose header lists its channels."""

from __future__ import annotations

from typing import ClassVar, Literal

from wattmark_drivers.catalogue.protocol_map import ProtocolMap


class ReplayMap(ProtocolMap):
    """Nothing is declared but the engine."""

    schemes: ClassVar = ("replay",)
    engine: Literal["replay"]
