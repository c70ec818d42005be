"""Accepted calibration certificates: what is on the shelf, which one serves, what was stated with it."""
