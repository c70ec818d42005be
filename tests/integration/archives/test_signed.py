"""Signed archives: checked by minisign itself, and by `wattmark verify` where nothing but the file is there."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import zipfile
from functools import partial
from pathlib import Path

import pytest
from wattmark.archives.data_folder import Archives
from wattmark.archives.layout import MANIFEST, SIGNATURE
from wattmark.archives.signature import (
    SigningKey,
    create_signing_key,
    load_signing_key,
    new_signing_key,
    read_public_key,
)
from wattmark.archives.signer import SIGNER_KIND, Signer
from wattmark.archives.verify import Verification, verify
from wattmark.core.errors import InputError
from wattmark.importers.recordings.stored import from_archive
from wattmark_drivers.clock import SystemClock

from ..traceability.conftest import Lab


@pytest.fixture
def key() -> SigningKey:
    return new_signing_key()


def signed(lab: Lab, key: SigningKey | None, licence: str = "") -> bytes:
    archives = Archives(lab.storage, lab.queries, lab.calibration.issuer, signing_key=key)
    out = io.BytesIO()
    archives.write(out, archives.choose((), None, every=True), "Lab A", licence=licence)
    return out.getvalue()


def verified(content: bytes, folder: Path, expected: SigningKey | None = None) -> Verification:
    public = None if expected is None else expected.public
    return verify(io.BytesIO(content), "runs.zip", public, folder / "empty", SystemClock())


def changed(content: bytes, name: str, replacement: bytes | None) -> bytes:
    """Replace a member of a zip file, or leave it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for info in before.infolist():
            if info.filename != name:
                after.writestr(info, before.read(info))
            elif replacement is not None:
                after.writestr(info, replacement)
    return out.getvalue()


