"""PowerSensor3: an open sensor of the DC power of cards and boards, which streams samples over USB."""
