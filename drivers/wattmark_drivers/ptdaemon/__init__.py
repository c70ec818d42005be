"""Reads the analyser behind a power daemon: SPEC's PTDaemon, or wattmark's own."""
