"""Samples of a run as they were recorded, to take away as files."""
