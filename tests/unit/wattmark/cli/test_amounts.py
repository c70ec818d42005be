"""Times and shares as people write them in options."""

from __future__ import annotations

import pytest
from wattmark.cli.console.amounts import seconds, share
from wattmark.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"), [("0", 0.0), ("10s", 10.0), ("500ms", 0.5), ("2min", 120.0), ("1.5 h", 5400.0)]
)
def test_times_are_read_with_their_unit(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "ten", "-1s", "1e3", "5 m", "1,5s"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a time"):
        seconds(text)


def test_shares_are_read_in_per_cent() -> None:
    assert share("--until", "2.5 %") == 0.025


@pytest.mark.parametrize("text", ["2", "0.02", "-1%", "two%"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not in per cent"):
        share("--until", text)


@pytest.mark.parametrize("text", ["100%", "150 %"])
def test_no_figure_falls_by_100_percent_or_more(text: str) -> None:
    with pytest.raises(InputError, match="is not below 100 %"):
        share("--worse-than", text)
