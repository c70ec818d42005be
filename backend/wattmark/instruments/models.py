"""The models of the driver catalogue, and the forms that their declarations make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from urllib.parse import urlsplit

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import Declaration, Transport
from wattmark_drivers.catalogue.heads import ModelHead, model_heads
from wattmark_drivers.catalogue.source import Status
from wattmark_drivers.connection.address import read_address, write_address
from wattmark_drivers.connection.fields import Field
from wattmark_drivers.connection.needs import VISA, extra_of, missing
from wattmark_drivers.connection.schemes import fields_of, title_of
from wattmark_drivers.connection.settings import log_in, option_fields, range_field
from wattmark_drivers.engines import find_engine
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.on_demand import FORM, SCHEME, simulated_transport

from wattmark.bench.bench import suggestion
from wattmark.bench.editing.errors import EditRefused
from wattmark.bench.editing.views import MistakeOut
from wattmark.bench.instruments import Conditions, Meter
from wattmark.core.errors import NotFound
from wattmark.instruments.declared_fields import declared_fields
from wattmark.instruments.known_bench import model_facts
from wattmark.instruments.limits import energy_class, limit_at
from wattmark.instruments.model_views import (
    AddressFields,
    AddressOut,
    ModelHeadOut,
    ModelLimitOut,
    ModelLimitsOut,
    ModelOut,
    ModelRangeOut,
    ModelsOut,
    TransportOut,
)

KINDS = {
    "http": "smart plug",
    "hwmon": "sensors of the appliance",
    "ipmi": "BMC",
    "kasa": "smart plug",
    "modbus": "energy meter",
    "mqtt": "smart plug",
    "nvml": "sensors of the appliance",
    "powersensor": "sensor of a part",
    "ptdaemon": "power daemon",
    "rapl": "sensors of the appliance",
    "redfish": "BMC",
    "replay": "recorded log",
    "scpi": "power analyser",
    "snmp": "rack PDU",
    "wattsup": "plug-in meter",
}

SHOWN_LOADS_W = (100.0, 400.0)
"""A small server, and a larger one."""


def list_models() -> ModelsOut:
    """List all models; no declaration is loaded for it."""
    return ModelsOut(models=[_head(head) for head in model_heads()])


def list_limits(power_w: float) -> ModelLimitsOut:
    """List the limits of error of all models at a load [W]; loads every declaration, the first time in seconds."""
    declarations = load_catalogue()
    return ModelLimitsOut(
        power_w=power_w,
        models=[
            ModelLimitOut(
                id=head.id,
                accuracy=model_facts(head.id).accuracy,
                energy_class=energy_class(declarations[head.id]),
                limit=limit_at(declarations[head.id], power_w),
            )
            for head in model_heads()
        ],
    )


def describe_model(model: str) -> ModelOut:
    """Describe a model and how to connect it. Raises `NotFound`."""
    declaration = _find(model)
    facts = model_facts(model)
    head = _head(_heads()[model])
    return ModelOut(
        head=head,
        firmware=declaration.firmware,
        transports=[_transport(declaration, transport) for transport in _ways(declaration)],
        log_in=log_in(declaration),
        range=range_field(declaration),
        options=option_fields(declaration),
        conditions=[] if head.section == "bmcs" else declared_fields(Conditions),
        timing=[] if head.section == "bmcs" else declared_fields(Meter),
        period_s=declaration.rhythm.update_period_s,
        pushes=declaration.rhythm.pushes,
        value=declaration.rhythm.kind.value,
        averaging_s=declaration.rhythm.averaging_s(declaration.rhythm.update_period_s),
        accuracy=facts.accuracy,
        accuracy_source=facts.accuracy_source,
        limits=[limit for load_w in SHOWN_LOADS_W if (limit := limit_at(declaration, load_w)) is not None],
        ranges=[
            ModelRangeOut(**span.model_dump(include=set(ModelRangeOut.model_fields))) for span in declaration.ranges
        ],
        channels=list(declaration.protocol.measured),
        quirks=[quirk.text for quirk in declaration.quirks],
        manual=declaration.sources[declaration.manual].citation if declaration.manual else None,
        unconfirmed=list(declaration.unconfirmed),
    )


def to_address(model: str, form: AddressFields) -> AddressOut:
    """Write the address that the fields of a form make. Raises `EditRefused` at the field that is wrong."""
    declaration = _find(model)
    fields = _fields(declaration, form.scheme)
    if mistakes := [mistake for field in fields for mistake in _mistakes(field, form.fields.get(field.name))]:
        raise EditRefused(mistakes)
    url = write_address(form.scheme, fields, form.fields)
    return _checked(declaration, url, fields)


def from_address(model: str, url: str) -> AddressOut:
    """Read the fields of an address. Raises `EditRefused` where the model does not understand it."""
    declaration = _find(model)
    scheme = url.partition(":")[0]
    if _way(declaration, scheme) is None:
        ways = ", ".join(transport.scheme for transport in _ways(declaration))
        raise EditRefused([_at("url", f"found the scheme {scheme[:40]!r}; {declaration.id} is reached by {ways}")])
    return _checked(declaration, url, _fields(declaration, scheme))


def _checked(declaration: Declaration, url: str, fields: Sequence[Field]) -> AddressOut:
    try:
        parse_address(url, declaration)
    except ConfigurationError as error:
        raise EditRefused([_at("url", str(error))]) from None
    return AddressOut(url=url, scheme=urlsplit(url).scheme, fields=dict(read_address(url, fields)))


def _mistakes(field: Field, value: object) -> list[MistakeOut]:
    if value is None or value == "":
        needed = field.required and field.default is None
        return [_at(field.name, f"{field.label} is missing")] if needed else []
    if field.kind == "integer" and not _whole_within(field, value):
        allowed = f"a whole number from {field.low:g} to {field.high:g}"
        return [_at(field.name, f"found {str(value)[:40]!r}; allowed: {allowed}")]
    if field.kind == "choice" and str(value) not in [str(choice) for choice in field.choices]:
        choices = ", ".join(str(choice) for choice in field.choices)
        return [_at(field.name, f"found {str(value)[:40]!r}; allowed: {choices}")]
    return []


def _whole_within(field: Field, value: object) -> bool:
    text = str(value)
    low, high = field.low if field.low is not None else 0, field.high
    return text.isascii() and text.isdecimal() and low <= int(text) and (high is None or int(text) <= high)


def _at(name: str, message: str) -> MistakeOut:
    return MistakeOut(path=[name], where=name, line=None, message=message)


def _find(model: str) -> Declaration:
    catalogue = load_catalogue()
    if model not in catalogue:
        raise NotFound(f"There is no meter model {model[:80]!r};", suggestion(model[:80], list(catalogue)))
    return catalogue[model]


@cache
def _heads() -> dict[str, ModelHead]:
    return {head.id: head for head in model_heads()}


def _head(head: ModelHead) -> ModelHeadOut:
    extra = extra_of(head.engine, head.schemes)
    return ModelHeadOut(
        id=head.id,
        title=head.title,
        maker=head.maker,
        model=head.model,
        kind=KINDS[head.engine],
        engine=head.engine,
        section="bmcs" if head.engine in {"ipmi", "redfish"} else "meters",
        transports=list(head.schemes),
        interfaces=list(dict.fromkeys(title_of(scheme) for scheme in head.schemes)),
        indicative=head.indicative,
        needs=extra,
        missing=missing(extra),
    )


def _ways(declaration: Declaration) -> tuple[Transport, ...]:
    """List the ways to reach a model, a simulator of it last."""
    simulated = simulated_transport(declaration)
    return (*declaration.reached_by, *((simulated,) if simulated else ()))


def _way(declaration: Declaration, scheme: str) -> Transport | None:
    return next((transport for transport in _ways(declaration) if transport.scheme == scheme), None)


def _fields(declaration: Declaration, scheme: str) -> tuple[Field, ...]:
    transport = _way(declaration, scheme)
    if transport is None:
        ways = ", ".join(supported.scheme for supported in _ways(declaration))
        raise EditRefused([_at("scheme", f"found {scheme[:40]!r}; {declaration.id} is reached by {ways}")])
    return fields_of(transport)


def _transport(declaration: Declaration, transport: Transport) -> TransportOut:
    extra = extra_of(declaration.protocol.engine, [transport.scheme])
    absent = missing(extra)
    schemes = {} if absent and transport.scheme not in VISA else find_engine(declaration.protocol.engine).schemes
    form = schemes[transport.scheme].form if transport.scheme in schemes else ""
    return TransportOut(
        scheme=transport.scheme,
        title=title_of(transport.scheme),
        example=FORM if transport.scheme == SCHEME else form,
        fields=list(fields_of(transport)),
        needs=extra,
        missing=absent,
        confirmed=transport.scheme == SCHEME or transport.status is not Status.UNCONFIRMED,
    )
