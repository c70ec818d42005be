"""Tests of a device's readings against physics and its declaration."""
