"""Who vouches for an archive: nobody, this appliance, or a key that signed earlier imports or is new here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wattmark.archives.read import Archive
from wattmark.archives.signature import PublicKey, read_public_key
from wattmark.core.errors import InputError
from wattmark.runs.disclosure import SignatureState

SIGNER_KIND = "archive-signer"
"""Kind of the stored document that says, under a public key, for which labs it signed archives that came in here."""
Fit = Literal["none", "fits", "wrong"]
ASK_AGAIN = "Nothing was changed. Ask the lab for a new copy, and compare it with the one that it publishes."


@dataclass(frozen=True, slots=True)
class Signer:
    """Who vouches for an archive; one whose signature is wrong is refused."""

    state: SignatureState
    key: str | None
    """Public key whose signature fits, as minisign writes it."""
    comment: str
    """What the signer wrote under the signature."""
    earlier: tuple[str, ...]
    """Other keys that signed earlier imports from this lab."""

    @property
    def text(self) -> str:
        """Say it in one line."""
        said = {
            "none": "none; nobody vouches for this archive",
            "own key": "valid, by this appliance's own key",
            "known key": f"valid, by the key {self.key}, which signed earlier imports from this lab",
            "new key": f"valid, by the key {self.key}, which is new here; compare it with the one the lab publishes",
        }[self.state]
        if self.earlier and self.state in ("none", "new key"):
            said += f". Earlier imports from this lab were signed by {', '.join(self.earlier)}"
        return said


def fit(archive: Archive, key: PublicKey | None) -> Fit:
    """Return whether the signature fits; "wrong" where the archive was changed after it was signed.

    A manifest that names a key was signed: without the signature, it was removed.
    """
    if archive.signature is None:
        return "wrong" if archive.manifest.signed_by else "none"
    return "fits" if key is not None and archive.signed_by(key) else "wrong"


def named_key(archive: Archive) -> PublicKey | None:
    """Return the key that the manifest names; None where it names none. Raises `InputError` for what is no key."""
    if not archive.manifest.signed_by:
        return None
    try:
        return read_public_key(archive.manifest.signed_by)
    except InputError as error:
        raise archive.refused("the key that its manifest names is not a public key") from error


def signer_of(archive: Archive, own: PublicKey | None, signers: Mapping[str, Mapping[str, Any]]) -> Signer:
    """Return who vouches for an archive. Raises `InputError` where its signature is wrong.

    ``signers`` are the stored documents of `SIGNER_KIND`.
    """
    key = named_key(archive)
    lab = archive.manifest.lab
    of_lab = tuple(sorted(text for text, document in signers.items() if lab in document.get("labs", ())))
    fits = fit(archive, key)
    if fits == "wrong":
        raise archive.refused(_why_wrong(archive), ASK_AGAIN)
    if fits == "none" or key is None:
        return Signer("none", None, "", of_lab)
    comment = archive.signature.comment if archive.signature is not None else ""
    if key == own:
        return Signer("own key", key.text, comment, ())
    if key.text in of_lab:
        return Signer("known key", key.text, comment, ())
    return Signer("new key", key.text, comment, of_lab)


def with_lab(document: Mapping[str, Any] | None, lab: str) -> dict[str, Any]:
    """Return the document of a key that signed an archive of a lab."""
    labs = {*(document or {}).get("labs", ()), lab}
    return {"labs": sorted(labs)}


def _why_wrong(archive: Archive) -> str:
    if archive.signature is None:
        return (
            f"its signature is WRONG: the manifest names the key {archive.manifest.signed_by}, and there is none in it"
        )
    if not archive.manifest.signed_by:
        return "its signature cannot be checked: its manifest names no key"
    return f"its signature is WRONG: what it holds is not what the key {archive.manifest.signed_by} signed"
