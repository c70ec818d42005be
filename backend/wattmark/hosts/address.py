"""How a server is reached over SSH."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.core.inputs import WHOLE
from wattmark.core.part import Part, Word

HOST = r"^[A-Za-z0-9\[:][A-Za-z0-9.:_%\]-]*$"
USER = r"^[A-Za-z_][A-Za-z0-9_.-]*$"
Host = Annotated[str, Field(pattern=HOST, max_length=253)]
User = Annotated[str, Field(pattern=USER, max_length=64)]
Port = Annotated[int, Field(ge=1, le=65535), WHOLE]


class SshAddress(Part):
    """Host, user and key of a server. Its host key must be known; passwords are not used."""

    host: Host
    port: Port = 22
    user: User
    identity_file: Word | None = None
    """Private key; None: the agent and the keys in ~/.ssh."""
    known_hosts: Word | None = None
    """File with the host keys; None: ~/.ssh/known_hosts."""

    @property
    def label(self) -> str:
        """Return its name for people."""
        return f"{self.user}@{self.host}:{self.port}"
