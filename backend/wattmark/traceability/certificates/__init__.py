"""Accepted calibration certificates: what is in the register, which one serves, what was issued with it."""
