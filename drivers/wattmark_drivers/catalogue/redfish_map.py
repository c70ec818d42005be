"""What is read from a Redfish service: resources by their links from the chassis, values by JSON pointers."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared

Side = Literal["input", "output", "unstated"]
"""Side of the power supplies: input (what the wall gives), output (DC, without the losses of the supplies)."""


class Condition(Declared):
    """A property that must have one of these values, or a text that matches."""

    pointer: str
    one_of: tuple[str, ...] = ()
    matches: str | None = None
    """A regular expression for the whole text."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.one_of and self.matches is None:
            raise ValueError("a condition needs one_of or matches")
        return self


class RedfishValue(DeclaredChannel):
    """One channel, or one per entry of an array or member of a collection: value in ``unit`` = number x ``scale``.

    ``{name}`` in ``channel`` and ``label`` stands for what the entry or the member calls itself.
    """

    pointer: str
    """Where the number stands, from the entry (or the resource)."""
    each: str = ""
    """Where an array of entries stands; empty: the resource itself."""
    whole: bool = False
    """True where ``each`` are entries of PowerControl: only the one that is the whole chassis counts."""
    named: bool = False
    """True where ``each`` are entries of PowerControl: only the one counts that the address names."""
    newest: str | None = None
    """Where an entry of ``each`` has its time: only the newest entry counts, with that time (a log of means)."""
    name: tuple[str, ...] = ()
    """Where an entry may say what it is called; without a name it is called by its place in the array."""
    scale: float = 1.0
    time: str | None = None
    """Where the device's own time of the reading stands, from the resource."""
    when: Condition | None = None
    """What an entry must say to be this quantity."""
    unless: Condition | None = None
    """What an entry must not say."""
    positive: bool = False
    """True where 0 means that nothing was measured: a server that is on draws power."""
    side: Side | None = None
    """On which side of the power supplies the figure was measured; None for what has no side."""
    interval: str | None = None
    """Where the service tells over how long a mean was taken [min], from the entry (or the resource)."""
    longest_interval_min: float | None = None
    """A mean over longer, or over an unknown time, does not count [min]; None: any."""


class RedfishResource(Declared):
    """A resource, found by following links from the chassis.

    A step of ``path`` is a property with a link, a JSON pointer to a URI (it begins with a slash), ``*`` for each
    member of a collection, or ``^`` at the begin: the path starts at the service root instead of the chassis.
    """

    path: tuple[str, ...] = Field(min_length=1)
    group: str
    """The first resource of a group that gives a number is read; the others of the group are excluded."""
    slow: bool = False
    """Read each ``sensors_period_s`` instead of at each poll."""
    when: Condition | None = None
    """What the resource must say to be read."""
    needs: str | None = None
    """A property that the resource must have to be read."""
    members: tuple[str, ...] = ()
    """Which members of the collection at ``*`` are read, by the last part of their path; empty: all of them."""
    chosen: bool = False
    """Read only where the address names a sensor, which is then the only member that counts."""
    total: bool = False
    """Values of the same channel are added; one without a number makes the sum invalid, as a part is not the whole."""
    values: tuple[RedfishValue, ...] = Field(min_length=1)


class RedfishMap(ProtocolMap):
    """Everything the Redfish engine needs; which resources there are is found out from the service."""

    schemes: ClassVar = ("redfish", "redfish+http")
    whole_server: ClassVar = True
    engine: Literal["redfish"]
    root: str = "/redfish/v1/"
    sensors_period_s: float = Field(gt=0)
    """How often temperatures, fans and supplies are read [s]; a BMC can take a second for each."""
    parts: tuple[str, ...] = ()
    """Values of ``ChassisType`` that are parts of a server, tried after whole chassis."""
    output_names: tuple[str, ...] = ()
    """Regular expressions; a sensor whose path matches one measures behind the power supplies (DC)."""
    resources: tuple[RedfishResource, ...] = Field(min_length=1)
