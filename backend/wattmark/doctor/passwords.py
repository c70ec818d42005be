"""Whether the passwords that a bench names can be read from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wattmark.doctor.finding import Finding
from wattmark.errors import InputError
from wattmark.inventory.bench import Bench
from wattmark.inventory.instruments import Bmc, Meter
from wattmark.inventory.passwords import password_reader


def passwords(bench: Bench, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Read each password and forget it. The environment of the service may be another than that of who asks."""
    entries: list[Meter | Bmc] = [*bench.meters, *bench.bmcs]
    for entry in entries:
        for privacy in (False, True):
            read = password_reader(entry, bench.folder, environment, privacy=privacy)
            if read is None:
                continue
            try:
                read()
            except InputError as error:
                yield Finding(f"password {entry.id}", "warning", error.cause, error.remedy)
