"""Open a source from outside: a folder and a file as they are, a zip file unpacked with limits."""

from __future__ import annotations

import contextlib
import errno
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.numbers import format_number
from wattmark.core.place import without_place
from wattmark.core.wanted import require_wanted

_BLOCK = 2**20
SCRATCH = "import-"
"""How the folders of sources begin that are deleted afterwards. No answer and no record holds their names."""
_LEFT = re.compile(re.escape(SCRATCH) + "[a-z0-9_]{8}")
"""Names as `tempfile` makes them, no others."""
_MARKER = ".wattmark-unpacks-here"
"""File beside an unpacked source: a folder that is only called like ours has none, and is somebody else's."""
_KEPT_FREE = 2**28
"""Bytes of the disk that are left to samples."""
LARGEST_UPLOAD = 2 * 2**30


@dataclass(frozen=True, slots=True)
class UnpackLimits:
    """How large an unpacked zip file may be."""

    members: int = 100_000
    total_bytes: int = 8 * 2**30
    ratio: int = 200
    """Unpacked over packed size of a member above 1 MiB; text logs pack to a twentieth."""


@contextlib.contextmanager
def opened(
    path: Path,
    limits: UnpackLimits = UnpackLimits(),
    scratch_folder: Path | None = None,
) -> Iterator[Path]:
    """Return the folder or file of a source; a zip file is unpacked for as long as it is open. Raises `InputError`."""
    if not path.exists():
        raise InputError(f"{path} does not exist.", "Give the folder or file that holds the published results.")
    if path.is_dir() or not zipfile.is_zipfile(path):
        yield path
        return
    with _scratch(scratch_folder) as scratch, _of_the_sender(scratch, path.name):
        folder = _place(scratch, path.name)
        _unpack(path, folder, limits)
        yield _without_shell(folder)


def remove_scratch(folder: Path) -> None:
    """Remove what a process that was killed has left of sources; only who alone may write to the folder may."""
    for path in folder.iterdir():
        if _LEFT.fullmatch(path.name) and not path.is_symlink() and (path / _MARKER).is_file():
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _scratch(folder: Path | None) -> Iterator[Path]:
    """Make a folder that lasts as long as the block, in one that `remove_scratch` knows again."""
    with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=folder) as made:
        Path(made, _MARKER).touch()
        scratch = Path(made, "source")
        scratch.mkdir()
        yield scratch


@contextlib.contextmanager
def opened_upload(file: IO[bytes], name: str, folder: Path) -> Iterator[Path]:
    """Return the folder or file of a source that was sent, under a name without folders. Raises `InputError`.

    It lies in folders that are called as the file is without its suffix, so that a source which names a thing by its
    folder names it alike whenever it is sent; and no error inside the block says where that is.
    """
    plain = PurePosixPath(name.replace("\\", "/")).name
    if plain in ("", ".", "..") or "\0" in plain:
        raise InputError(f"{name[:80]!r} is not a file name.", "Send the file under its own name.")
    with _scratch(folder) as scratch, _of_the_sender(scratch, plain):
        target = _named(scratch, plain)
        file.seek(0)
        with target.open("wb") as out:
            while block := file.read(_BLOCK):
                if shutil.disk_usage(folder).free - len(block) < _KEPT_FREE:
                    raise InputError("The disk has too little space to unpack the file.", "Free space, then try again.")
                out.write(block)
        with opened(target, scratch_folder=folder) as source:
            yield source


def _named(scratch: Path, name: str) -> Path:
    """Make an empty file of a name in a folder of the same name. Raises `InputError` for one that no disk takes."""
    try:
        target = _place(scratch, name) / name
        target.touch()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise InputError(
            f"The file name {name[:40]}... is too long.", "Shorten it, then send the file again."
        ) from None
    return target


def _place(scratch: Path, name: str) -> Path:
    """Make a folder that is called as its file, in one that is called so too.

    Importers name a server and what a thing belongs to by the folders around it; none of these is the scratch folder.
    """
    stem = _without_suffix(name)
    folder = scratch / stem / stem
    folder.mkdir(parents=True)
    return folder


