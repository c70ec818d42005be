"""Clocks and lags: of other machines, of meters, of a BMC beside a wall meter."""
