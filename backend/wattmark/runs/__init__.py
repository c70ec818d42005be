"""Runs: records, samples, annotations and alarms."""
