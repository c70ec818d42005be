"""Find out where runs are, and open that place to read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark.core.errors import InputError

if TYPE_CHECKING:
    from wattmark.reading.readable import Readable


def read(source: str | os.PathLike[str], token: str | None = None) -> Readable:
    """Open the runs of an appliance's URL, a data folder, an archive or a Parquet archive, to read.

    ``token`` is for a service that requires one; without it, that of the variable WATTMARK_TOKEN. Raises
    `WattmarkError` where there is nothing that can be read.
    """
    name = os.fspath(source)
    if name.startswith(("http://", "https://")):
        from wattmark.reading.appliance import Appliance

        return Appliance(name, token)
    if name.startswith("s3://"):
        from wattmark.fleet.parquet.s3 import Bucket
        from wattmark.reading.parquet_folder import ParquetFolder

        return ParquetFolder(Bucket(name))
    try:
        return _local(Path(name))
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.", "Check the path and its permissions.") from None


def _local(path: Path) -> Readable:
    from wattmark.fleet.parquet.layout import MARKER

    if path.is_file():
        from wattmark.reading.archive_file import ArchiveFile

        return ArchiveFile(path)
    if (path / MARKER).is_file():
        from wattmark.fleet.parquet.target import Folder
        from wattmark.reading.parquet_folder import ParquetFolder

        return ParquetFolder(Folder(path))
    from wattmark.reading.data_folder import DATABASE, DataFolder

    if not (path / DATABASE).is_file():
        raise InputError(
            f"There are no runs in {path}.",
            "Give the address of a service, a data folder, an archive, or a folder of `wattmark archive --parquet`.",
        )
    return DataFolder(path)
