"""Who is told what happened while nobody looks at the web app; nobody is unless the bench says so."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from wattmark.bench.address import without_secrets
from wattmark.core.inputs import LINE
from wattmark.core.loopback import is_loopback
from wattmark.core.part import Identifier, Part, Variable, Word

Event = Literal["campaign-ended", "campaign-failed", "needs-hands", "alarm", "meter-lost"]
EVENTS: tuple[Event, ...] = get_args(Event)
Way = Literal["webhook", "ntfy", "mail"]
MAIL_ADDRESS = r"^[A-Za-z0-9_][A-Za-z0-9._%+-]*(?:@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)?$"
"""A mailbox with its domain, or a user of the machine; never an option of the program that sends it."""
WEB_URL = r"^https?://\S+$"
TOPIC = r"^[A-Za-z0-9_-]{1,64}$"
"""Topics of ntfy."""
MailAddress = Annotated[str, Field(pattern=MAIL_ADDRESS, max_length=254), LINE]


class Notify(Part):
    """Tell somebody by a webhook, by ntfy or by mail."""

    id: Identifier
    by: Way
    events: Annotated[tuple[Event, ...], Field(min_length=1, max_length=16)] = EVENTS
    """What is told; everything where nothing is listed."""
    url: Annotated[str, Field(pattern=WEB_URL, max_length=1024), LINE] | None = None
    """ntfy: the address, where it is no secret: https://ntfy.lab/power."""
    url_env: Variable | None = None
    """webhook, ntfy: environment variable that holds the address, where whoever knows it may post there."""
    url_file: Word | None = None
    """File with that address, readable only by its owner; relative to the bench file."""
    token_env: Variable | None = None
    """Environment variable that holds a token, sent as `Authorization: Bearer`."""
    token_file: Word | None = None
    """File with that token, readable only by its owner; relative to the bench file."""
    ca_file: Word | None = None
    """Certificates that sign the server's, where the system does not know them; relative to the bench file."""
    to: Annotated[tuple[MailAddress, ...], Field(max_length=16)] = ()
    """mail: who gets it, by the machine's own sendmail."""
    sender: MailAddress | None = None
    """mail: from whom; null: the user that wattmark runs as."""

    @property
    def has_token(self) -> bool:
        """Return whether a token is sent with each message."""
        return self.token_env is not None or self.token_file is not None

    @field_validator("url")
    @classmethod
    def _carries_no_secret(cls, value: str | None) -> str | None:
        return None if value is None else without_secrets(value)

    @model_validator(mode="after")
    def _has_its_place(self) -> Self:
        if self.by == "webhook" and self.url is not None:
            raise ValueError(
                "url_env (name of a variable) or url_file (path of a private file) instead of url: whoever knows the "
                "address of a webhook may post there"
            )
        addresses = [place for place in (self.url, self.url_env, self.url_file) if place is not None]
        if self.by == "mail":
            if addresses or self.has_token or self.ca_file is not None:
                raise ValueError("no url, token or ca_file: mail goes to the machine's own sendmail")
            if not self.to:
                raise ValueError("to, who gets the mail: [lab@example.org]")
            return self
        if self.to or self.sender is not None:
            raise ValueError("no to and no sender: they belong to mail")
        if len(addresses) != 1:
            raise ValueError("one of url, url_env (name of a variable) and url_file (path)")
        if self.token_env is not None and self.token_file is not None:
            raise ValueError("at most one of token_env (name of a variable) and token_file (path)")
        if self.url is not None and (problem := address_problem(self.url, self.by, has_token=self.has_token)):
            raise ValueError(problem)
        return self


def address_problem(url: str, by: Way, *, has_token: bool) -> str | None:
    """Return what an address has to be where it is not that; None where it is. It never repeats the address."""
    try:
        parts = urlsplit(url)
        whole = bool(parts.hostname) and parts.port != 0 and parts.scheme in ("http", "https")
    except ValueError:
        return "an address such as https://ntfy.lab/power"
    if not (whole and url.isascii() and url.isprintable()) or " " in url or parts.fragment or "@" in parts.netloc:
        return "an address such as https://ntfy.lab/power, without user and password"
    if by == "ntfy" and (parts.query or not topic_of(url)):
        return "the address of a topic of ntfy, such as https://ntfy.lab/power"
    if has_token and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        return "an address that begins with https: its token would cross the network unencrypted"
    return None


def topic_of(url: str) -> str:
    """Return the topic that an address of ntfy names; empty where it names none."""
    topic = urlsplit(url).path.strip("/")
    return topic if re.fullmatch(TOPIC, topic) else ""
