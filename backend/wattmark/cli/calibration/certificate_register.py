"""What the commands about certificates share: the register of a data folder, files, days, the way to the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.writing import open_to_write
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.instruments.instruments import bench_records, build_meters
from wattmark.instruments.known_bench import load_known_bench
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.calibration import Calibration
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.record import MeterRecord
from wattmark.tables.table import Table

LARGEST_FILE = 16 * 1024 * 1024
Shown = TypeVar("Shown", bound=BaseModel)


@contextmanager
def changing(data: Path | None, instead: str, command: str, *about: str) -> Iterator[Calibration]:
    """Open a data folder to change it; what was done stands in the audit log."""
    with closing(open_to_write(data, instead)) as storage:
        yield _calibration(storage)
        note_act(storage, command, *about)


def _calibration(storage: Storage, meters: Sequence[MeterRecord] = ()) -> Calibration:
    return Calibration(storage, Evaluations(storage), SystemClock(), lambda: meters)


def ask(data: Path | None, question: Callable[[Calibration], Shown], meters: Sequence[MeterRecord] = ()) -> Shown:
    """Answer a question about the certificates of a data folder, with the meters of a bench file where they count."""
    with closing(open_storage(data_dir(data), read_only=True)) as storage:
        return question(_calibration(storage, meters))


def bench_meters(file: Path) -> list[MeterRecord]:
    """Describe the meters of a bench file without opening them; the file says the serial number of those on it."""
    bench = load_known_bench(file)
    return bench_records(bench, build_meters(bench, SystemClock()))


def show_answer(answer: Shown, table: Callable[[Shown], Table], *, as_json: bool) -> None:
    """Print an answer as JSON, or as the table that shows it."""
    if as_json:
        emit_json(answer)
    else:
        show(table(answer), "table", None)


def read_file(file: Path) -> bytes:
    """Read a certificate's file. Raises `InputError`."""
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise InputError(f"{file} is larger than {LARGEST_FILE // 2**20} MiB.", "A certificate is far smaller.")
        return file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}.", "Check the path of the certificate file."
        ) from None


def instant(text: str | None) -> datetime | None:
    """Read the start of a day (UTC); None stays None. Raises `InputError`."""
    return None if text is None else datetime.combine(day(text), datetime.min.time(), UTC)


def day(text: str) -> date:
    """Read a day. Raises `InputError`."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a date.", "Write YYYY-MM-DD.") from None
