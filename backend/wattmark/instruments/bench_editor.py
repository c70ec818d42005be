"""The bench of a service: read, checked, and changed while it runs."""

from __future__ import annotations

from pathlib import Path

from wattmark_drivers.clock import Clock
from wattmark_drivers.discovery.serial_ports import serial_port_names

from wattmark.bench.editing.bench_file import BenchFile
from wattmark.bench.editing.editor import BenchEditor
from wattmark.bench.editing.history import History
from wattmark.bench.editing.secret_files import SecretFiles
from wattmark.hosts.own_keys import OwnKeys
from wattmark.instruments.known_bench import OWN_BENCH, check_bench


def open_bench_editor(file: Path | None, folder: Path, clock: Clock, *, by_owner: bool = False) -> BenchEditor:
    """Read the bench of a service, or its own in its data folder; ``by_owner``: to change it by a command.

    Raises `WattmarkError` where it has mistakes or a file that was named is missing.
    """
    bench_file = BenchFile(file or folder / OWN_BENCH, must_exist=file is not None)
    return BenchEditor(
        bench_file,
        History(folder / "bench-history"),
        SecretFiles(folder / "secrets"),
        OwnKeys(folder / "ssh"),
        check_bench,
        lambda: clock.utc_ns() * 1e-9,
        serial_port_names,
        by_owner=by_owner,
    )
