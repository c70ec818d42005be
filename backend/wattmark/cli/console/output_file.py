"""The name of a file to write: it does not promise another format than the file has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from wattmark.core.errors import InputError

_OF_FORMATS = frozenset(
    ("csv", "tsv", "json", "jsonl", "md", "tex", "html", "htm", "xlsx", "xls", "ods", "parquet", "txt", "log", "pdf")
) | frozenset(
    ("svg", "png", "jpg", "jpeg", "gif", "ps", "eps", "doc", "docx", "odt", "zip", "wattmark", "gz", "tar", "yaml")
)
"""Endings by which people and programs know a format; any other ending is the user's own word."""

ARCHIVE_FILE = ("An archive", "zip", "wattmark")
"""What an archive is called, and how its name may end."""


def ending_of(output: Path) -> str:
    """Return the ending of a file name without its dot, in small letters; empty where it has none."""
    return output.suffix.lstrip(".").lower()


def require_ending(output: Path | None, allowed: Collection[str], what: str) -> None:
    """Refuse a name that ends like a file of another format. ``what`` is written: "A report". Raises `InputError`."""
    ending = "" if output is None else ending_of(output)
    if ending in _OF_FORMATS and ending not in allowed:
        endings = ", ".join(f".{name}" for name in allowed)
        raise InputError(f"{what} is not available as {ending!r}.", f"End the file name with one of: {endings}.")


def ends_as(what: str, *allowed: str) -> Callable[[Path | None], Path | None]:
    """Return the check of an option for a file of one format, called ``what``: "An archive"."""

    def checked(value: Path | None) -> Path | None:
        require_ending(value, allowed, what)
        return value

    return checked
