"""CSV files of any make, read by a mapping of their columns."""
