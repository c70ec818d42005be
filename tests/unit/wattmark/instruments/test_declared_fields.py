"""Fields of a form from what the bench file declares."""

from __future__ import annotations

from wattmark.bench.instruments import Conditions, Meter
from wattmark.instruments.declared_fields import declared_fields


def test_a_condition_is_asked_for_with_its_label_unit_and_limits() -> None:
    fields = {field.name: field for field in declared_fields(Conditions)}
    temperature = fields["temperature_c"]
    assert (temperature.label, temperature.kind, temperature.unit) == ("Temperature", "number", "°C")
    assert (temperature.low, temperature.high, temperature.default) == (-50, 100, None)
    assert (fields["crest_factor"].kind, fields["crest_factor"].choices) == ("integer", (3, 6))
    assert fields["line_filter"].kind == "switch"
    assert fields["wiring_loss_w"].default == 0


def test_every_condition_but_the_date_is_asked_for() -> None:
    assert {*Conditions.model_fields} - {field.name for field in declared_fields(Conditions)} == {"calibrated_on"}


def test_of_a_meter_only_what_declares_a_label_is_asked_for() -> None:
    assert [field.name for field in declared_fields(Meter)] == ["latency_s", "averaging_s"]
