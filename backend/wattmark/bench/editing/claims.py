"""What a bench asks for beyond what is harmless, each claim with a key: the same key is the same thing asked for again.

Fields of one part that are not harmless count together: a program with its variables, a password with its address.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wattmark_drivers.catalogue import load_catalogue as load_models
from wattmark_drivers.connection.address import read_address
from wattmark_drivers.connection.fields import Kind as FieldKind
from wattmark_drivers.connection.schemes import FORMS
from wattmark_drivers.connection.settings import option_fields

from wattmark.bench.bench import Bench
from wattmark.bench.editing.bound import bound_address
from wattmark.bench.editing.harmless import HARMLESS, JUDGED, KINDS, Kind, kind_of
from wattmark.bench.editing.plain import Steps
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.references import Mistake
from wattmark.bench.workload_entry import WorkloadUse
from wattmark.core.part import Part
from wattmark.hosts.address import SshAddress
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.parameters import ADDRESSES, Parameter, ParameterKind
from wattmark.workloads.parameters import HARMLESS as HARMLESS_PARAMETERS

HARMLESS_FIELDS: frozenset[FieldKind] = frozenset({"text", "host", "integer", "number", "choice", "switch"})
"""Kinds of the fields of an address, and of a driver's options, that name no file and no device of the appliance."""
BECOMES: Mapping[ParameterKind, Kind] = {
    "program": Kind.PROGRAM,
    "account": Kind.PROGRAM,
    "path": Kind.FILE,
    "host": Kind.PLACE,
    "port": Kind.PLACE,
}
"""What the parameters of a workload can become that are not harmless."""
OwnSecret = Callable[[str, str], bool]
"""Returns whether a password file is one that the service itself keeps for an address."""
AcceptedHost = Callable[[SshAddress], bool]
"""Returns whether an address over SSH is that of a host whose key a person accepted, with the appliance's own keys."""
_ON_THE_MACHINE = "only in the bench file on the machine itself, not over the network"
REFUSALS: Mapping[Kind, str] = {
    Kind.PROGRAM: f"programs, and the users that they run as, are set {_ON_THE_MACHINE}",
    Kind.FILE: f"files, folders and devices of the appliance are set {_ON_THE_MACHINE}; "
    "a serial port can be chosen once it is plugged in",
    Kind.VARIABLE: f"environment variables are set {_ON_THE_MACHINE}",
    Kind.PLACE: f"hosts and addresses that the appliance logs in to or calls are set {_ON_THE_MACHINE}",
    Kind.HOST: "hosts that the appliance logs in to are added once an administrator has accepted their host key, or "
    "stand in the bench file on the machine itself",
    Kind.PORT: f"ports that the appliance opens to others, and who may ask there, are set {_ON_THE_MACHINE}",
    Kind.PARAMETERS: f"the parameters of custom workloads are declared {_ON_THE_MACHINE}",
    Kind.LOGIN: "the stored password belongs to another address; enter the password of this device, or name its "
    f"variable or file {_ON_THE_MACHINE}",
    Kind.UNKNOWN: f"this setting is not known to be safe to change over the network; set it {_ON_THE_MACHINE}",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its key. ``field`` is the key of this field alone, which shows which one of several is new."""

    path: Steps
    kind: Kind
    key: str
    field: str


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine itself vouches for: its serial ports, the passwords that the service keeps, accepted hosts."""

    serial_ports: Collection[str]
    keeps: OwnSecret
    accepts: AcceptedHost


def claims_of(bench: Bench, machine: Machine) -> list[Claim]:
    """List what a bench asks for beyond what is harmless."""
    return list(_part(bench, (), machine))


def _part(part: Part, path: Steps, machine: Machine) -> Iterator[Claim]:
    if isinstance(part, SshAddress) and machine.accepts(part):
        return
    names = [name for name in type(part).model_fields if not _passes(part, name)]
    yield from _together(type(part).__name__, path, {name: _plain(part, name) for name in names}, _set(part, names))
    if isinstance(part, WorkloadUse):
        yield from _workload_use(part, path)
        return
    if isinstance(part, Meter | Bmc):
        yield from _instrument(part, path, machine)
    for name in type(part).model_fields:
        if name not in names and kind_of(type(part), name) not in JUDGED:
            yield from _inside(getattr(part, name), (*path, _written(part, name)), machine)


def _inside(value: Any, path: Steps, machine: Machine) -> Iterator[Claim]:
    """Iterate over the parts in a field; values that are not parts were judged with the field."""
    if isinstance(value, Part):
        yield from _part(value, path, machine)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _inside(item, (*path, index), machine)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside(item, (*path, key), machine)


def _passes(part: Part, name: str) -> bool:
    """Return whether a field does not count as such: it is harmless, or an instrument's, which is judged below."""
    kind = kind_of(type(part), name)
    return kind in HARMLESS or (kind in JUDGED and not isinstance(part, Declaration))


def _set(part: Part, names: Collection[str]) -> list[tuple[Steps, Kind, str]]:
    """List the fields of a part that say something, as they are written, with what each can become."""
    fields = type(part).model_fields
    changed = [name for name in names if getattr(part, name) != fields[name].get_default(call_default_factory=True)]
    return [((_written(part, name),), kind_of(type(part), name), name) for name in changed]


def _together(
    what: str, path: Steps, values: Mapping[str, Any], fields: Collection[tuple[Steps, Kind, str]]
) -> Iterator[Claim]:
    """Claim the fields of one part as one thing; none where none of them says anything."""
    whole = _key(what, values)
    for steps, kind, name in fields:
        yield Claim((*path, *steps), kind, whole, _key(what, name, values[name]))


def _workload_use(entry: WorkloadUse, path: Steps) -> Iterator[Claim]:
    """Evaluate what a bench changes about a workload of the catalogue; with a password its hosts count as well."""
    declared = load_catalogue()[entry.uses].parameters if entry.uses in load_catalogue() else {}
    adapt = entry.adapt
    values = {name: _plain(adapt, name) for name in type(adapt).model_fields if not _passes(adapt, name)}
    fields = [(("with", *steps), kind, name) for steps, kind, name in _set(adapt, list(values))]
    for name, value in adapt.parameters.items():
        parameter = declared.get(name)
        if not _is_harmless(parameter, str(value), secret=adapt.password_env is not None):
            values[f"parameters.{name}"] = str(value)
            fields.append((("with", "parameters", name), _becomes(parameter), f"parameters.{name}"))
    if adapt.password_env is not None:
        hosts = {name: parameter.default for name, parameter in declared.items() if parameter.kind in ADDRESSES}
        values = {**{f"parameters.{name}": value for name, value in hosts.items()}, **values}
    yield from _together(f"use of {entry.uses}", path, values, fields)


def _is_harmless(parameter: Parameter | None, value: str, *, secret: bool) -> bool:
    if parameter is None:
        return False
    if parameter.kind in ADDRESSES:
        return not secret
    return parameter.kind in HARMLESS_PARAMETERS or value == parameter.default


def _becomes(parameter: Parameter | None) -> Kind:
    return Kind.UNKNOWN if parameter is None else BECOMES.get(parameter.kind, Kind.UNKNOWN)


def _instrument(entry: Meter | Bmc, path: Steps, machine: Machine) -> Iterator[Claim]:
    url = entry.url if isinstance(entry, Meter) else entry.connection
    place = (*path, "url" if entry.url else "host")
    for name, value in _local_places(url, machine):
        key = _key("address", url.partition(":")[0], name, value)
        yield Claim(place, Kind.FILE, key, key)
    bound = bound_address(entry.model, url)
    for name in (name for name, kind in KINDS[type(entry)].items() if kind is Kind.LOGIN):
        source = getattr(entry, name)
        if source is not None and not (name.endswith("_file") and machine.keeps(source, bound)):
            key = _key("login", name, source, bound)
            yield Claim((*path, name), Kind.LOGIN, key, key)
    if isinstance(entry, Meter):
        yield from _options(entry, path)


def _local_places(url: str, machine: Machine) -> Iterator[tuple[str, str]]:
    """List the files, folders and ports of the appliance that an address names, but for the usual ones.

    What no driver can read is left to the check of the bench, which refuses it.
    """
    scheme = url.partition(":")[0]
    fields = FORMS[scheme][1] if scheme in FORMS else ()
    try:
        values = read_address(url, fields)
    except ValueError:
        return
    for field in fields:
        value = values.get(field.name)
        own_port = field.kind == "serial-port" and value in machine.serial_ports and "%" not in url
        if field.kind not in HARMLESS_FIELDS and value is not None and value != field.default and not own_port:
            yield field.name, str(value)


def _options(meter: Meter, path: Steps) -> Iterator[Claim]:
    model = load_models().get(meter.model)
    kinds = {field.name: field.kind for field in option_fields(model)} if model else {}
    for name, value in meter.options.items():
        if kinds.get(name) not in HARMLESS_FIELDS:
            key = _key("option", meter.model, name, value)
            yield Claim((*path, "options", name), Kind.UNKNOWN, key, key)


def _plain(part: Part, name: str) -> Any:
    """Return the value of a field as plain data; of parameters only what is not harmless."""
    value = getattr(part, name)
    if isinstance(part, Declaration) and name == "parameters":
        return {key: _guarded(parameter) for key, parameter in value.items()}
    return part.model_dump(mode="json", include={name})[name]


def _guarded(parameter: Parameter) -> Any:
    harmless = {"help", "default"} if parameter.kind in HARMLESS_PARAMETERS else {"help"}
    return parameter.model_dump(mode="json", exclude=harmless)


def _written(part: Part, name: str) -> str:
    return type(part).model_fields[name].alias or name


def _key(*what: Any) -> str:
    return json.dumps(what, sort_keys=True)


def brought_in(before: Bench, after: Bench, machine: Machine) -> list[Mistake]:
    """Find what is new and not harmless, each at its field. No file is opened, whatever is named."""
    known = claims_of(before, machine)
    keys, fields = {claim.key for claim in known}, {claim.field for claim in known}
    new = [claim for claim in claims_of(after, machine) if claim.key not in keys]
    return [Mistake(claim.path, REFUSALS[claim.kind]) for claim in _at_fault(new, fields)]


def _at_fault(new: list[Claim], fields: set[str]) -> list[Claim]:
    """Of fields that count together choose those that are new; the first, where only their combination is."""
    fresh = [claim for claim in new if claim.field not in fields]
    explained = {claim.key for claim in fresh}
    combined = {claim.key: claim for claim in reversed(new) if claim.key not in explained}
    return [*fresh, *combined.values()]
