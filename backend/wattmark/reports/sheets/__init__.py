"""Sheets that others ask for: forms and tables with a fixed set of entries, and what is missing by name."""
