"""Runs of other labs in the store of a fleet: a list, and copies."""
