"""From calibration points to a corrected power with its uncertainty."""
