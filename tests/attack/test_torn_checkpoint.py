"""Power fails while the log is written back into the database file: any part of any page may be old or new.

The log is emptied only after the file is on disk, so the whole log lies beside whatever the checkpoint had reached.
Sectors of 512 bytes are what a disk writes at once.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import LAYOUT, Storage, open_storage
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..integration.fleet.influx.recorded import fill

SECTOR = 512
TEARS = 200


def test_every_torn_checkpoint_opens_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(15)
    folder = tmp_path / "data"
    storage = open_storage(folder)
    fill(storage, "earlier", n=3000)
    storage.close()
    storage = open_storage(folder)
    fill(storage, "later", n=700, seal=False)
    storage.runs.put_document("kind", "name", {"text": "x" * 200_000})
    before, log = _content(folder, ""), _content(folder, "-wal")
    assert len(log) > 200_000, "nothing waits to be written back"
    apart = tmp_path / "apart"
    shutil.copytree(folder, apart)
    storage.close()
    connection = apsw.Connection(str(apart / FILE_NAME))
    connection.execute("PRAGMA wal_checkpoint(FULL)")
    after = _content(apart, "")
    connection.close()
    assert after != before
    whole = _read(open_storage(apart))
    lost = 0
    for tear in range(TEARS):
        torn = tmp_path / f"torn {tear}"
        torn.mkdir()
        (torn / FILE_NAME).write_bytes(_mixture(before, after, chance))
        (torn / f"{FILE_NAME}-wal").write_bytes(log)
        assert _read(open_storage(torn)) == whole
        assert verify(torn / FILE_NAME, LAYOUT) == []
        lost += _lost_without_log(torn, _mixture(before, after, chance), whole)
        shutil.rmtree(torn)
    assert lost > TEARS // 2, "what is torn here does harm where there is no log"


def _lost_without_log(folder: Path, torn: bytes, whole: dict[str, object]) -> bool:
    (folder / FILE_NAME).write_bytes(torn)
    try:
        return _read(open_storage(folder, read_only=True)) != whole
    except StoreError:
        return True


def _content(folder: Path, suffix: str) -> bytes:
    return (folder / f"{FILE_NAME}{suffix}").read_bytes()


def _mixture(before: bytes, after: bytes, chance: random.Random) -> bytes:
    """Give a file of which each sector is as before or as after, or cut where it had not grown yet."""
    mixed = bytearray(after)
    share = chance.random()
    for offset in range(0, len(after), SECTOR):
        if chance.random() < share:
            old = before[offset : offset + SECTOR]
            mixed[offset : offset + SECTOR] = old.ljust(min(SECTOR, len(after) - offset), b"\0")
    grown = (
        len(before) + chance.randrange(0, len(after) - len(before) + 1, SECTOR) if len(after) > len(before) else None
    )
    return bytes(mixed[:grown])


def _read(storage: Storage) -> dict[str, object]:
    """Read everything that was acknowledged, and close."""
    try:
        series = {
            (run.run_id, series.key): (series.n, storage.samples.read(series.id).value.tobytes())
            for run in storage.runs.all()
            for series in storage.samples.list_series(run.run_id)
        }
        return {"runs": storage.runs.all(), "series": series, "documents": storage.runs.documents("kind")}
    finally:
        storage.close()
