"""Measured watts and counted joules, as they are now, for programs of others."""
