"""Devices that push or answer lines of text."""
