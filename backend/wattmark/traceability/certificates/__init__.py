"""Accepted calibration certificates: the register, the certificate in force, and results issued with it."""
