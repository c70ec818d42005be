"""What is observed of a server while a run lasts: readings, limits, clock, other processes."""
