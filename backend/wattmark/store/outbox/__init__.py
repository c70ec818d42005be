"""The queue to another server: positions in the series, never a copy of the samples."""
