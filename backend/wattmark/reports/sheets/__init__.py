"""Sheets of other organisations: forms and tables with a fixed set of entries, and the missing ones by name."""
