"""The HTTP API: routes turn requests into calls of the rooms, nothing more."""
