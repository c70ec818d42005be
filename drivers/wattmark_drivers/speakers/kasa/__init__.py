"""Speaks the protocols of TP-Link plugs."""
