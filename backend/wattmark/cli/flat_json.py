"""Results as the command line writes them in JSON: every part of a quantity is a field with a name of its own.

Scripts rely on these names. In what is stored, archived and answered by the service a quantity is one object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from wattmark.campaigns.status import CampaignRun
from wattmark.comparison.compare.views import ExcludedPoint, MemoryPoint
from wattmark.core.quantity import BudgetLine, BudgetPart, Quantity
from wattmark.results.issued.review_views import AffectedRun
from wattmark.results.result import CostFigures, DelayProduct, FullLoadPower, IdleSubtracted, NominalFigure, Result
from wattmark.results.state import run_state


class _Names(NamedTuple):
    """Names of the parts of one quantity; None: that part is omitted."""

    value: str
    u: str | None = None
    U95: str | None = None
    dof: str | None = None
    k95: str | None = None
    unit: str | None = None
    budget: str | None = None
    dominant: str | None = None
    scatter: str | None = None


def _in(unit: str, name: str, *more: str) -> _Names:
    """Return the parts of a quantity by its own name and its unit: power_w, power_u_w, power_U95_w."""
    end = f"_{unit}" if unit else ""
    names = {"u": f"{name}_u{end}", "U95": f"{name}_U95{end}"}
    return _Names(f"{name}{end}", **names, **{part: f"{name}_{part}" for part in more})


_POWER = _in("w", "power")
_EFFICIENCY = _in("", "efficiency")
_WITHOUT_U = {"efficiency": _EFFICIENCY._replace(u=None), "throughput": _in("", "throughput")._replace(u=None)}
_QUANTITIES: Mapping[type, Mapping[str, _Names]] = {
    Result: {
        "throughput": _in("", "throughput", "budget", "scatter"),
        "power": _in("w", "power", "dof", "k95", "budget", "dominant", "scatter"),
        "efficiency": _in("", "efficiency", "dof", "k95", "budget", "dominant", "scatter"),
        "energy_per_op": _in("j", "energy_per_op"),
    },
    FullLoadPower: {"power": _in("w", "power", "dof", "k95")},
    IdleSubtracted: {
        "idle": _in("w", "idle_power"),
        "power": _POWER,
        "efficiency": _EFFICIENCY,
    },
    DelayProduct: {"edp": _in("js", "edp"), "ed2p": _in("js2", "ed2p")},
    CostFigures: {
        "per_operation": _in("", "per_operation"),
        "efficiency_per_price": _in("", "efficiency_per_price"),
    },
    NominalFigure: {"efficiency": _Names("efficiency", unit="unit")},
    CampaignRun: {
        "efficiency": _Names("efficiency", U95="efficiency_U95", unit="efficiency_unit"),
        "power": _Names("power_w"),
        "throughput": _Names("throughput", unit="throughput_unit"),
    },
    MemoryPoint: {"power": _POWER, "idle_power": _Names("power_idle_w", U95="power_idle_U95_w"), **_WITHOUT_U},
    ExcludedPoint: {"power": _Names("power_w")},
    AffectedRun: {"power": _POWER._replace(u=None)},
}
_RENAMED: Mapping[type, Mapping[str, str]] = {
    BudgetLine: {"u": "u_input", "u_result": "u"},
    BudgetPart: {"u_result": "u"},
}


def flat(document: Any) -> Any:
    """Return an answer as JSON data in which every quantity is spelled out, as the columns of the tables are."""
    if isinstance(document, Result):
        return _flat_result(document)
    if isinstance(document, BaseModel):
        return _flat_model(document)
    if is_dataclass(document):
        return {field.name: flat(getattr(document, field.name)) for field in fields(document)}
    if isinstance(document, Mapping):
        return {name: flat(value) for name, value in document.items()}
    if isinstance(document, Iterable) and not isinstance(document, str | bytes):
        return [flat(value) for value in document]
    return to_jsonable_python(document)


def _flat_model(model: BaseModel) -> dict[str, Any]:
    quantities, renamed = _QUANTITIES.get(type(model), {}), _RENAMED.get(type(model), {})
    values: dict[str, Any] = {}
    for name in type(model).model_fields:
        value = getattr(model, name)
        if name in quantities:
            values |= _spelled_out(quantities[name], value)
        else:
            values[renamed.get(name, name)] = flat(value)
    return values


def _spelled_out(names: _Names, quantity: Quantity | None) -> dict[str, Any]:
    """Return the parts of a quantity under their names; None each, and an empty budget, where there is none."""
    return {
        name: flat(getattr(quantity, part, () if part == "budget" else None))
        for part, name in names._asdict().items()
        if name is not None
    }


def _flat_result(result: Result) -> dict[str, Any]:
    values = _flat_model(result)
    del values["unit"]
    values |= {"throughput_unit": result.throughput_unit, "efficiency_unit": result.efficiency_unit, "idle_budget": []}
    values["state"] = flat(run_state(result))
    if result.idle_subtracted is not None:
        values["idle_subtracted"]["unit"] = result.efficiency_unit
        values["idle_budget"] = flat(result.idle_subtracted.idle.budget)
    if result.cost is not None:
        values["cost"]["efficiency_per_price_unit"] = f"{result.efficiency_unit}/{result.cost.currency}"
    return values
