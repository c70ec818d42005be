"""Runs from wherever they are, as tables of Arrow: `wattmark.read`."""
