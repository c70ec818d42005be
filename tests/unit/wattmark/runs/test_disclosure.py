from __future__ import annotations

from wattmark.runs.disclosure import Disclosure
from wattmark.runs.environment import Environment


def test_the_governor_of_an_older_record_is_read() -> None:
    text = '{"host": {"kernel": "6.1", "cpu_governor": "performance", "clock_source": "tsc"}}'
    disclosure = Disclosure.model_validate_json(text)
    assert disclosure.environment == Environment(governor="performance", clock_source="tsc")
    assert disclosure.host.kernel == "6.1"
    assert Disclosure.model_validate_json(disclosure.model_dump_json()) == disclosure


def test_an_older_record_without_them_has_no_environment() -> None:
    text = '{"host": {"kernel": "6.1", "cpu_governor": null, "clock_source": null}}'
    assert Disclosure.model_validate_json(text).environment is None
