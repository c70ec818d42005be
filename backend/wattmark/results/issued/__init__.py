"""Issued results: issued with a version, recomputed, reviewed; never changed."""
