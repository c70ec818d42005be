"""How long raw samples are kept at full rate, and what is left of them afterwards."""
