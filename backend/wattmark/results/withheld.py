"""Figures of a result that are withheld because what they rest on is known to be wrong."""

from __future__ import annotations

from wattmark.results.result import CLAIMS, Result, Withheld

WATTS = (
    "power",
    "energy",
    "efficiency",
    "full_load_power",
    "idle_subtracted",
    "delay_product",
    "cost",
    "suggested_window",
    "idle",
    "role_energies",
    "steady",
    "n_eff",
    "standards",
)
"""Prefixes of the fields that rest on power."""
FIGURES = ("throughput", "stated_throughput", "nominal", "calibrations", *WATTS)
"""Prefixes of the fields that rest on power, work or both."""


def withheld(result: Result, prefixes: tuple[str, ...], note: str, cause: str) -> Result:
    """Remove figures by the prefixes of their fields, with their budgets, and say why: in a note, and in few words."""
    claims = tuple(claim for claim in CLAIMS if claim in prefixes)
    why = Withheld(claims=claims, cause=cause, text=note)
    fields = type(result).model_fields
    empty = {
        name: field.get_default(call_default_factory=True)
        for name, field in fields.items()
        if name.startswith(prefixes)
    }
    return result.model_copy(update={**empty, "withheld": (why,), "notes": tuple(dict.fromkeys((note, *result.notes)))})
