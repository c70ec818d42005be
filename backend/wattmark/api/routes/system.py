"""Health of the service."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import Health

router = APIRouter(prefix="/api", tags=["system"])


@router.get("/health")
def health(appliance: ApplianceDep) -> Health:
    """Tell that the service answers, and what it works on."""
    return Health(
        status="ok",
        version=appliance.version,
        started=appliance.started,
        data_dir=str(appliance.settings.data_dir),
        bench=str(appliance.settings.bench) if appliance.settings.bench else None,
        recording=appliance.campaigns.running,
    )
