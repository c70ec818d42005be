"""Archives made to hurt, and archives that were hurt: an error in words, and nothing is imported."""

from __future__ import annotations

import hashlib
import io
import json
import random
import stat
import zipfile
from collections.abc import Callable
from functools import partial

import pytest
import wattmark.archives.write
from wattmark.archives.container import ContainerLimits
from wattmark.archives.gather import document_digest
from wattmark.archives.layout import KeyRecord
from wattmark.archives.read import Archive
from wattmark.archives.values import Values
from wattmark.campaigns.stored import CAMPAIGN_KIND
from wattmark.core.errors import InputError, WattmarkError

from ..traceability.conftest import Lab
from .conftest import Open, packed, unpacked


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def as_zip(parts: dict[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda _: None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            change(info)
            file.writestr(info, content)
    return out.getvalue()


def with_manifest(parts: dict[str, bytes], **changes: object) -> dict[str, bytes]:
    """Let the manifest name the members as they now are: a forger can do that too."""
    manifest = json.loads(parts["manifest.json"])
    manifest["members"] = {
        name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in parts.items()
        if name != "manifest.json"
    }
    return {**parts, "manifest.json": json.dumps({**manifest, **changes}).encode()}


def nothing_came(lab: Lab) -> bool:
    return lab.storage.runs.all() == [] and lab.storage.certificates.register().revision == 0


def edited(parts: dict[str, bytes], name: str, change: Callable[[dict], None]) -> dict[str, bytes]:
    document = json.loads(parts[name])
    change(document)
    return with_manifest({**parts, name: json.dumps(document).encode()})


def with_simulated_series(parts: dict[str, bytes]) -> dict[str, bytes]:
    """Call the samples of a real meter simulated, with a digest that fits."""
    run = json.loads(parts["runs/1/run.json"])
    for series in run["series"]:
        series["key"]["simulated"] = True
    manifest = json.loads(parts["manifest.json"])
    hashes = [(KeyRecord(**series["key"]), manifest["members"][series["file"]]["sha256"]) for series in run["series"]]
    first = {**manifest["runs"][0], "digest": document_digest(run["record"], hashes)}
    changed = {**parts, "runs/1/run.json": json.dumps(run).encode()}
    return with_manifest(changed, runs=[first, *manifest["runs"][1:]])


def link(info: zipfile.ZipInfo) -> None:
    if info.filename == "runs/1/series/1.npy":
        info.external_attr = (stat.S_IFLNK | 0o777) << 16


FORGED: dict[str, tuple[str, Callable[[dict[str, bytes]], bytes]]] = {
    "slip": ("does not belong", lambda p: as_zip(with_manifest({**p, "../../etc/cron.d/x": b"x"}))),
    "absolute": ("does not belong", lambda p: as_zip(with_manifest({**p, "/tmp/x": b"x"}))),
    "backslash": ("does not belong", lambda p: as_zip(with_manifest({**p, "runs\\1\\run.json": b"x"}))),
    "link": ("does not belong", lambda p: as_zip(p, link)),
    "stranger": ("do not match its manifest", lambda p: as_zip({**p, "runs/99/run.json": b"{}"})),
    "missing": (
        "do not match its manifest",
        lambda p: as_zip({name: content for name, content in p.items() if name != "runs/1/series/1.npy"}),
    ),
    "hash": (
        "does not match the manifest",
        lambda p: as_zip({**p, "runs/1/series/1.npy": p["runs/1/series/1.npy"][:-1] + b"\xff"}),
    ),
    "foreign zip": ("manifest.json is missing", lambda p: as_zip({"shared.json": b"{}"})),
    "run taken from the list": (
        "nothing in it names its member runs/1/run.json",
        lambda p: as_zip(with_manifest(p, runs=json.loads(p["manifest.json"])["runs"][1:])),
    ),
    "run without an entry": (
        "nothing in it names its member runs/99/run.json",
        lambda p: as_zip(with_manifest({**p, "runs/99/run.json": b"{}"})),
    ),
    "certificate without an entry": (
        "nothing in it names its member certificates/",
        lambda p: as_zip(with_manifest({**p, f"certificates/{'0' * 64}": b"{}"})),
    ),
    **{
        f"a run called {name!r}": (
            "is not the name of a run",
            lambda p, name=name: as_zip(
                with_manifest(
                    p, runs=[{**entry, "run_id": name} for entry in json.loads(p["manifest.json"])["runs"][:1]]
                )
            ),
        )
        for name in ("a/b", "..", "计", "a\r\nX: y", "-r1")
    },
    "newer": ("only one that this version reads", lambda p: as_zip(with_manifest(p, format="wattmark-archive/2"))),
    "newer record": (
        "may have been written by a newer wattmark",
        lambda p: as_zip(edited(p, "runs/1/run.json", lambda run: run["record"].update(invented=1))),
    ),
    "a meter that its samples call simulated": (
        "calls a meter real whose samples say that it is simulated",
        lambda p: as_zip(with_simulated_series(p)),
    ),
    **{
        f"a laboratory called {name!r}": (
            r"cannot be read \(lab",
            lambda p, name=name: as_zip(with_manifest(p, lab=name)),
        )
        for name in ("Lab\x1b[2J", "Lab \u202eA", "Lab\nA")
    },
    "changed record": (
        "does not match the manifest",
        lambda p: as_zip(edited(p, "runs/1/run.json", lambda run: run["record"].update(server="better"))),
    ),
    "changed certificate": (
        "is not the accepted one",
        lambda p: as_zip(
            edited(
                p,
                "shared.json",
                lambda shared: shared["certificates"][0].update(
                    document=shared["certificates"][0]["document"].replace("K-12345", "K-54321")
                ),
            )
        ),
    ),
    "samples of another length": (
        "samples of run r1 are missing",
        lambda p: as_zip(edited(p, "runs/1/run.json", lambda run: run["series"][0].update(n=7))),
    ),
    "no JSON": ("manifest.json cannot be read", lambda p: as_zip({**p, "manifest.json": b'"wattmark-archive/1"'})),
    "deep JSON": (
        "manifest.json cannot be read",
        lambda p: as_zip({**p, "manifest.json": b'{"format": "wattmark-archive/1", "lab": ' + b"[" * 10**6}),
    ),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_archive_is_refused_whole(source: Lab, open_lab: Open, forgery: str) -> None:
    reason, forge = FORGED[forgery]
    target = open_lab("target")
    with pytest.raises(InputError, match=reason):
        unpacked(target, forge(members(packed(source))))
    assert nothing_came(target)


def test_a_campaign_that_no_page_could_show_is_left_out_with_a_note(source: Lab, open_lab: Open) -> None:
    def spoil(shared: dict) -> None:
        shared["campaigns"]["c9"] = {"campaign_id": "c9", "runs": "none"}
        shared["campaign_starts"]["c9"] = {"plan": {}}

    target = open_lab("target")
    restoration = unpacked(target, as_zip(edited(members(packed(source)), "shared.json", spoil)))
    assert [note for note in restoration.notes if "campaign c9 cannot be read" in note] == 2 * [
        "A document of campaign c9 cannot be read and was not imported."
    ]
    assert "c9" not in target.storage.runs.documents(CAMPAIGN_KIND)


def test_two_members_of_one_name_are_refused(source: Lab) -> None:
    out = io.BytesIO(packed(source))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(out, "a") as file:
        file.writestr("shared.json", b"{}")
    with pytest.raises(InputError, match="two members have the same name"):
        Archive(out, "x.zip")


def test_a_bomb_is_told_from_its_declared_sizes_and_stopped_at_its_real_ones(source: Lab) -> None:
    parts = members(packed(source))
    bomb = as_zip(with_manifest({**parts, "runs/9/series/1.npy": bytes(2**26)}))
    with pytest.raises(InputError, match=r"it would unpack to \d+ bytes"):
        Archive(io.BytesIO(bomb), "x.zip", ContainerLimits(document_bytes=2**20))
    size = (2**26).to_bytes(4, "little")
    assert bomb.count(size) == 2, "the size is declared in the member's head and in the table at the end"
    liar = bomb.replace(size, (1000).to_bytes(4, "little"))
    with pytest.raises(InputError, match=r"runs/9/series/1\.npy is (damaged|not the one)"):
        Archive(io.BytesIO(liar), "x.zip")


def test_documents_of_millions_of_values_are_refused_before_they_fill_the_memory(source: Lab) -> None:
    """120 kB of zip took 23 GB of memory: each value that is none of a certificate became an error of its own."""
    parts = members(packed(source))
    bomb = as_zip(with_manifest({**parts, "shared.json": b'{"certificates": [%s[]]}' % (b"[]," * 2_000_000)}))
    assert len(bomb) < 2**18
    with pytest.raises(InputError, match=r"shared\.json contains too many values"):
        Archive(io.BytesIO(bomb), "x.zip")
    with pytest.raises(InputError, match="too many values"):
        Archive(io.BytesIO(packed(source)), "x.zip", ContainerLimits(values=3000))


def test_what_nobody_could_read_is_not_written(source: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wattmark.archives.write, "Values", partial(Values, most=3000))
    with pytest.raises(InputError, match="Archive fewer of them"):
        packed(source)


def test_a_table_of_contents_without_end_is_not_read(source: Lab) -> None:
    content = bytearray(packed(source))
    content[-12:-8] = content[-14:-12] = b""
    end = content[-22:]
    assert not bytes(end).startswith(b"PK\5\6")
    with pytest.raises(InputError, match="not a complete zip file"):
        Archive(io.BytesIO(bytes(content)), "x.zip")
    with pytest.raises(InputError, match=r"it claims \d+ members; at most 5 are accepted"):
        Archive(io.BytesIO(packed(source)), "x.zip", ContainerLimits(members=5))


def test_an_archive_cut_off_anywhere_is_refused(source: Lab) -> None:
    content = packed(source)
    for length in [0, 1, 21, 22, 100, *random.Random(1).sample(range(len(content)), 40)]:
        with pytest.raises(InputError, match=r"x\.zip was not imported"):
            Archive(io.BytesIO(content[:length]), "x.zip")


def test_a_flipped_bit_is_found_or_changes_nothing(source: Lab) -> None:
    content = packed(source, "r1")
    whole, chance = Archive(io.BytesIO(content), "x.zip"), random.Random(2)
    refused = 0
    for _ in range(300):
        hurt = bytearray(content)
        hurt[chance.randrange(len(hurt))] ^= 1 << chance.randrange(8)
        try:
            read = Archive(io.BytesIO(bytes(hurt)), "x.zip")
        except WattmarkError:
            refused += 1
            continue
        assert (read.manifest, list(read.runs()), read.shared) == (whole.manifest, list(whole.runs()), whole.shared)
    assert refused > 200


def test_any_other_file_is_refused() -> None:
    chance = random.Random(3)
    for content in (
        b"",
        b"PK\5\6",
        chance.randbytes(5000),
        b"PK\5\6" + bytes(18),
        b"x" * 50 + b"PK\5\6" + b"\xff" * 18,
    ):
        with pytest.raises(InputError, match=r"x\.zip was not imported"):
            Archive(io.BytesIO(content), "x.zip")


def test_a_run_that_nobody_could_restore_is_not_written(source: Lab) -> None:
    run = source.storage.runs.get("r2")
    assert run is not None
    source.storage.runs.put(run.model_copy(update={"run_id": "odd ü/1"}))
    with pytest.raises(InputError, match="takes no run that is called"):
        packed(source)
