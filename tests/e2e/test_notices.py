"""Who is told what happens, in a browser: how each entry stands, and a test of one that works and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..integration.hook_peer import listening_peer
from .conftest import assert_well, browse, serving

pytestmark = pytest.mark.e2e
BENCH = "schema: wattmark-bench/1\nlab: Rack\n"


def test_each_entry_says_how_it_stands_and_what_took_its_test(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    with listening_peer() as peer:
        peer.answers["/closed"] = [(403, b"")] * 9
        (tmp_path / "closed").write_text(f"http://127.0.0.1:{peer.port}/closed")
        (tmp_path / "closed").chmod(0o600)
        entries = [
            f'  - {{id: phone, by: ntfy, url: "http://127.0.0.1:{peer.port}/power"}}',
            "  - {id: closed, by: webhook, url_file: closed, events: [alarm, meter-lost]}",
        ]
        bench.write_text("\n".join([f"{BENCH}notify:", *entries, ""]))
        with serving(tmp_path / "data", "--bench", str(bench)) as url:
            seen = browse("notices.mjs", url, str(tmp_path), "phone", "closed", timeout_s=240)
    assert_well(seen, refused=r"\b503\b")
    assert "Tells of: everything." in seen["before"]
    assert "Tells of: alarm, meter lost." in seen["before"]
    assert "127.0.0.1 took the message (status 200)." in seen["answers"]["phone"]
    assert "1 message sent" in seen["answers"]["phone"]
    assert "127.0.0.1 answers with status 403." in seen["answers"]["closed"]
    assert peer.calls[0]["body"]["title"] == "Rack: Test of phone"


def test_without_an_entry_it_says_how_to_begin(tmp_path: Path) -> None:
    bench = tmp_path / "bench.yaml"
    bench.write_text(BENCH)
    with serving(tmp_path / "data", "--bench", str(bench)) as url:
        seen = browse("notices.mjs", url, str(tmp_path), timeout_s=240)
    assert_well(seen)
    assert "Nobody is told anything." in seen["before"]
    assert "by: ntfy" in seen["before"]
