"""The one campaign, and what keeps it from starting."""

from __future__ import annotations

from typing import Any

import pytest
from wattmark.campaigns.running import Campaigns
from wattmark.core.errors import Conflict


class _Started(Exception):
    """A runner was asked for."""


def campaigns() -> Campaigns:
    def make(*_: Any) -> Any:
        raise _Started

    return Campaigns(
        make, lambda _: None, lambda _: pytest.fail("nothing is resumed"), lambda _: pytest.fail("nothing is repeated")
    )


def test_no_campaign_starts_while_archives_are_imported() -> None:
    room = campaigns()
    with room.kept_from_starting():
        with room.kept_from_starting(), pytest.raises(Conflict, match="An archive is being imported"):
            room.start("plan")
        with pytest.raises(Conflict, match="An archive is being imported"):
            room.resume(None)
    with pytest.raises(_Started):
        room.start("plan")
