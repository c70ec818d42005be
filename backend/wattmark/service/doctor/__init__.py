"""Examines the machine that wattmark runs on."""
