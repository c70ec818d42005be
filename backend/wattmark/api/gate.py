"""How routes reach the gate."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from wattmark.access.gate import Gate
from wattmark.api.appliance import ApplianceDep


def _gate(appliance: ApplianceDep) -> Gate:
    return appliance.gate


GateDep = Annotated[Gate, Depends(_gate)]
