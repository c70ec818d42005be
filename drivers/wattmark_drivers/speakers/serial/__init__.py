"""Speaks on pseudo-terminals: Watts Up?, PowerSensor3."""
