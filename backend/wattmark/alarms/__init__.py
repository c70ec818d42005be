"""Limits of channels: when a reading crosses one, since when, how far, and until when."""
