"""Which calibration stands behind a meter at an instant."""
