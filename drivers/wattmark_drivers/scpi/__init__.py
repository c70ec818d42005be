"""Polled bench analysers: SCPI and its relatives."""
