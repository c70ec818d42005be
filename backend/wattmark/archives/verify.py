"""Check an archive from the file alone: is it whole, who signed it, do its results follow?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from wattmark_drivers.clock import Clock

from wattmark.archives.container import ContainerLimits, Refusal
from wattmark.archives.data_folder import Archives
from wattmark.archives.outcome import Restored
from wattmark.archives.read import Archive
from wattmark.archives.signature import PublicKey
from wattmark.archives.signer import Fit, Signer, fit, named_key
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer

Signed = Literal["no", "yes", "by another key", "wrong"]
_WORDS: dict[Fit, Signed] = {"none": "no", "fits": "yes", "wrong": "wrong"}
FAILED = Refusal("failed verification", "Ask whoever published it for a new copy.")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found. ``signed`` is "yes" where the signature fits the content and the key that was expected."""

    lab: str
    software: str
    members: int
    runs: tuple[Restored, ...]
    signed: Signed
    key: str | None
    """Public key that the archive names; None where it is not signed."""
    comment: str
    """What the signer wrote under the signature; empty where it does not hold."""
    expected: bool
    """Whether a key was expected, so that the signature also identifies the signer."""

    @property
    def passed(self) -> bool:
        """Return whether nothing speaks against the archive."""
        unsigned = self.signed == "no" and not self.expected
        return (self.signed == "yes" or unsigned) and not any(run.differences for run in self.runs)


def verify(file: IO[bytes], name: str, expected: PublicKey | None, empty_folder: Path, clock: Clock) -> Verification:
    """Check hashes and signature, and recompute the results from the raw samples in an empty data folder.

    Raises `InputError` for an archive that is damaged or contradicts itself; it names the member.
    """
    archive = Archive(file, name, ContainerLimits(), FAILED)
    signed, key = _signed(archive, expected)
    storage = open_storage(empty_folder)
    try:
        results = Evaluations(storage)
        nobody = Signer("none", None, "", ())
        restored = Archives(storage, results, Issuer(storage, results, clock)).take(archive, nobody, own=True)
    finally:
        storage.close()
    signature = archive.signature
    return Verification(
        lab=archive.manifest.lab,
        software=archive.manifest.software,
        members=len(archive.manifest.members),
        runs=restored.runs,
        signed=signed,
        key=key,
        comment=signature.comment if signed == "yes" and signature is not None else "",
        expected=expected is not None,
    )


def _signed(archive: Archive, expected: PublicKey | None) -> tuple[Signed, str | None]:
    key = named_key(archive) or expected
    if archive.signature is not None and expected is not None and key != expected:
        return "by another key", archive.manifest.signed_by
    return _WORDS[fit(archive, key)], archive.manifest.signed_by or (key.text if archive.signature and key else None)
