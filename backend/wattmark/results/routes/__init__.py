"""The HTTP of runs and results, certificates, tags and notes."""