def _without_suffix(name: str) -> str:
    """Return how a folder is called that stands for a file; "..zip" is such a file too, and "." no name."""
    stem = Path(name).stem
    return name if stem in ("", ".", "..") else stem


@contextlib.contextmanager
def _of_the_sender(scratch: Path, name: str) -> Iterator[None]:
    """Let errors name files as whoever sent ``name`` knows them, without the folder in which they lie here."""
    try:
        yield
    except WattmarkError as error:
        outer = scratch / _without_suffix(name)
        for place in (outer, scratch):
            error.cause, error.remedy = (without_place(text, place, name) for text in (error.cause, error.remedy))
        error.args = (f"{error.cause} {error.remedy}".strip(),)
        raise


def _unpack(path: Path, scratch: Path, limits: UnpackLimits) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            _check(path.name, members, limits)
            left = limits.total_bytes
            for member in members:
                if not member.is_dir():
                    left = _unpack_member(archive, member, scratch, left, path.name)
    except OSError as error:
        what = (
            f"{error.strerror}: {Path(error.filename).name[:80]!r}" if error.filename else f"{error.strerror or error}"
        )
        raise InputError(f"{path.name} cannot be unpacked: {what}.", "Pack the folder again as a zip file.") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(f"{path.name} cannot be unpacked: {error}.", "Pack the folder again as a zip file.") from None
    except Exception as error:  # zlib.error, lzma.LZMAError and others have no common base
        if type(error).__module__ in ("zlib", "_lzma", "lzma", "bz2"):
            raise InputError(f"{path.name} is damaged: {error}.", "Pack the folder again as a zip file.") from None
        raise


def _check(name: str, members: list[zipfile.ZipInfo], limits: UnpackLimits) -> None:
    if len(members) > limits.members:
        raise InputError(
            f"{name} holds {len(members)} files, more than {limits.members}.", "Pack one submission at a time."
        )
    if sum(member.file_size for member in members) > limits.total_bytes:
        raise InputError(
            f"{name} is larger than {format_number(limits.total_bytes / 2**30, 3)} GiB when unpacked.",
            "Unpack it, and import the folder with `wattmark import`.",
        )
    places: set[PurePosixPath] = set()
    for member in members:
        place = PurePosixPath(member.filename)
        if not member.is_dir() and place in places:
            raise InputError(f"{name} holds the file {str(place)[:80]!r} twice.", "Pack the folder itself.")
        places.add(place)
        if place.is_absolute() or ".." in place.parts or "\\" in member.filename or "\0" in member.filename:
            raise InputError(f"{name} holds the file name {member.filename[:80]!r}.", "Pack the folder itself.")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise InputError(f"{name} holds the link {member.filename[:80]!r}.", "Pack files, not links.")
        if member.file_size > 2**20 and member.file_size > limits.ratio * max(member.compress_size, 1):
            raise InputError(
                f"{name}: {member.filename[:80]!r} unpacks to {member.file_size} bytes, more than {limits.ratio} times "
                "its packed size.",
                "Unpack it yourself if you trust it, and import the folder.",
            )


def _unpack_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, scratch: Path, left: int, name: str) -> int:
    """Write one member, counting what it really unpacks to; return how many bytes may follow."""
    target = scratch.joinpath(*PurePosixPath(member.filename).parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, target.open("wb") as out:
        while block := source.read(_BLOCK):
            require_wanted()
            left -= len(block)
            if left < 0 or shutil.disk_usage(scratch).free < _KEPT_FREE:
                raise InputError(
                    f"{name} is larger when unpacked than it says, or than this disk has space for.",
                    "Unpack it, and import the folder with `wattmark import`.",
                )
            out.write(block)
    return left


def _without_shell(scratch: Path) -> Path:
    """Return the single file of a zip file that holds one, else the folder."""
    entries = list(scratch.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_file() else scratch
