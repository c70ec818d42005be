"""Describe in one line a mistake in a bench file: file, line, what was found, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from wattmark.bench.address import masked
from wattmark.bench.configuration import CURRENCY
from wattmark.bench.instruments import BMC_URL, METER_URL
from wattmark.bench.notify import MAIL_ADDRESS, WEB_URL
from wattmark.bench.references import Mistake, Path
from wattmark.bench.shareable import PRIVATE
from wattmark.bench.speak import IPV4
from wattmark.bench.yaml_source import LocatedData
from wattmark.core.errors import InputError
from wattmark.core.part import IDENTIFIER, VARIABLE
from wattmark.hosts.address import HOST, USER

CLOSE = 0.6
MISSING = "is missing"
SHAPES = {"tuple_type": "a list", "list_type": "a list", "dict_type": "a map", "model_type": "a map"}
"""The shapes that the validator asks for, in plain words."""
PATTERNS = {
    IDENTIFIER: "letters, digits and . _ + -, a letter or digit first",
    CURRENCY: "three capital letters, such as EUR",
    VARIABLE: "the name of an environment variable",
    HOST: "a host name or an IP address",
    USER: "the name of a user",
    METER_URL: "an address, such as modbus-tcp://192.0.2.1/1",
    BMC_URL: "an address, such as ipmi://192.0.2.1?privilege=ADMINISTRATOR or redfish://192.0.2.1",
    MAIL_ADDRESS: "a mail address, such as lab@example.org, or a user of this machine",
    WEB_URL: "an address that begins with http:// or https://",
    IPV4: "an IPv4 address of this machine, such as 127.0.0.1, or 0.0.0.0 for all; IPv6 is not spoken",
}
"""What the pattern of a text allows, in words."""
KINDS = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "string_too_short": "text",
}
"""The same for what the validator says in the words of its own language."""
MOST = 100
"""Mistakes of shape reported at a time: explaining each takes a comparison with the valid shapes."""
SHOWN = 80
"""Characters of a value or a key that a message repeats."""
REMEDY = "Correct the file and check it again: wattmark bench check FILE."


@dataclass(frozen=True, slots=True)
class FoundMistake:
    """A mistake with its line; ``where`` writes the part of its path that the file has."""

    path: Path
    line: int
    where: str
    text: str


class BenchError(InputError):
    """A bench file with mistakes; ``mistakes`` holds one line for each, in the order of the file."""

    def __init__(self, file: str, mistakes: Sequence[FoundMistake]) -> None:
        self.mistakes = tuple(
            f"{file}:{mistake.line}: {mistake.where}{': ' if mistake.where else ''}{mistake.text}"
            for mistake in mistakes
        )
        self.located = tuple(mistakes)
        more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
        super().__init__(f"{self.mistakes[0].rstrip('?.')}{more}.", REMEDY)


def bench_error(source: LocatedData, mistakes: Iterable[Mistake]) -> BenchError:
    """Write the mistakes with their lines; one that several aliases repeat is listed once."""
    first: dict[tuple[int, str | int, str], FoundMistake] = {}
    for mistake in mistakes:
        line = source.line(mistake.path)
        located = FoundMistake(mistake.path, line, _where(source.written(mistake.path)), mistake.text)
        first.setdefault((line, mistake.path[-1] if mistake.path else "", mistake.text), located)
    return BenchError(source.name, [first[key] for key in sorted(first, key=lambda key: (key[0], MISSING in key[2]))])


def from_validation(error: ValidationError, source: LocatedData, schema: Mapping[str, Any]) -> list[Mistake]:
    """Translate the first of pydantic's errors into what was found and what is allowed."""
    items: list[Mapping[str, Any]] = [dict(item) for item in error.errors(include_url=False)[:MOST]]
    items = [item for item in items if not _follows_from_another(item, items)]
    return [Mistake(tuple(item["loc"]), _explain(item, source.written(item["loc"]), schema)) for item in items]


