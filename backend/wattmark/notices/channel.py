"""One way to somebody: a message made of a notice, and sent with the secrets that the bench names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from wattmark.bench.notify import Notify, address_problem, topic_of
from wattmark.bench.passwords import secret_reader
from wattmark.core.errors import InputError
from wattmark.core.passwords import bearer
from wattmark.notices.messages import mail, ntfy_body, webhook_body
from wattmark.notices.notice import Notice
from wattmark.notices.post import post
from wattmark.notices.sendmail import send_mail

Channel = Callable[[Notice], str]
"""Sends a notice and returns what took it, in words; it blocks. Raises `WattmarkError`."""


def channel_of(entry: Notify, lab: str, folder: Path, environment: Mapping[str, str]) -> Channel:
    """Make the way of an entry of the bench. Secrets are read with each message; paths are relative to ``folder``."""
    return partial(_by_mail, entry, lab) if entry.by == "mail" else _Web(entry, lab, folder, environment)


def target_of(entry: Notify) -> str:
    """Return where an entry sends to, for all to see: the host of an address, or who names it; the domains of mail."""
    if entry.by == "mail":
        domains = dict.fromkeys(address.partition("@")[2] or "this machine" for address in entry.to)
        count = len(entry.to)
        return f"{count} mailbox{'' if count == 1 else 'es'} ({', '.join(domains)})"
    if entry.url is None:
        return f"the address in {entry.url_env or entry.url_file}"
    parts = urlsplit(entry.url)
    return f"{parts.scheme}://{parts.netloc}"


def secrets_of(entry: Notify, folder: Path, environment: Mapping[str, str]) -> list[Callable[[], str]]:
    """List the functions that read the secrets of an entry, each of which raises `InputError` where there is none."""
    return [reader for reader in _readers(entry, folder, environment) if reader is not None]


def _readers(
    entry: Notify, folder: Path, environment: Mapping[str, str]
) -> tuple[Callable[[], str] | None, Callable[[], str] | None]:
    """Return what reads the address and the token, where the bench names a place of theirs."""
    owner = _owner(entry)
    return (
        secret_reader(entry.url_env, entry.url_file, folder, f"{owner} (its address)", environment),
        secret_reader(entry.token_env, entry.token_file, folder, f"{owner} (its token)", environment),
    )


def _owner(entry: Notify) -> str:
    return f"the entry {entry.id} of notify"


def _by_mail(entry: Notify, lab: str, notice: Notice) -> str:
    send_mail(mail(notice, lab, entry.to, entry.sender), entry.to, entry.sender)
    return f"sendmail took the mail to {target_of(entry)}."


class _Web:
    """A webhook, or a topic of ntfy."""

    def __init__(self, entry: Notify, lab: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._entry = entry
        self._lab = lab
        self._folder = folder
        self._owner = _owner(entry)
        self._address, self._token = _readers(entry, folder, environment)

    def __call__(self, notice: Notice) -> str:
        url = self._entry.url or self._read_address()
        token = None if self._token is None else bearer(self._token(), self._owner)
        if self._entry.by == "ntfy":
            parts = urlsplit(url)
            root, body = f"{parts.scheme}://{parts.netloc}/", ntfy_body(notice, self._lab, topic_of(url))
        else:
            root, body = url, webhook_body(notice, self._lab)
        status = post(root, body, token=token, ca_file=self._ca_file())
        return f"{urlsplit(url).hostname} took the message (status {status})."

    def _ca_file(self) -> str | None:
        """Find the file of certificates. Raises `InputError` where it lies with a user that this machine lacks."""
        if self._entry.ca_file is None:
            return None
        try:
            return str(self._folder / Path(self._entry.ca_file).expanduser())
        except RuntimeError:
            cause = f"The ca_file of {self._owner} names a user that this machine does not have."
            raise InputError(cause, "Write its whole path.") from None

    def _read_address(self) -> str:
        """Read the address where it is secret, and hold it against the same rules. Raises `InputError`."""
        url = "" if self._address is None else self._address()
        if problem := address_problem(url, self._entry.by, has_token=self._token is not None):
            raise InputError(f"The address of {self._owner} is not {problem}.", "Correct the variable or the file.")
        return url
