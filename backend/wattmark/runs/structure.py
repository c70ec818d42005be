"""Keys of a run's disclosure that results are computed from."""

from __future__ import annotations

INSTALLATION = "installation"
"""Key of a run's disclosure: a name that is new whenever the server was fitted anew or otherwise."""
BOOT = "boot_id"
"""Key of the host in a run's disclosure: what the server's kernel calls its boot."""
ASKED_S = "asked_s"
"""Key of a run's disclosure: how long the load was asked to work [s]; None where it ends when its work is done."""
