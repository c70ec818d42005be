"""An appliance gives by its API what its data folder gives, to who has a token."""

from __future__ import annotations

from pathlib import Path

import pytest
import wattmark
from wattmark.access.roles import Role
from wattmark.core.errors import WattmarkError

from tests.marked_lab import store_marked_lab

from ..service.conftest import Start, start
from .places import assert_same

__all__ = ["start"]


def test_an_appliance_gives_the_figures_of_its_data_folder(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_marked_lab(tmp_path)
    service = start(tmp_path)
    url, folder = f"http://{service.netloc}", wattmark.read(tmp_path)
    assert_same(wattmark.read(url), folder, folder.runs().to_polars()["run_id"].to_list()[::12])
    with pytest.raises(WattmarkError):
        wattmark.read(url).samples("none")

    _, made = service.ask("POST", "/api/tokens", {"name": "notebook", "role": Role.VIEWER})
    service.ask("POST", "/api/tokens", {"name": "owner", "role": Role.ADMIN})
    with pytest.raises(WattmarkError):
        wattmark.read(url, token="wrong").runs()
    assert len(wattmark.read(url, token=made["secret"]).runs()) == len(folder.runs())
    monkeypatch.setenv("WATTMARK_TOKEN", made["secret"])
    assert len(wattmark.read(f"{url}/").samples("plain-1-0027")) > 0
