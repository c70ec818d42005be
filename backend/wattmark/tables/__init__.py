"""A table as data, its layouts, and its writers, one for each format."""
