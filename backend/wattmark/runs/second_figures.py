"""Figures beside a result's first ones: above idle, energy-delay products, money, and what is only nominal."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AboveIdle(_Record):
    """Work per joule above idle. Another figure than the efficiency: it leaves out what the server draws anyway."""

    label: str = "above idle"
    idle_power_w: float
    idle_power_u_w: float | None = None
    """Standard uncertainty; None: not known."""
    idle_power_U95_w: float | None = None  # noqa: N815 - the metrologist's symbol
    before_w: float | None = None
    after_w: float | None = None
    power_w: float
    """Loaded power less idle power [W]."""
    power_u_w: float | None = None
    power_U95_w: float | None = None  # noqa: N815
    efficiency: float | None = None
    efficiency_u: float | None = None
    efficiency_U95: float | None = None  # noqa: N815
    unit: str


class DelayProduct(_Record):
    """Energy-delay products of a stated amount of work at the throughput of the run."""

    work: float
    unit: str
    """What is counted: "signs"."""
    time_s: float
    """Time that the whole server takes for so much work."""
    edp_js: float
    edp_u_js: float | None = None
    edp_U95_js: float | None = None  # noqa: N815 - the metrologist's symbol
    ed2p_js2: float
    ed2p_u_js2: float | None = None
    ed2p_U95_js2: float | None = None  # noqa: N815


class CostFigures(_Record):
    """What the work costs with the price of the configuration and the tariff of the bench."""

    currency: str
    price: float
    life_years: float
    tariff_per_kwh: float
    pue: float
    per_operation: float
    """[currency per operation]"""
    per_operation_u: float | None = None
    """From throughput and power alone; price, life, tariff and PUE are taken as stated."""
    per_operation_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    purchase_share_pct: float
    efficiency_per_price: float | None = None
    efficiency_per_price_u: float | None = None
    efficiency_per_price_U95: float | None = None  # noqa: N815
    efficiency_per_price_unit: str


class NominalFigure(_Record):
    """Throughput over the processors' design power: nominal, not measured, and never compared."""

    label: str = "nominal"
    tdp_w: float
    """Of all processors fitted, as their maker states it."""
    efficiency: float
    unit: str
    text: str
