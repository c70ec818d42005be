"""The workloads that ship with wattmark: one YAML file per workload or family of workloads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import product
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML

from wattmark.workloads.declaration import Declaration


@cache
def load_catalogue() -> Mapping[str, Declaration]:
    """Load every shipped declaration, by id."""
    declarations = {}
    for entry in sorted(files(__package__).iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".yaml"):
            for member in members(YAML(typ="safe").load(entry.read_text("utf-8"))):
                declarations[member.id] = member
    return MappingProxyType(declarations)


def list_workloads() -> list[Declaration]:
    """List the shipped workloads in the order of their files and key lengths."""
    return list(load_catalogue().values())


def members(document: dict[str, Any]) -> Iterator[Declaration]:
    """Write out a family: one declaration for each of its ``variants`` and combination of the values under ``each``.

    A variant replaces fields of the document, or entries of those that are mappings, and texts that it has ``with`` it.
    """
    family: dict[str, list[Any]] = document.pop("each", {})
    for variant in document.pop("variants", [{}]):
        texts = {name: [text] for name, text in variant.pop("with", {}).items()}
        whole = {**document, **{name: _merged(document.get(name), value) for name, value in variant.items()}}
        yield from _combinations(json.dumps(whole), {**family, **texts})


def _combinations(text: str, family: Mapping[str, list[Any]]) -> Iterator[Declaration]:
    for values in product(*family.values()):
        member = text
        for name, value in zip(family, values, strict=True):
            member = member.replace(f"{{{name}}}", str(value))
        yield Declaration.model_validate(json.loads(member))


def _merged(common: Any, own: Any) -> Any:
    return {**common, **own} if isinstance(common, dict) and isinstance(own, dict) else own
