"""The process of the service: event loop, memory, systemd, logs."""
