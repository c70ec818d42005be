"""Start loads on this machine, and leave nothing of them behind."""
