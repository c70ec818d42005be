"""Speaks Modbus TCP and RTU for any meter of the catalogue."""
