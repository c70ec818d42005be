"""How routes reach the composed appliance."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from wattmark.appliance.appliance import Appliance


def _appliance(request: Request) -> Appliance:
    return cast("Appliance", request.app.state.appliance)


ApplianceDep = Annotated[Appliance, Depends(_appliance)]
