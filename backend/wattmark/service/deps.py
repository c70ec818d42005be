"""How routes reach the composed service."""

from __future__ import annotations

from typing import Annotated, Protocol, cast

from fastapi import Depends, Request

from wattmark.service.metrics.figures import Figures
from wattmark.service.service import Service
from wattmark.service.settings import Settings


class Running(Protocol):
    """Facts that every service reports of itself, on an appliance or for a fleet."""

    @property
    def settings(self) -> Settings: ...
    @property
    def version(self) -> str: ...
    @property
    def started(self) -> str: ...
    @property
    def figures(self) -> Figures | None: ...
    @property
    def recording(self) -> bool: ...

    def problems(self) -> list[str]:
        """List what keeps the service from working."""
        ...

    def notes(self) -> list[str]:
        """List what does not work although the service does."""
        ...


def _service(request: Request) -> Service:
    return cast("Service", request.app.state.service)


def _running(request: Request) -> Running:
    return cast("Running", request.app.state.service)


ServiceDep = Annotated[Service, Depends(_service)]
RunningDep = Annotated[Running, Depends(_running)]
