"""Runs with everything that they rest on, as one file that others can read and recompute."""
