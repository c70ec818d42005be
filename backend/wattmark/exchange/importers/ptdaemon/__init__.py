"""PTDaemon's logs."""
