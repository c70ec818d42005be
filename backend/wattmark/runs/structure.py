"""What repeats of a run have in common: the installation and the boot that they were made in."""

from __future__ import annotations

INSTALLATION = "installation"
"""Key of a run's disclosure: a name that is new whenever the server was fitted anew or otherwise."""
BOOT = "boot_id"
"""Key of the host in a run's disclosure: what the server's kernel calls its boot."""
