"""Names and values of a record in words."""

from __future__ import annotations

import pytest
from wattmark.reports.facts import fact_name, facts_of, iso_text, number_text, span_text


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("wiring_loss_w", ("wiring loss", "W")),
        ("u_wiring_loss_w", ("u(wiring loss)", "W")),
        ("capacity_gib", ("capacity", "GiB")),
        ("speed_mts", ("speed", "MT/s")),
        ("argv", ("command", "")),
        ("w", ("w", "")),
    ],
)
def test_names_of_fields_become_words_with_a_unit(key: str, name: tuple[str, str]) -> None:
    assert fact_name(key) == name


def test_values_carry_their_unit_and_instants_are_written_as_people_do() -> None:
    facts = facts_of("Meter", {
        "conditions": {"wiring_loss_w": -0.5, "line_filter": True, "crest_factor": None},
        "begin": {"utc_ns": 1_763_868_706_373_533_000, "monotonic_ns": 5},
        "issued": "2026-11-23T03:31:46.373533+00:00",
        "ranges": ["a", "b"],
        "argv": ["openssl", "speed"],
        "exchanges": [[1, 2]],
    })  # fmt: skip
    assert facts.rows == (
        ("Conditions, wiring loss", "\N{MINUS SIGN}0.5 W"),
        ("Conditions, line filter", "yes"),
        ("Begin, utc", "23 Nov 2025, 03:31:46 UTC"),
        ("Begin, monotonic", "5"),
        ("Issued", "23 Nov 2026, 03:31:46 UTC"),
        ("Ranges", "a, b"),
        ("Command", "openssl speed"),
        ("Exchanges 1", "1, 2"),
    )


def test_an_instant_is_in_utc_whatever_its_zone() -> None:
    assert iso_text("2026-11-23T04:31:46+01:00") == "23 Nov 2026, 03:31:46 UTC"


def test_a_span_says_once_what_both_ends_share() -> None:
    first = "2026-11-23T03:31:46+00:00"
    assert span_text(first, "2026-11-23T03:31:59+00:00") == "23 Nov 2026, 03:31 UTC"
    assert span_text(first, "2026-11-23T04:00:00+00:00") == "23 Nov 2026, 03:31 to 04:00 UTC"
    assert span_text(first, "2026-11-24T04:00:00+00:00") == "23 Nov 2026, 03:31 to 24 Nov 2026, 04:00 UTC"


def test_negative_numbers_have_a_true_minus() -> None:
    assert number_text(-1.25, "W") == "\N{MINUS SIGN}1.25 W"
