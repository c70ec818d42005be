"""Sensors that the Linux kernel offers as files: RAPL energy counters and hwmon."""