def minisign(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["minisign", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


def unpacked(content: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        file.extractall(folder)
    return folder / MANIFEST


def test_minisign_verifies_what_wattmark_signed(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    manifest = unpacked(signed(source, key), tmp_path)
    answer = minisign("-V", "-m", manifest, "-P", key.public.text)
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "Signature and comment signature verified" in answer.stdout
    assert "Trusted comment: 3 runs of Lab A, wattmark " in answer.stdout
    assert minisign("-V", "-m", manifest, "-P", new_signing_key().public.text).returncode == 1
    manifest.write_bytes(manifest.read_bytes() + b" ")
    assert minisign("-V", "-m", manifest, "-P", key.public.text).returncode == 1


def test_wattmark_signs_with_a_key_that_minisign_made(source: Lab, tmp_path: Path) -> None:
    secret, public = tmp_path / "lab.key", tmp_path / "lab.pub"
    assert minisign("-G", "-W", "-p", public, "-s", secret).returncode == 0
    key = load_signing_key(secret)
    assert key is not None
    assert read_public_key(public.read_text()) == key.public
    assert verified(signed(source, key), tmp_path, key).passed


def test_minisign_signs_with_a_key_that_wattmark_made(tmp_path: Path) -> None:
    path, paper = tmp_path / "signing.key", tmp_path / "paper.txt"
    key = create_signing_key(path)
    paper.write_text("figures")
    assert minisign("-S", "-W", "-s", path, "-m", paper).returncode == 0
    assert minisign("-V", "-m", paper, "-P", key.public.text).returncode == 0
    with pytest.raises(InputError, match=r"signing key at .* already"):
        create_signing_key(path)


def test_a_stranger_sees_who_signed_and_that_the_results_follow(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    outcome = verified(signed(source, key), tmp_path, key)
    assert (outcome.signed, outcome.key, outcome.passed) == ("yes", key.public.text, True)
    assert outcome.comment.startswith("3 runs of Lab A, wattmark ")
    assert [(run.run_id, run.differences) for run in outcome.runs] == [("r1", ()), ("r2", ()), ("r3", ())]


def test_an_unsigned_archive_passes_where_nobody_expects_a_key(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    content = signed(source, None)
    assert verified(content, tmp_path / "1").passed
    expecting = verified(content, tmp_path / "2", key)
    assert (expecting.signed, expecting.passed) == ("no", False)


def test_a_signature_that_was_taken_away_is_missed(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    outcome = verified(changed(signed(source, key), SIGNATURE, None), tmp_path)
    assert (outcome.signed, outcome.passed) == ("wrong", False)


def test_another_lab_cannot_pass_for_the_expected_one(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    outcome = verified(signed(source, new_signing_key()), tmp_path, key)
    assert (outcome.signed, outcome.passed, outcome.comment) == ("by another key", False, "")


def test_a_changed_byte_is_refused_by_the_name_of_its_member(source: Lab, key: SigningKey, tmp_path: Path) -> None:
    content = signed(source, key)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist() if name not in (MANIFEST, SIGNATURE)}
    for number, (name, before) in enumerate(members.items()):
        after = before[:-1] + bytes([before[-1] ^ 1])
        with pytest.raises(
            InputError, match=rf"runs\.zip failed verification: the hash of its member {re.escape(name)} does not"
        ):
            verified(changed(content, name, after), tmp_path / str(number), key)


def test_a_manifest_rewritten_to_fit_changed_content_breaks_the_signature(
    source: Lab, key: SigningKey, tmp_path: Path
) -> None:
    content = signed(source, key)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        manifest = file.read(MANIFEST)
    outcome = verified(changed(content, MANIFEST, manifest.replace(b'"Lab A"', b'"Lab B"')), tmp_path)
    assert (outcome.signed, outcome.lab, outcome.passed) == ("wrong", "Lab B", False)


def test_the_metadata_describe_the_runs(source: Lab, key: SigningKey) -> None:
    """RO-Crate 1.1, "Root Data Entity": name, description, datePublished, license; CFF 1.2.0: the required keys."""
    with zipfile.ZipFile(io.BytesIO(signed(source, key, "https://creativecommons.org/licenses/by/4.0/"))) as file:
        crate, citation = json.loads(file.read("ro-crate-metadata.json")), file.read("CITATION.cff").decode()
        names = set(file.namelist())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert entities["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    root = entities["./"]
    assert root.keys() >= {"name", "description", "datePublished", "license"}
    assert {part["@id"] for part in root["hasPart"]} <= names & entities.keys()
    assert entities[root["creator"]["@id"]]["name"] == "Lab A"
    for line in ('cff-version: "1.2.0"', 'title: "Performance per watt: 3 runs of Lab A"', '  - name: "Lab A"'):
        assert line in citation.splitlines()
    assert 'license-url: "https://creativecommons.org/licenses/by/4.0/"' in citation.splitlines()


@pytest.mark.parametrize("mode", [0o640, 0o604])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "signing.key"
    create_signing_key(path)
    path.chmod(mode)
    with pytest.raises(InputError, match=r"can be read by others.*chmod 600"):
        load_signing_key(path)


def test_a_damaged_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "signing.key"
    text = create_signing_key(path).file
    path.write_text(text[:-100] + ("A" if text[-100] != "A" else "B") + text[-99:])
    with pytest.raises(InputError, match="damaged"):
        load_signing_key(path)


def test_a_key_with_a_password_is_refused(tmp_path: Path) -> None:
    """Bytes 2 and 3 of a minisign key name how its password is stretched: "Sc" for scrypt."""
    path = tmp_path / "signing.key"
    comment, line = create_signing_key(path).file.splitlines()
    content = bytearray(base64.b64decode(line))
    content[2:4] = b"Sc"
    path.write_text(f"{comment}\n{base64.b64encode(content).decode()}\n")
    with pytest.raises(InputError, match="protected by a password"):
        load_signing_key(path)


def resigned(content: bytes, signer: SigningKey, manifest_before: bytes, manifest_after: bytes) -> bytes:
    """Change the manifest and put a signature of another key beside it."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        manifest = file.read(MANIFEST).replace(manifest_before, manifest_after)
    return changed(changed(content, MANIFEST, manifest), SIGNATURE, signer.sign(manifest, "forged").encode())


def wrongly_signed(lab: Lab, key: SigningKey) -> dict[str, bytes]:
    """Archives that name the lab's key and do not carry its signature of what they hold."""
    content, attacker = signed(lab, key), new_signing_key()
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        manifest = file.read(MANIFEST)
    same_id = SigningKey(key.id, attacker.seed)
    return {
        "taken away": changed(content, SIGNATURE, None),
        "of another key": resigned(content, attacker, b"", b""),
        "of another key with the same id": resigned(content, same_id, b"", b""),
        "of other content": changed(content, MANIFEST, manifest.replace(b'"Lab A"', b'"Lab B"')),
        "without a key": resigned(content, key, json.dumps(key.public.text).encode(), b'""'),
    }


def test_an_archive_whose_signature_is_wrong_is_refused_everywhere(
    source: Lab, open_lab, key: SigningKey, tmp_path: Path
) -> None:
    here = open_lab("here")
    archives = Archives(here.storage, here.queries, here.calibration.issuer)
    for kind, content in wrongly_signed(source, key).items():
        for way in (archives.preview, archives.restore, partial(archives.restore, own=True)):
            with pytest.raises(InputError, match=r"runs\.zip was not imported: its signature (is WRONG|cannot)") as no:
                way(io.BytesIO(content), "runs.zip")
            assert "Ask the lab for a new copy" in no.value.remedy, kind
        (tmp_path / "runs.zip").write_bytes(content)
        with pytest.raises(InputError, match=r"runs\.zip was not converted: its signature (is WRONG|cannot)"):
            from_archive(tmp_path / "runs.zip", "r1", None)
        assert not verified(content, tmp_path / kind).passed
    assert here.storage.runs.all() == []
    assert here.storage.runs.documents(SIGNER_KIND) == {}


def test_who_signed_stands_in_the_preview_and_in_the_record(source: Lab, open_lab, key: SigningKey) -> None:
    """None, a new key, the same one again, another one for the same lab, and nobody where the lab signed before."""
    here = open_lab("here")
    archives = Archives(here.storage, here.queries, here.calibration.issuer)
    other = new_signing_key()

    def brought(content: bytes, run_id: str) -> tuple[str, str | None, list[str]]:
        signer = archives.preview(io.BytesIO(content), "runs.zip").signer
        done = archives.restore(io.BytesIO(content), "runs.zip")
        assert (done.signer.state, done.signer.key) == (signer.state, signer.key)
        run = here.storage.runs.get(run_id)
        assert run is not None
        facts = run.disclosure.brought_by
        assert facts is not None
        assert (facts.lab, facts.signature, facts.key) == ("Lab A", signer.state, signer.key)
        return signer.state, signer.key, signer.earlier

    def archive_of(run_id: str, signer: SigningKey | None) -> bytes:
        of_source = Archives(source.storage, source.queries, source.calibration.issuer, signing_key=signer)
        out = io.BytesIO()
        of_source.write(out, of_source.choose((run_id,), None), "Lab A")
        return out.getvalue()

    first, second = key.public.text, other.public.text
    assert brought(archive_of("r1", key), "r1") == ("new key", first, ())
    assert brought(archive_of("r2", key), "r2") == ("known key", first, ())
    assert archives.preview(io.BytesIO(archive_of("r3", None)), "x").signer.state == "none"
    assert archives.preview(io.BytesIO(archive_of("r3", None)), "x").signer.earlier == (first,)
    assert brought(archive_of("r3", other), "r3") == ("new key", second, (first,))
    with_key = Archives(here.storage, here.queries, here.calibration.issuer, signing_key=key)
    assert with_key.preview(io.BytesIO(archive_of("r1", key)), "x").signer.state == "own key"
    again = archives.restore(io.BytesIO(archive_of("r1", None)), "x")
    assert [run.state for run in again.runs] == ["already here"]


def test_the_record_leaves_again_as_it_was_recorded(source: Lab, open_lab, key: SigningKey) -> None:
    """What this appliance noted about the archive does not travel on as if the recording lab had said it."""
    here, there = open_lab("here"), open_lab("there")
    Archives(here.storage, here.queries, here.calibration.issuer).restore(io.BytesIO(signed(source, key)), "a")
    Archives(there.storage, there.queries, there.calibration.issuer).restore(io.BytesIO(signed(here, None)), "b")
    run = there.storage.runs.get("r1")
    assert run is not None
    assert run.source == "imported: archive of Lab A"
    assert run.disclosure.brought_by is not None
    assert (run.disclosure.brought_by.signature, run.disclosure.brought_by.key) == ("none", None)


def test_the_words_name_the_key_and_an_earlier_one() -> None:
    assert Signer("none", None, "", ()).text == "none; nobody vouches for this archive"
    assert "RWa, which is new here" in Signer("new key", "RWa", "", ("RWb",)).text
    assert Signer("none", None, "", ("RWb",)).text.endswith(". Earlier imports from this lab were signed by RWb")
