"""What people and programs give us: the base of every order, file and declaration that comes from outside.

Three things hold for every field of every model here, whatever it says itself: true and false are no numbers, a number
is finite and of a size that can be computed with, and a text is one line that can be printed, not a whole book.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from wattmark.amounts import MOST

LONGEST = 4096
LARGEST = 2**63 - 1
"""Instants in nanoseconds need that much; no database keeps more."""
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the order of what follows, so that a text reads as another one."""
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})
_INNER = ("schema", "items_schema", "keys_schema", "values_schema", "extras_schema", "fields", "choices", "definitions")
"""Keys of a core schema under which other ones lie."""


def _model(node: Any, cls: type) -> Any:
    """Hold the fields of a model to the rules, under the validators that the model adds."""
    if isinstance(node, list):
        return [_model(one, cls) for one in node]
    if node.get("type") == "model":
        return {**node, "schema": _held(node["schema"])} if node["cls"] is cls else node
    return {**node, **{key: _model(node[key], cls) for key in ("schema", "definitions") if key in node}}


def _held(node: Any) -> Any:
    """Hold what a core schema takes to the rules."""
    if isinstance(node, list | tuple):
        return type(node)(map(_held, node))
    if not isinstance(node, dict) or node.get("type") == "model" or _is_marked(node):
        return node
    kind = node.get("type")
    if not isinstance(kind, str):
        return {key: _held(value) for key, value in node.items()}
    if (check := _CHECKS.get(kind)) is not None:
        return check(node)
    if kind == "union":
        return {**node, "choices": [_choice(one) for one in node["choices"]]}
    return {**node, **{key: _held(node[key]) for key in _INNER if key in node}}


def _choice(node: Any) -> Any:
    """Keep the name of a choice, by which errors say where they are."""
    plain = isinstance(node, dict) and node.get("type") in _CHECKS
    return (_held(node), node["type"]) if plain else _held(node)


def _number(node: CoreSchema) -> CoreSchema:
    return core_schema.no_info_before_validator_function(_no_truth, node)


def _real(node: CoreSchema) -> CoreSchema:
    return core_schema.no_info_after_validator_function(_sized, _number(node))


def _whole(node: CoreSchema) -> CoreSchema:
    return core_schema.no_info_after_validator_function(_exact, _number(node))


def _text(node: Any) -> CoreSchema:
    check = _line if "max_length" in node else _short_line
    checked = core_schema.no_info_after_validator_function(check, node)
    says = node.get("min_length")
    return core_schema.no_info_after_validator_function(_not_blank, checked) if says else checked


_CHECKS: dict[str, Callable[[Any], CoreSchema]] = {"float": _real, "int": _whole, "str": _text}


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("number_type", "Input should be a number")
    return value


def _sized(value: float) -> float:
    if abs(value) > MOST:
        raise PydanticCustomError("number_size", "Input should be a number of at most {most}", {"most": f"{MOST:g}"})
    return value


def _exact(value: int) -> int:
    if abs(value) > LARGEST:
        raise PydanticCustomError("number_size", "Input should be a number of at most 63 bits")
    return value


def _line(text: str) -> str:
    """Take one line; the end of it that YAML leaves after a folded text goes."""
    text = text.removesuffix("\n")
    if not _printable(text):
        raise PydanticCustomError("line", "Input should be one line of text that can be printed")
    return text


def _short_line(text: str) -> str:
    if len(text) > LONGEST:
        raise PydanticCustomError("line", "Input should be at most {most} characters", {"most": LONGEST})
    return _line(text)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "Input should be text, not spaces alone")
    return text


def _prose(text: str) -> str:
    if not _printable(text.replace("\n", "").replace("\t", "")):
        raise PydanticCustomError("prose", "Input should be text that can be printed")
    return text


def _printable(text: str) -> bool:
    """Tell whether a text has no control characters, ends of lines, or signs that turn its order."""
    return text.isprintable() or not any(unicodedata.category(one) in _UNPRINTABLE or one in _BIDI for one in text)


def _marked(schema: CoreSchema) -> CoreSchema:
    return {**schema, "metadata": {**(schema.get("metadata") or {}), "wattmark_text": True}}


def _is_marked(node: dict[str, Any]) -> bool:
    return "wattmark_text" in (node.get("metadata") or {})


class AsGiven:
    """Annotation of a text that is taken as it is: a program's argument, a whole file."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Mark the text."""
        return _marked(handler(source))


class Prose:
    """Annotation of a text that may have several lines; the rest of what cannot be printed is refused."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check and mark the text."""
        return _marked(core_schema.no_info_after_validator_function(_prose, handler(source)))


class Line:
    """Annotation of a text outside a model, such as a parameter of a route: one line that can be printed."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the text."""
        held: CoreSchema = _held(handler(source))
        return held


class Given(BaseModel):
    """Base: unknown fields are an error, and what this module says holds for every number and every text."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Hold every number and text of the model to the rules; models in it do so themselves."""
        held: CoreSchema = _model(handler(source), cls)
        return held
