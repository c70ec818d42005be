"""Names of configurations shown together: server · configuration, without the parts common to all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wattmark.core.separator import DOT
from wattmark.core.texts import all_of

MOST_NAMED = 4
"""A sentence with more names than this is not read."""


class ConfigurationName(Protocol):
    """Parts of a configuration's name."""

    @property
    def key(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def server(self) -> str: ...
    @property
    def configuration(self) -> str: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Configuration:
    """A measured configuration of a server, as lists of runs name it."""

    server: str
    configuration: str
    title: str
    kind: str = "measured"

    @property
    def key(self) -> str:
        """Key that distinguishes it from all others."""
        return f"{self.server}/{self.configuration}"


def group_names(groups: Sequence[ConfigurationName]) -> dict[str, str]:
    """Return a name for each group, by its key.

    A published title names its system already; of the others the server is named unless all groups share it. Names that
    are still alike get the identifier of the configuration, and then the key.
    """
    one_server = len({group.server for group in groups}) == 1
    names = {group.key: _name(group, with_server=not one_server) for group in groups}
    for identifier in ("configuration", "key"):
        counts = Counter(names.values())
        names |= {
            group.key: f"{names[group.key]} ({getattr(group, identifier)})"
            for group in groups
            if counts[names[group.key]] > 1
        }
    return names


def listed(names: Sequence[str]) -> str:
    """Join names of configurations to a phrase; of many the first are named and the rest are counted."""
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} other configurations"]
    return all_of(names)


def _name(group: ConfigurationName, *, with_server: bool) -> str:
    if not with_server or group.kind == "published":
        return group.title
    # server and title of another lab's run both name the lab: once is enough
    _, bracket, lab = group.server.partition(" (")
    return f"{group.server}{DOT}{group.title.removesuffix(bracket + lab)}"
