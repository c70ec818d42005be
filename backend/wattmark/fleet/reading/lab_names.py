"""Names of the servers of a fleet: with their lab, so that equal names of two labs differ. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from wattmark.runs.origin import at_lab

Machine = tuple[str, str]
"""A lab and its name of a server."""
Build = tuple[str, str, str]
"""A machine and the name of one of its configurations."""


def named_server(server: str, lab: str) -> str:
    """Name a server with its lab, once: what a lab imported is named with its lab already."""
    return server if not lab or server.endswith(at_lab("", lab)) else at_lab(server, lab)


def key_of(build: Build) -> str:
    """Return the key of a configuration: "<server> (<lab>)/<configuration>"."""
    lab, server, configuration = build
    return f"{named_server(server, lab)}/{configuration}"


def machines_named(name: str) -> list[Machine]:
    """List every machine that has a name: labs and servers may have brackets in their own names."""
    candidates = [("", name)]
    for server, lab in _splits(name.removesuffix(")"), " (") if name.endswith(")") else ():
        candidates += [(lab, server), (lab, name)]
    return [(lab, server) for lab, server in candidates if named_server(server, lab) == name]


def builds_keyed(key: str) -> list[Build]:
    """List every configuration that has a key: servers and configurations may have slashes in their names."""
    return [
        (lab, server, configuration)
        for name, configuration in _splits(key, "/")
        for lab, server in machines_named(name)
    ]


def _splits(text: str, mark: str) -> Iterator[tuple[str, str]]:
    place = text.find(mark)
    while place >= 0:
        yield text[:place], text[place + len(mark) :]
        place = text.find(mark, place + 1)
