"""Plugs and meters that publish their readings to an MQTT broker."""
