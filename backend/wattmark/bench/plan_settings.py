"""The power settings of a plan: what is set on its servers before each run, and in which values."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Annotated, Any, Self, TypeVar

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from wattmark.core.inputs import FILLED_LINE, REAL
from wattmark.core.part import Part
from wattmark.runs.power_settings import STEP_W, TITLES, OnOff, PowerSettings

T = TypeVar("T")
MOST_VARIANTS = 100


class _ValueOrList:
    """Describe a list in the JSON Schema as what may also be one value."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        listed = handler(schema)
        return {"anyOf": [listed["items"], listed]}


def _listed(value: Any) -> Any:
    """Take a single value as a list of one; true and false are on and off, as older YAML reads these words."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    return tuple({True: "on", False: "off"}[item] if isinstance(item, bool) else item for item in values)


_Values = Annotated[tuple[T, ...], Field(min_length=1), BeforeValidator(_listed), _ValueOrList()]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=32), FILLED_LINE]
_State = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$", max_length=32), FILLED_LINE]
_Watts = Annotated[float, Field(gt=0, le=10_000), REAL]


class PlanSettings(Part):
    """What is set before each run and undone after it. A list: every configuration is measured under each value."""

    governor: _Values[_Name] | None = None
    """CPU frequency governor, such as performance or powersave."""
    energy_preference: _Values[_Name] | None = None
    """Energy performance preference (EPP), such as balance_power."""
    turbo: _Values[OnOff] | None = None
    """Turbo or boost clocks of the CPUs."""
    smt: _Values[OnOff] | None = None
    """Several threads per core. A level "all" stays the number of CPUs at the start of the campaign."""
    deepest_c_state: _Values[_State] | None = None
    """The deepest idle state that the CPUs may enter, by the kernel's name, such as C1E or "haltpoll idle"."""
    power_cap_w: _Values[_Watts] | None = None
    """Long-term limit of each CPU package (RAPL) [W]."""
    gpu_power_cap_w: _Values[_Watts] | None = None
    """Limit of each NVIDIA GPU [W]."""

    @model_validator(mode="after")
    def _sets_something(self) -> Self:
        if not any(self._values(name) for name in TITLES):
            raise ValueError(f"at least one of {', '.join(TITLES)}")
        for name in TITLES:
            self._check_apart(name)
        if len(self.variants()) > MOST_VARIANTS:
            raise ValueError(f"at most {MOST_VARIANTS} combinations of values, not {len(self.variants())}")
        return self

    def _check_apart(self, name: str) -> None:
        """Raise `ValueError` where two values of a setting are one, or cannot be told apart."""
        values = self._values(name)
        if len(set(values)) < len(values):
            raise ValueError(f"each value of {name} once")
        for a, b in pairwise(sorted(values)) if name.endswith("_w") else ():
            if b - a < STEP_W:
                raise ValueError(f"values of {name} at least {STEP_W:g} W apart, the step of a cap, not {a} and {b}")
        named: dict[str, Any] = {}
        for value in values:
            other = named.setdefault(PowerSettings(**{name: value}).variant(""), value)
            if other != value:
                raise ValueError(f"values of {name} that differ in more than a space, not {other!r} and {value!r}")

    def variants(self) -> list[PowerSettings]:
        """List every combination of the values, in the order in which they are written."""
        named = [(name, values) for name in TITLES if (values := self._values(name))]
        return [
            PowerSettings(**dict(zip((name for name, _ in named), values, strict=True)))
            for values in product(*(values for _, values in named))
        ]

    def _values(self, name: str) -> tuple[Any, ...]:
        return getattr(self, name) or ()
