"""When readings count as stuck or impossible, besides the limits of their channels."""

from __future__ import annotations

from pydantic import Field

from wattmark_drivers.catalogue.source import Declared


class Suspicion(Declared):
    """The rules of one model; what is not declared takes these. An update is one of the device, or a rarer poll."""

    still_updates: float = Field(default=3.0, ge=1)
    """All values of a device stand still for more updates: they are old ones."""
    apart_pct: float = Field(default=10.0, gt=0)
    """Power repeats for more than `still_updates` while its volt-amperes move by more than this share [%], and by
    more than two last digits of power: its register is stuck. After a time without answers, power that is so far from
    its volt-amperes times the power factor is not believed either."""
    equal_updates: float = Field(default=60.0, ge=1)
    """Power with a fine resolution repeats for more updates while other values change: its register is stuck."""
    one_phase: bool = True
    """Voltage and current beside the total power, where there are no phases, are those of its only phase."""
    parts_apart: bool = False
    """Volts, amperes and watts of one answer are measured in turn, up to seconds apart: a load that moves meanwhile
    shows more watts than volts times amperes."""
    on_the_mains: bool = False
    """The device lives on the single phase that it measures, so that it never sees 0 V."""
    fine_steps: float = Field(default=1000.0, gt=0)
    """The last digit of power is fine where the power is at least so many of them."""
