"""Results published by others, shipped as data, never mixed up with measurements."""
