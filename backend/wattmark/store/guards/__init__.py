"""Checksums of rows, kept by triggers: a row that is damaged or lost is named."""
