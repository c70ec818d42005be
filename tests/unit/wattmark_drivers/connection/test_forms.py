"""Forms against the engines' own parsers: whatever a form writes is an address that the model's engine understands."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import Declaration, Transport
from wattmark_drivers.catalogue.heads import model_heads
from wattmark_drivers.connection.address import read_address, write_address
from wattmark_drivers.connection.fields import Field
from wattmark_drivers.connection.needs import PACKAGES, extra_of
from wattmark_drivers.connection.schemes import FORMS, fields_of
from wattmark_drivers.connection.settings import log_in, option_fields
from wattmark_drivers.engines import ENGINES, find_engine
from wattmark_drivers.simulators.on_demand import SCHEME, LoadModel, simulated_transport

SAMPLES = ("eastron.sdm120", "hioki.pw3335", "yokogawa.wt310e", "ipmi.bmc", "shelly.plugs", "apc.rpdu2", "wattsup.pro")
SPOKEN = sorted({scheme for head in model_heads() for scheme in head.schemes})
"""Ways by which some model is reached; engines understand more."""
GIVEN: dict[str, Any] = {
    "host": "fe80::1",
    "port": 1234,
    "device": 7,
    "baud": 19200,
    "parity": "E",
    "stopbits": 2,
    "vendor": "0b21",
    "product": "0025",
    "serial": "C1",
    "cipher": 3,
    "privilege": "OPERATOR",
    "output": 2,
    "topic": "plugs/desk 1",
    "base": "z2m",
    "ca": "/etc/ca.pem",
    "number": 3,
    "version": "3",
    "auth": "SHA256",
    "privacy": "AES256",
    "context": "a b",
    "chassis": "1",
    "login": "basic",
    "name": "power_meter",
    "speed": 2.5,
    "loop": 1,
    "index": 0,
}


def value_for(field: Field, scheme: str) -> Any:
    if field.name == "path":
        return None if scheme == "nvml" else "/dev/serial/by-id/usb x-1"
    return GIVEN.get(field.name)


def test_every_form_of_address_of_every_engine_has_its_fields() -> None:
    spoken = {scheme for name in ENGINES for scheme in find_engine(name).schemes}
    assert set(FORMS) == spoken | {SCHEME}


def test_the_form_of_a_simulated_meter_is_understood_and_read_back() -> None:
    declaration = load_catalogue()["eastron.sdm120"]
    transport = simulated_transport(declaration)
    assert transport is not None
    fields = fields_of(transport)
    values = {"idle_w": 90.5, "dynamic_w": 200.0, "seed": 7}
    url = write_address(SCHEME, fields, values)
    assert parse_address(url, declaration)[0] == LoadModel(90.5, 200.0, 7)
    assert read_address(url, fields) == values
    assert parse_address(write_address(SCHEME, fields, {}), declaration)[0] == LoadModel()


@pytest.mark.parametrize("scheme", SPOKEN)
def test_what_a_form_writes_is_understood_and_read_back(scheme: str) -> None:
    engine = next(candidate for name in ENGINES if scheme in (candidate := find_engine(name)).schemes)
    declaration = _speaker(scheme)
    transport = declaration.transport(scheme)
    assert isinstance(transport, Transport)
    fields = fields_of(transport)
    values = {field.name: value_for(field, scheme) for field in fields if value_for(field, scheme) is not None}
    url = write_address(scheme, fields, values)
    parsed, _ = parse_address(url, declaration)
    assert type(parsed) is type(engine.schemes[scheme].parse(urlsplit(url), transport))
    assert read_address(url, fields) == values
    texts = {str(value) for value in asdict(parsed).values()} | {str(asdict(parsed).get("origin", ""))}
    assert all(
        any(str(value) in text for text in texts) for key, value in values.items() if key in {"device", "number"}
    )


@pytest.mark.parametrize("scheme", SPOKEN)
def test_an_empty_form_means_the_factory_settings(scheme: str) -> None:
    declaration = _speaker(scheme)
    transport = declaration.transport(scheme)
    assert transport is not None
    fields = fields_of(transport)
    needed = {field.name: value_for(field, scheme) for field in fields if field.required or field.name == "index"}
    spelt = {field.name: field.default for field in fields if field.default is not None and field.place == "query"}
    without_defaults = [replace(field, default=None) for field in fields]
    least = parse_address(write_address(scheme, fields, needed), declaration)[0]
    full = parse_address(write_address(scheme, without_defaults, needed | spelt), declaration)[0]
    assert least == full


def test_heads_agree_with_the_declarations() -> None:
    heads = {head.id: head for head in model_heads()}
    assert list(heads) == sorted(load_catalogue())
    for model in SAMPLES:
        declaration, head = load_catalogue()[model], heads[model]
        assert (head.maker, head.model, head.title) == (declaration.maker, declaration.model, declaration.title)
        assert head.schemes == tuple(transport.scheme for transport in declaration.reached_by)
        assert (head.engine, head.indicative) == (declaration.protocol.engine, declaration.indicative)


def test_every_option_has_its_field_and_every_extra_its_package() -> None:
    for model in SAMPLES:
        declaration = load_catalogue()[model]
        assert [field.name for field in option_fields(declaration)] == list(declaration.protocol.option_names)
    assert {engine.extra for engine in ENGINES.values()} - {None} <= set(PACKAGES)
    assert extra_of("scpi", ["vxi11"]) == "visa"
    assert extra_of("scpi", ["vxi11", "serial"]) is None
    assert log_in(load_catalogue()["ipmi.bmc"]).password == "required"
    assert log_in(load_catalogue()["eastron.sdm120"]).password == "no"


def _speaker(scheme: str) -> Declaration:
    return load_catalogue()[next(head.id for head in model_heads() if scheme in head.schemes)]
