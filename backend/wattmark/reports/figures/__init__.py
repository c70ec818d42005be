"""The figures as data."""
