"""Fields of a form from what the bench file declares of a part: label, unit, limits, choices, default."""

from __future__ import annotations

from typing import Any

from wattmark_drivers.connection.fields import Field, Kind

from wattmark.core.part import Part

_KINDS: dict[str, Kind] = {"number": "number", "integer": "integer", "boolean": "switch", "string": "text"}


def declared_fields(part: type[Part]) -> list[Field]:
    """List the fields of a part that forms ask for, in the order in which it declares them."""
    properties: dict[str, dict[str, Any]] = part.model_json_schema()["properties"]
    return [_field(name, declared) for name, declared in properties.items() if "unit" in declared]


def _field(name: str, declared: dict[str, Any]) -> Field:
    value = next((kind for kind in declared.get("anyOf", ()) if kind["type"] != "null"), {}) | declared
    choices, examples = value.get("enum", []), value.get("examples", [])
    return Field(
        name=name,
        label=value["title"],
        kind=_KINDS[value["type"]],
        place="setting",
        default=value["default"],
        choices=tuple(choices),
        low=value.get("minimum", value.get("exclusiveMinimum")),
        high=value.get("maximum"),
        unit=value["unit"],
        help=" or ".join(map(str, choices)) or "".join(f"For example {example}." for example in examples[:1]),
    )
