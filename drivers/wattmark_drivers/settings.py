"""What a person configures for one meter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class MeterSettings:
    """One meter of the bench: name, model of the catalogue, address, polling period [s] and measuring range.

    ``timeout_s`` None takes the model's. ``password`` is called only when a session is opened; its result is never
    kept, logged or shown. For SNMP it is the community or the authentication passphrase, and ``privacy_password`` the
    passphrase of the encryption (None: the same).
    """

    name: str
    model: str
    url: str = field(repr=False)
    period_s: float = 1.0
    range: str | None = None
    simulated: bool = False
    timeout_s: float | None = None
    options: Mapping[str, str | int | float] = field(default_factory=dict)
    username: str | None = None
    password: Callable[[], str] | None = field(default=None, repr=False)
    privacy_password: Callable[[], str] | None = field(default=None, repr=False)