def _follows_from_another(item: Mapping[str, Any], items: list[Mapping[str, Any]]) -> bool:
    """A list with wrong items is reported as too short as well, and a misspelt key as a missing one."""
    if item["type"] == "too_short":
        place = item["loc"]
        return any(len(i["loc"]) > len(place) and i["loc"][: len(place)] == place for i in items)
    unknown = [str(i["loc"][-1]) for i in items if i["type"] == "extra_forbidden" and i["loc"][:-1] == item["loc"][:-1]]
    return item["type"] == "missing" and bool(get_close_matches(str(item["loc"][-1]), unknown, 1, CLOSE))


def _explain(item: Mapping[str, Any], path: list[str | int], schema: Mapping[str, Any]) -> str:
    kind = item["type"]
    is_secret = path[:1] == [PRIVATE] and path[-1] == "url" and isinstance(item["input"], str)
    shown = "a text that may be secret" if is_secret else _shown(item["input"])
    if kind == "missing":
        return f"the key {item['loc'][-1]} {MISSING}"
    if kind == "extra_forbidden":
        return _unknown_key(str(path[-1]), allowed_keys(schema, path[:-1]))
    if kind.startswith("union_tag"):
        return _wrong_kind(item["ctx"], item["input"], schema, path)
    allowed = PATTERNS.get(item["ctx"]["pattern"]) if kind == "string_pattern_mismatch" else KINDS.get(kind)
    if allowed is not None:
        return f"found {shown}; allowed: {allowed}"
    if kind in SHAPES:
        return _wrong_shape(item["input"], SHAPES[kind], allowed_keys(schema, path))
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    if kind == "too_short":
        return f"found {shown}; allowed: at least {item['ctx']['min_length']}"
    if kind == "value_error" and isinstance(item["input"], dict):
        return f"needs {message}"
    quote = " (put it in quotes)" if kind == "string_type" and isinstance(item["input"], int | float) else ""
    return f"found {shown}; allowed: {message}{quote}"


def _wrong_shape(value: Any, shape: str, keys: list[str]) -> str:
    of_keys = f" of {', '.join(keys)}" if shape == "a map" and keys else ""
    return f"found {_shown(value)}; allowed: {shape}{of_keys}"


def _unknown_key(key: str, allowed: list[str]) -> str:
    close = get_close_matches(key, allowed, 1, CLOSE)
    meant = f"did you mean {close[0]}? " if close else ""
    return f"unknown key; {meant}allowed: {', '.join(allowed)}"


def _wrong_kind(ctx: Mapping[str, Any], value: Any, schema: Mapping[str, Any], path: list[str | int]) -> str:
    key = str(ctx["discriminator"]).strip("'")
    if "tag" in ctx:
        return f"{key} is {_shown(ctx['tag'])}; allowed: {ctx['expected_tags']}"
    if isinstance(value, dict):
        return f"the key {key} is missing; allowed keys: {', '.join(allowed_keys(schema, path))}"
    return f"found {_shown(value)}; allowed: a map with the key {key}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "a map" if value else "an empty map"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    return "nothing" if value is None else masked(repr(value))[:SHOWN]


def _where(path: list[str | int]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step[:SHOWN]}" for step in path).lstrip(".")


def allowed_keys(schema: Mapping[str, Any], path: Iterable[str | int]) -> list[str]:
    """List the keys that the JSON Schema allows at a path; those of every form where there are several."""
    nodes = [schema]
    for step in path:
        nodes = [child for node in nodes for form in _forms(schema, node) for child in _step(form, step)]
    keys = [key for node in nodes for form in _forms(schema, node) for key in form.get("properties", {})]
    return list(dict.fromkeys(keys))


def _step(node: Mapping[str, Any], step: str | int) -> list[Mapping[str, Any]]:
    if isinstance(step, int):
        return [node["items"]] if "items" in node else []
    if step in node.get("properties", {}):
        return [node["properties"][step]]
    return [child for child in (node.get("additionalProperties"), *node.get("patternProperties", {}).values()) if child]


def _forms(schema: Mapping[str, Any], node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "$ref" in node:
        return _forms(schema, schema["$defs"][str(node["$ref"]).rsplit("/", 1)[-1]])
    forms = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    return [branch for form in forms for branch in _forms(schema, form)] if forms else [node]
