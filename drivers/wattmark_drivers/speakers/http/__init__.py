"""Speaks HTTP for smart plugs."""
