"""Values that are odd and yet of the type that a stored field declares, and documents with some of them in it."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Pick = Callable[[Any], Any]
"""Chooses from a sequence; for a number n, a number below it."""

FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.1, 5e-324, 1e-320, -5e-324, 1e-100, 2.5, 1e9, 1e15, 1e16, -1e16, 1e22, 1e60),
    *(1e100, 1e150, 1e155, -1e155, 1e200, 1e300, 1e308, -1e308, 1.7976931348623157e308),
)
INTEGERS = (
    *(0, 1, -1, 2, 7, 255, 2**31, -(2**31), 2**53 + 1, 253_402_300_800_000_000_000 - 2**63),
    *(10**18, 2**62, -(2**62), 2**63 - 1, -(2**63)),
)
LARGE = (*INTEGERS, 10**25, -(10**30), 10**400)
TEXTS = (
    *(
        "",
        " ",
        "0",
        "-1",
        "1e999",
        "nan",
        "null",
        "all",
        "50 %",
        "8 processes",
        "measured",
        "imported: archive of ",
        "\x00",
    ),
    *(
        "\n",
        "a\nb",
        "\u202e\u2066",
        "🦀" * 3,
        "ß" * 4000,
        "x" * 70_000,
        "<script>alert(1)</script>",
        "=1+1",
        "../../etc",
    ),
    *(
        '"',
        "'; --",
        "%s{0}",
        "\\input{x}",
        "|",
        "\ufffe",
        "9999-12-31T23:59:59+00:00",
        "0001-01-01T00:00:00",
        "/",
        ".",
        "*",
    ),
)
DATES = (date.min.isoformat(), date.max.isoformat(), "1970-01-01")
ANYTHING = (None, True, False, *FLOATS, *LARGE, *TEXTS, [], {}, [[]], [None], {"": None}, {"a": {"b": [1.0, "c"]}})
MANY = 3


def odd(annotation: Any, pick: Pick) -> Any:
    """Draw a JSON value of a type."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return odd(inner[0], pick)
    if origin in (Union, types.UnionType):
        return odd(pick(inner), pick)
    if origin is Literal:
        return pick(inner)
    if origin in (tuple, list, frozenset, set):
        return [odd(inner[0], pick) for _ in range(pick(MANY))]
    if origin is dict:
        return {pick(TEXTS): odd(inner[1], pick) for _ in range(pick(MANY))}
    return _plain(annotation, pick)


def _plain(annotation: Any, pick: Pick) -> Any:
    if annotation is None or annotation is type(None):
        return None
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: odd(field.annotation, pick) for name, field in annotation.model_fields.items()}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return pick([member.value for member in annotation])
    pools = {bool: (False, True), int: LARGE, float: FLOATS, str: TEXTS, date: DATES}
    return pick(pools.get(annotation, ANYTHING))


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a document: where it lies and what its type is."""

    holder: Any
    key: Any
    annotation: Any


def places(document: Any, annotation: Any) -> list[Place]:
    """List every value of a document whose type is known, those that it excludes too."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return places(document, inner[0])
    if origin in (Union, types.UnionType):
        fitting = [kind for kind in inner if kind is not type(None)]
        return places(document, fitting[0]) if len(fitting) == 1 and document is not None else []
    if isinstance(document, dict):
        fields = _fields(annotation, document)
        here = [Place(document, name, kind) for name, kind in fields.items()]
        return here + [deep for name, kind in fields.items() for deep in places(document.get(name), kind)]
    if isinstance(document, list):
        kind = inner[0] if inner else Any
        here = [Place(document, index, kind) for index in range(len(document))]
        return here + [deep for item in document for deep in places(item, kind)]
    return []


def _fields(annotation: Any, document: dict[str, Any]) -> dict[str, Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: field.annotation for name, field in annotation.model_fields.items()}
    inner = get_args(annotation)
    kind = inner[1] if get_origin(annotation) is dict else Any
    return dict.fromkeys(document, kind)


def spoil(document: Any, annotation: Any, pick: Pick, most: int = 4) -> list[str]:
    """Put odd values into some places of a document; tells which."""
    done = []
    for _ in range(1 + pick(most)):
        place = pick(places(document, annotation))
        place.holder[place.key] = value = odd(place.annotation, pick)
        done.append(f"{place.key} = {str(value)[:60]!r}")
    return done
