"""Faults as a person writes them: drop, delay=2, exception=6*3, wrong-value=power:0."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.faults import Fault, FaultMessage, kind_name

KINDS = {kind_name(kind): kind for kind in get_args(Fault)}
ALIASES = {"wrong-crc": "wrong-checksum"}
_ADAPTER: TypeAdapter[Fault] = TypeAdapter(FaultMessage)


def fault_forms() -> list[str]:
    """List every kind with its value, as it is written."""
    return [
        name + (f"={':'.join(word.upper() for word in _own_fields(name))}" if _own_fields(name) else "")
        for name in KINDS
    ]


def parse_fault(text: str) -> Fault:
    """Read ``KIND[=VALUE[:VALUE]][*COUNT]``. Raises `ConfigurationError` with the allowed forms."""
    head, _, count = text.partition("*")
    written, _, value = head.partition("=")
    name = ALIASES.get(written, written)
    remedy = f"Write one of {', '.join(fault_forms())}, with *COUNT for several."
    if name not in KINDS:
        raise ConfigurationError(f"There is no fault {written[:40]!r}.", remedy)
    fields, values = _own_fields(name), value.split(":") if value else []
    if len(values) > len(fields):
        raise ConfigurationError(f"The fault {name} takes {len(fields)} values.", remedy)
    message: dict[str, Any] = {"kind": name, **dict(zip(fields, map(_number, values), strict=False))}
    if count:
        message["count"] = _number(count)
    try:
        return _ADAPTER.validate_python(message)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigurationError(f"The fault {text[:60]!r}: {first['loc'][-1]}: {first['msg']}.", remedy) from None


def _own_fields(name: str) -> list[str]:
    return [field for field in KINDS[name].model_fields if field not in ("kind", "count")]


def _number(text: str) -> str | int | float:
    """Convert a number to one; other words stay, and the fault itself refuses what does not fit."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
