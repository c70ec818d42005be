"""What is known of the meter behind an indication, for the protocols that have room for it: ranges, limit of error."""

from __future__ import annotations

from dataclasses import replace

from wattmark_drivers.catalogue import find_model
from wattmark_drivers.meter import Meter, RangeInForce, SetsRanges
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Behind, Indication

from wattmark.gateway.indication import whether_automatic
from wattmark.instruments.reading_limit import LimitOfReading, limit_of_readings
from wattmark.recording.monitor import MonitoredMeter


class MetersBehind:
    """Describes meters as they are now. What computes their limits of error is made once for each."""

    def __init__(self) -> None:
        self._limits: dict[str, tuple[Meter, LimitOfReading]] = {}

    def describe(self, indication: Indication, monitored: MonitoredMeter, range_name: str | None) -> Indication:
        """Add to an indication what is known of its meter; ``range_name`` is that of the reading."""
        name, meter = monitored.name, monitored.meter
        if name not in self._limits or self._limits[name][0] is not meter:
            settings = MeterSettings(name, meter.identity.model, "", period_s=monitored.period_s)
            self._limits[name] = meter, limit_of_readings(meter, settings)
        return with_meter(indication, monitored, range_name, self._limits[name][1])


def with_meter(
    indication: Indication, monitored: MonitoredMeter, range_name: str | None, limit: LimitOfReading
) -> Indication:
    """Add the meter to what it shows, as it is now. ``range_name`` is that of the reading.

    The limit of error is that of the manufacturer, unless the power was corrected: then it is what the certificate
    leaves. Under auto-range it is not known.
    """
    volts, amps = _ranges(monitored, range_name)
    automatic = whether_automatic((volts.auto, amps.auto))
    before = indication.behind or Behind()
    total = indication.total
    measured = (total.get(quantity) for quantity in ("voltage", "current", "power_factor"))
    power_limit = None if automatic else before.power_limit or limit(total["power"], *measured)
    behind = replace(
        before,
        update_s=max(monitored.meter.identity.update_period_s, monitored.expected_period_s),
        voltage_range_v=volts.nominal,
        current_range_a=amps.nominal,
        automatic=automatic,
        power_limit=power_limit,
    )
    return replace(indication, behind=behind)


def _ranges(monitored: MonitoredMeter, range_name: str | None) -> tuple[RangeInForce, RangeInForce]:
    """Return the ranges of voltage and current: as the driver read them, else as the model declares the one in use."""
    meter = monitored.meter
    in_force = meter.ranges_in_force if isinstance(meter, SetsRanges) else {}
    if in_force:
        return in_force["voltage"], in_force["current"]
    declared = find_model(meter.identity.model).range(range_name)
    nominals = (declared.voltage_v, declared.current_a) if declared is not None else (None, None)
    volts, amps = (RangeInForce(None if nominal is None else False, nominal) for nominal in nominals)
    return volts, amps
