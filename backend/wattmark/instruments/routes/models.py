"""Meter models, and the forms to connect them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.instruments.model_views import AddressFields, AddressOut, AddressText, ModelLimitsOut, ModelOut, ModelsOut
from wattmark.instruments.models import describe_model, from_address, list_limits, list_models, to_address

router = APIRouter(
    prefix="/api/models",
    tags=["models"],
    responses={422: {"model": EditProblem, "description": "The problem and the field that it concerns"}},
)


@router.get("")
def models() -> ModelsOut:
    """List all meter models that this installation knows."""
    return list_models()


@router.get("/limits")
def limits(
    power_w: Annotated[float, Query(gt=0, le=1_000_000, description="Expected load [W].")] = 400.0,
) -> ModelLimitsOut:
    """List the limits of error of all models at a load, to choose one by."""
    return list_limits(power_w)


@router.get("/{model}")
def model(model: str) -> ModelOut:
    """Describe a model: the fields of each way to connect it, its options, accuracy, ranges, channels and quirks."""
    return describe_model(model)


@router.post("/{model}/address")
def write_address(model: str, form: AddressFields) -> AddressOut:
    """Build the address from the fields of a form. Opens nothing."""
    return to_address(model, form)


@router.post("/{model}/fields")
def read_fields(model: str, text: AddressText) -> AddressOut:
    """Return the fields of an address. Opens nothing."""
    return from_address(model, text.url)
