"""Runs of other labs in the store of a fleet: what lies there, and copies of it."""
