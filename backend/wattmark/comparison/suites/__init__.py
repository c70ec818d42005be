"""Suites of graduated loads that give one figure for a server."""
