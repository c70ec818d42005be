"""Speaks MQTT for plugs, with a broker."""
