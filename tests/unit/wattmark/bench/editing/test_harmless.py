"""Every field of the bench, every part of an address, every option and every parameter has been judged by somebody."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from wattmark.bench.bench import Bench
from wattmark.bench.editing.claims import BECOMES, HARMLESS_FIELDS
from wattmark.bench.editing.harmless import HARMLESS, JUDGED, KINDS, Kind, kind_of
from wattmark.bench.instruments import Bmc, Meter
from wattmark.core.part import Part
from wattmark.workloads.catalogue import list_workloads
from wattmark.workloads.hook import Hook
from wattmark.workloads.parameters import ADDRESSES, FORMS, ParameterKind
from wattmark.workloads.parameters import HARMLESS as HARMLESS_PARAMETERS
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.connection.schemes import FORMS as ADDRESS_FORMS
from wattmark_drivers.connection.settings import option_fields
from wattmark_drivers.engines import ENGINES, find_engine

GUARDED_FIELDS = {"serial-port", "file", "folder"}
"""Kinds of the fields of an address that name something of the appliance itself."""


def types_in(annotation: Any) -> Iterator[Any]:
    """Walk the types that an annotation is made of; keys of maps are names."""
    yield annotation
    inside = typing.get_args(annotation)
    for inner in inside[1:] if typing.get_origin(annotation) is dict else inside:
        yield from types_in(inner)


def parts_of(part: type[Part], *, seen: set[type[Part]]) -> set[type[Part]]:
    """Gather a part and all parts below it, but for those in fields that are judged as a whole."""
    seen.add(part)
    for name, field in part.model_fields.items():
        if kind_of(part, name) in HARMLESS:
            for inner in types_in(field.annotation):
                if isinstance(inner, type) and issubclass(inner, Part) and inner not in seen:
                    parts_of(inner, seen=seen)
    return seen


PARTS = sorted(parts_of(Bench, seen=set()), key=lambda part: part.__name__)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_every_field_is_listed_once_and_by_what_it_is(part: type[Part]) -> None:
    assert set(KINDS.get(part, {})) == set(part.model_fields), f"say in harmless.py what {part} may become"
    for name, field in part.model_fields.items():
        types = list(types_in(field.annotation))
        kind = kind_of(part, name)
        holds_parts = any(isinstance(inner, type) and issubclass(inner, BaseModel) for inner in types)
        assert not holds_parts or kind is Kind.PARTS or name in {"prepare", "hook", "parameters"}
        if kind is Kind.NUMBER:
            assert not any(inner is str for inner in types), (part, name)
        if kind is Kind.CHOICE:
            assert not any(inner in (str, float) for inner in types), (part, name)


def test_the_walk_meets_all_parts_but_those_that_come_in_whole() -> None:
    assert {part.__name__ for part in PARTS} >= {"Declaration", "Adaptation", "SshAddress", "Bmc", "Meter", "Plan"}
    assert Hook not in PARTS
    assert set(KINDS) == set(PARTS)


def test_what_nobody_has_judged_is_not_harmless() -> None:
    class Newer(Meter):
        firmware_file: str | None = None

    assert kind_of(Newer, "firmware_file") is Kind.UNKNOWN
    assert kind_of(Bmc, "firmware_file") is Kind.UNKNOWN
    assert Kind.UNKNOWN not in HARMLESS | JUDGED


def test_the_parts_of_every_address_are_known() -> None:
    spoken = {scheme for engine in ENGINES for scheme in find_engine(engine).schemes}
    assert spoken <= set(ADDRESS_FORMS)
    kinds = {field.kind for _, fields in ADDRESS_FORMS.values() for field in fields}
    assert kinds <= HARMLESS_FIELDS | GUARDED_FIELDS
    assert not HARMLESS_FIELDS & GUARDED_FIELDS


def test_every_option_of_every_driver_is_harmless_or_guarded() -> None:
    for declaration in load_catalogue().values():
        for field in option_fields(declaration):
            assert field.kind in HARMLESS_FIELDS, f"{declaration.id}: an option {field.kind} needs a rule"


def test_every_kind_of_parameter_is_judged_and_every_workload_declares_its_own() -> None:
    kinds = set(typing.get_args(ParameterKind))
    assert kinds == HARMLESS_PARAMETERS | set(BECOMES) == set(FORMS)
    assert set(BECOMES) >= ADDRESSES
    for workload in list_workloads():
        for name, parameter in workload.parameters.items():
            assert parameter.kind in kinds
            first = [command[0] for command in (workload.command, *workload.setup, *workload.cleanup) if command]
            if f"{{{name}}}" in first or name in {"program", "python"}:
                assert parameter.kind == "program", (workload.id, name)
            if name in {"folder", "load"}:
                assert parameter.kind == "path", (workload.id, name)
