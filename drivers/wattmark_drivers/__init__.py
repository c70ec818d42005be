"""Reads the physical world: meters, sensors and their simulators."""
