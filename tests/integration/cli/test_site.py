"""A static site: every file that its page links to is there, and everything follows from its archive."""

from __future__ import annotations

import json
import re
from pathlib import Path

HREF = re.compile(r'\b(?:href|src)="([^"#][^"]*)"')


def test_every_link_leads_to_a_file_of_the_site_and_back(wattmark, data: Path, tmp_path: Path) -> None:
    code, key, _ = wattmark("signing-key", "--create", "--data", data)
    assert (code, key[:2]) == (0, b"RW")
    folder = tmp_path / "public"
    code, out, err = wattmark(
        "site", folder, "--all", "--data", data, "--lab", "Lab A", "--title", "A server", "--json"
    )
    assert code == 0, err
    made = json.loads(out)
    page = (folder / "index.html").read_text("utf-8")
    assert set(HREF.findall(page)) == set(made["files"]) - {"index.html"}
    assert {"data/runs.zip", "data/public-key.pub", "tables/results.csv", "tables/memory-s1.tex"} <= set(made["files"])
    assert "<h1>A server</h1>" in page
    assert key.decode().strip() in page
    code, out, err = wattmark("verify", folder / "data/runs.zip", "--key", key.decode().strip())
    assert code == 0, err
    assert f"Results: {len(made['runs'])} of {len(made['runs'])} follow from the samples in the archive" in out.decode()


def test_a_folder_that_is_there_is_left_alone(wattmark, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    folder.mkdir()
    code, _, err = wattmark("site", folder, "--all", "--data", data)
    assert code == 2
    assert "exists already." in err
    assert list(folder.iterdir()) == []


def test_a_site_of_an_unknown_run_leaves_nothing_behind(wattmark, data: Path, tmp_path: Path) -> None:
    code, _, err = wattmark("site", tmp_path / "public", "no-such-run", "--data", data)
    assert code == 2
    assert "no-such-run" in err
    assert list(tmp_path.iterdir()) == []


def test_verify_ends_with_1_where_the_key_is_another_one(wattmark, data: Path, tmp_path: Path) -> None:
    archive = tmp_path / "runs.zip"
    other = tmp_path / "other"
    other.mkdir()
    _, key, _ = wattmark("signing-key", "--create", "--data", other)
    wattmark("signing-key", "--create", "--data", data)
    assert wattmark("archive", "--all", "-o", archive, "--data", data)[0] == 0
    code, out, _ = wattmark("verify", archive, "--key", key.decode().strip())
    assert code == 1
    assert b"Signature: by another key" in out
    code, _, err = wattmark("verify", archive, "--key", "not a key")
    assert code == 2
    assert "is neither a file nor a public key." in err
