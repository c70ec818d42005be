"""Import of PTB digital calibration certificates."""
