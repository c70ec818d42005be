"""The audit log's lines of commands that change a data folder themselves."""

from __future__ import annotations

import getpass

from wattmark_drivers.clock import SystemClock

from wattmark.access.audit import Act, described
from wattmark.access.gate import LOCAL
from wattmark.results.data_folder import Storage


def note_act(storage: Storage, command: str, *names: str) -> None:
    """Write what a command has changed; in place of an address stands the user of this machine who typed it."""
    act = Act(SystemClock().utc_ns(), LOCAL.name, LOCAL.role, getpass.getuser(), command, described(names), 0)
    storage.audit.add(act)
