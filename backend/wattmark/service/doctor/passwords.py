"""Whether the passwords that a bench names can be read from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wattmark.bench.bench import Bench
from wattmark.bench.instruments import Bmc, Meter
from wattmark.bench.passwords import password_reader
from wattmark.core.errors import InputError
from wattmark.service.doctor.finding import Finding


def passwords(bench: Bench, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check that each password can be read. The service's environment may differ from that of this command."""
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
