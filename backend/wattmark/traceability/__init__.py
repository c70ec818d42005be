"""The calibration of a meter that is in force at an instant."""
