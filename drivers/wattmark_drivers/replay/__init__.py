"""Recorded logs played as if they were live. A replay is not a measurement."""
