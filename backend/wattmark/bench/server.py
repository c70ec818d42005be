"""A server: a machine under test, how to reach it and how to change its configuration."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from wattmark.bench.configuration import Configuration
from wattmark.core.inputs import REAL, Text
from wattmark.core.part import Argument, Identifier, Part
from wattmark.hosts.address import SshAddress
from wattmark.workloads.placeholders import well_spelt

HOST = "host"
"""Name under which the operating system's own series are stored; another machine's add a dot and its id."""
THIS_MACHINE = "this machine"
"""The address of the machine that wattmark runs on."""
PREPARE_PLACEHOLDERS = ("server", "configuration", "dimm_count")


class Access(Part):
    """How workloads are started: on this machine, or on another one over SSH."""

    local: Literal[True] | None = None
    ssh: SshAddress | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.local is None) == (self.ssh is None):
            raise ValueError("either local: true or ssh: {host, user, ...}")
        return self


class PrepareCommand(Part):
    """A program that installs a configuration on a server; an argument list, never a shell line."""

    command: tuple[Annotated[Argument, AfterValidator(well_spelt(PREPARE_PLACEHOLDERS))], ...] = Field(min_length=1)
    timeout_s: Annotated[float, Field(gt=0, le=86_400), REAL] = 300.0


def _form(value: Any) -> str:
    return "as-command" if isinstance(value, dict | PrepareCommand) else "as-word"


Prepare = Annotated[
    Annotated[Literal["manual"], Tag("as-word")] | Annotated[PrepareCommand, Tag("as-command")], Discriminator(_form)
]


class Server(Part):
    """A machine under test."""

    id: Identifier
    title: Text = ""
    model: Text = ""
    """Maker and product, by which labs find the same server; empty: what its firmware states."""
    access: Access
    configurations: tuple[Configuration, ...] = Field(min_length=1)
    prepare: Prepare | None = None
    """What happens before the first run of each configuration: "manual" waits for the operator."""
    sudo_dmidecode: bool = False
    """Whether a line of sudoers lets the SSH user read the memory slots by "sudo -n /usr/sbin/dmidecode -t 17"."""
    settings_command: tuple[Argument, ...] = ()
    """The program that sets power settings there with rights of its own, such as [sudo, -n, /usr/local/sbin/NAME];
    empty: whoever runs loads has them."""

    @model_validator(mode="after")
    def _sudo_is_elsewhere(self) -> Self:
        if self.sudo_dmidecode and self.access.ssh is None:
            raise ValueError(
                "ssh access for sudo_dmidecode; on this machine wattmark-inventory.service reads the memory slots"
            )
        return self


def address_of(server: Server) -> str:
    """Say where a server is: "root@10.0.0.2:22", or "this machine"."""
    return THIS_MACHINE if server.access.ssh is None else server.access.ssh.label


def host_source(server: Server) -> str:
    """Return the source under which a server's operating system is recorded: "host" is the machine wattmark runs on."""
    return HOST if server.access.ssh is None else f"{HOST}.{server.id}"
