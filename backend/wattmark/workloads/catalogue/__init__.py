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
    """Write out a family: one declaration for each combination of the values under ``each``."""
    family: dict[str, list[Any]] = document.pop("each", {})
    text = json.dumps(document)
    for values in product(*family.values()):
        member = text
        for name, value in zip(family, values, strict=True):
            member = member.replace(f"{{{name}}}", str(value))
        yield Declaration.model_validate(json.loads(member))
