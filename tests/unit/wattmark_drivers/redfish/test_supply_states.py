"""States of power supplies as DSP0268 names them: Status.State, Status.Health and LineInputStatus."""

from __future__ import annotations

from wattmark_drivers.redfish.supply_states import states_of


def test_states_by_name_in_the_words_of_the_service() -> None:
    documents = [
        {"Name": "PSU 1", "Status": {"State": "Enabled", "Health": "OK"}, "LineInputStatus": "Normal"},
        {"MemberId": "1", "Status": {"State": "UnavailableOffline", "Health": "Critical"}},
        {"Name": "Bay", "Status": {"State": "Absent", "Health": None}},
        {"Name": "silent"},
        "garbage",
    ]
    assert states_of(documents) == {
        "PSU 1": "Enabled, OK, Normal",
        "1": "UnavailableOffline, Critical",
        "Bay": "Absent",
    }


def test_supplies_of_one_name_are_numbered() -> None:
    documents = [{"Name": "Power Supply", "Status": {"State": state}} for state in ("Enabled", "StandbyOffline")]
    assert states_of(documents) == {"Power Supply 1": "Enabled", "Power Supply 2": "StandbyOffline"}
